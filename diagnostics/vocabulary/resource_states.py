"""States of a resource of Flink's Kubernetes operators that ask for something, from `resource_states.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.language import Text
from diagnostics.notation.operator_resource import NULL
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.message_remedies import with_values
from diagnostics.yaml_document import with_translations

SET, UNSET = "set", "unset"
"""In place of values: the field holds something, or it is missing or null."""
VALUES = {
    "location": "status.jobStatus.savepointInfo.lastSavepoint.location",
    "job_state": "status.jobStatus.state",
    "job_manager": "status.jobManagerDeploymentStatus",
}
"""Name in an advice -> the field whose value replaces it."""


@dataclass(frozen=True, slots=True)
class ResourceState:
    """One entry: the fields and texts that show it, the class of its cause, a clause of what is so, and what to do.

    when     path -> values; each of the fields has one of its values
    texts    one of them is in what the operator reports of the resource; none where the fields suffice
    decides  whether it counts where there are failures, too
    """

    when: Mapping[str, tuple[str, ...]]
    texts: tuple[str, ...]
    cause: str
    what: str
    advice: str
    decides: bool

    def holds(self, fields: Mapping[str, str], said: str) -> bool:
        """Whether a resource with these fields is in the state; said: what the operator reported about it."""
        if self.texts and not any(each in said for each in self.texts):
            return False
        return all(_fits(fields.get(path), values) for path, values in self.when.items())

    def what_for(self, fields: Mapping[str, str]) -> Text:
        """What is so, with values of the resource in their places."""
        return with_values(self.what, _values(fields))

    def advice_for(self, fields: Mapping[str, str]) -> Text:
        """What to do, with values of the resource in their places."""
        return with_values(self.advice, _values(fields))


def _values(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: fields.get(path, "?") for name, path in VALUES.items()}


def _fits(value: str | None, wanted: tuple[str, ...]) -> bool:
    if UNSET in wanted and value in (None, NULL):
        return True
    return value is not None and (value in wanted or (SET in wanted and value != NULL))


@cache
def resource_states() -> Mapping[str, ResourceState]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("resource_states.yaml")
    return {
        name: ResourceState(
            {path: tuple(map(str, values)) for path, values in entry["when"].items()},
            tuple(entry.get("texts", ())),
            entry["cause"],
            with_translations(entry["what"].strip(), entry, "what"),
            with_translations(entry["advice"].strip(), entry, "advice"),
            entry.get("decides") is True,
        )
        for name, entry in content.items()
    }


def state_of(fields: Mapping[str, str], said: str) -> str | None:
    """The id of the first entry that a resource shows; None without one."""
    return next((name for name, each in resource_states().items() if each.holds(fields, said)), None)
