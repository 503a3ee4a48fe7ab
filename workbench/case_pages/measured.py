"""Measured values against their bounds, each with the place in the evidence that it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.analyses.models import Analysis, Citation

Place = tuple[str, int | None, str | None]
"""Path, line and JSON pointer."""


@dataclass(frozen=True, slots=True)
class CheckShown:
    """A comparison of a rule that holds.

    citation  where the value stands, else the first place that it was measured from; None where the page has neither
    is_exact  whether the value itself stands there
    """

    check: Mapping[str, Any]
    citation: Citation | None = None
    is_exact: bool = False


class Measurements:
    """The stored signals of an analysis, by key, with the places that they cite."""

    def __init__(self, analysis: Analysis) -> None:
        self._files = [str(each["file"]) for each in analysis.document["inputs"]]
        self._signals: dict[str, list[Mapping[str, Any]]] = {}
        for signal in analysis.signals or ():
            if "facts" in signal:
                self._signals.setdefault(signal["key"], []).append(signal)

    def checks_shown(self, entry: Mapping[str, Any], citations: Sequence[Citation]) -> list[CheckShown]:
        """The comparisons of a finding that hold; `citations` are those that the page has of it."""
        kept = {_place_of(each): each for each in citations if each.is_kept}
        return [self._shown(check, entry, kept) for check in entry.get("checks", ()) if check["holds"]]

    def _shown(self, check: Mapping[str, Any], entry: Mapping[str, Any], kept: Mapping[Place, Citation]) -> CheckShown:
        found = [kept[place] for place in self._places(check, entry["subject"]) if place in kept]
        exact = next((each for each in found if _says(each, check["value"])), None)
        citation = exact or next(iter(found), None)
        return CheckShown(check, citation, is_exact=exact is not None)

    def _places(self, check: Mapping[str, Any], subject: Mapping[str, Any]) -> Iterator[Place]:
        """What the signals cite that have the value; those about the finding's own subject first."""
        key, _, fact = str(check["fact"]).rpartition(".")
        found = [each for each in self._signals.get(key, ()) if each["facts"].get(fact) == check["value"]]
        for signal in sorted(found, key=lambda each: -_alike(each["subject"], subject)):
            for each in signal["citations"]:
                if each["file_id"] < len(self._files):
                    yield self._files[each["file_id"]], each.get("line"), each.get("pointer")


def _place_of(citation: Citation) -> Place:
    return citation.path, citation.line, citation.pointer


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    return sum(1 for name, value in one.items() if value is not None and other.get(name) == value)


def _says(citation: Citation, value: Any) -> bool:
    """Whether the cited value is the measured one."""
    return citation.value is not None and not isinstance(value, bool) and bool(citation.value == value)
