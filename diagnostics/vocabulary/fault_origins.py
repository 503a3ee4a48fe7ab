"""Origin of a failure: memory, network, storage, restored state, class loading, a record, the job's own code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from diagnostics.notation.stack_frame import is_generated, is_user_code
from diagnostics.vocabulary.outside_refusals import telling_texts
from diagnostics.yaml_document import read_yaml

OWN_CODE = "own_code"
UNKNOWN = "unknown"

IN_SNAPSHOT = (
    "Could not perform checkpoint ",
    "Could not complete snapshot ",
    "Could not materialize checkpoint ",
    "Asynchronous task checkpoint failed",
)
"""Lines of an exception chain during a snapshot. Source: Flink's own log statements (tm.ckpt.*)."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One entry of `vocabulary/fault_origins.yaml`, or one of OWN_CODE and UNKNOWN."""

    id: str
    title: str
    in_chain: tuple[str, ...] = ()
    at_root: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()

    def fits(self, chain: Sequence[str], root: str, frames: Sequence[str]) -> bool:
        """Whether the chain (`class: message` lines), its innermost class or its frames match this origin."""
        if root.startswith(self.at_root) or any(frame.startswith(self.frames) for frame in frames):
            return True
        return any(text in line for line in chain for text in self.in_chain)


@cache
def origins() -> tuple[Origin, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    text = (files("diagnostics.vocabulary") / "fault_origins.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "fault_origins.yaml").content
    return tuple(_origin(name, entry) for name, entry in content.items())


def _origin(name: str, entry: Mapping[str, Any]) -> Origin:
    in_chain, at_root, frames = (tuple(entry.get(told, ())) for told in ("in_chain", "at_root", "frames"))
    refused = telling_texts() if entry.get("outside_refusals") else ()
    return Origin(entry.get("as", name), entry["title"], (*in_chain, *refused), at_root, frames)


@lru_cache(maxsize=4_096)
def origin_of(exception: str, message: str, frame: str | None, thrown_in: str | None, causes: str | None) -> Origin:
    """The origin of a failure.

    exception, message  of the innermost exception
    frame, thrown_in    its top frame, and the first frame that is Flink's own or the user's
    causes              the whole chain, one `class: message` per line
    """
    chain = [*(causes or "").split("\n"), f"{exception}: {message}"]
    frames = [each for each in (frame, thrown_in) if each]
    for each in origins():
        if each.fits(chain, exception, frames):
            return each
    if thrown_in and (is_user_code(thrown_in) or is_generated(thrown_in)):
        return Origin(OWN_CODE, "the job's own code")
    return Origin(UNKNOWN, "unknown")


def is_in_snapshot(causes: str | None) -> bool:
    """Whether the chain shows that the task was taking its snapshot."""
    return any(text in (causes or "") for text in IN_SNAPSHOT)
