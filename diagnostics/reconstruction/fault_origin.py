"""Where a failure comes from: memory, network, storage, restored state, class loading, a record, the job's own code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml

OWN_CODE = "own_code"
UNKNOWN = "unknown"

IN_SNAPSHOT = (
    "Could not perform checkpoint ",
    "Could not complete snapshot ",
    "Could not materialize checkpoint ",
    "Asynchronous task checkpoint failed",
)
"""Lines of a chain that tell that a task was taking its snapshot. Source: reference/log-signals.csv (tm.ckpt.*)."""

GENERATED = ("StreamExec", "BatchExec", "ProcTime", "LocalWindow", "GlobalWindow", "GroupAggs", "JoinCondition")
"""How the classes begin that Flink SQL generates; they have no package."""


@dataclass(frozen=True, slots=True)
class Origin:
    """One entry of `vocabulary/fault_origins.yaml`, or one of OWN_CODE and UNKNOWN."""

    id: str
    title: str
    in_chain: tuple[str, ...] = ()
    at_root: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()

    def fits(self, chain: Sequence[str], root: str, frame: str) -> bool:
        """Whether the chain (`class: message` lines), its innermost class or that one's top frame tell it."""
        if root.startswith(self.at_root) or frame.startswith(self.frames):
            return True
        return any(text in line for line in chain for text in self.in_chain)


@cache
def origins() -> tuple[Origin, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is not as expected."""
    text = (files("diagnostics.vocabulary") / "fault_origins.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "fault_origins.yaml").content
    return tuple(
        Origin(name, entry["title"], *(tuple(entry.get(told, ())) for told in ("in_chain", "at_root", "frames")))
        for name, entry in content.items()
    )


@lru_cache(maxsize=4_096)
def origin_of(exception: str, message: str, frame: str | None, user_frame: str | None, causes: str | None) -> Origin:
    """The origin of a failure.

    exception, message  of the innermost exception
    frame, user_frame   its top frame, and the first frame of the job's own code in the chain
    causes              the whole chain, one `class: message` a line
    """
    chain = [*(causes or "").split("\n"), f"{exception}: {message}"]
    for each in origins():
        if each.fits(chain, exception, frame or ""):
            return each
    if user_frame or is_generated(frame):
        return Origin(OWN_CODE, "the job's own code")
    return Origin(UNKNOWN, "unknown")


def is_generated(frame: str | None) -> bool:
    """Whether a frame is of a class that Flink SQL generated for the job."""
    return frame is not None and frame.startswith(GENERATED)


def is_in_snapshot(causes: str | None) -> bool:
    """Whether the chain tells that the task was taking its snapshot."""
    return any(text in (causes or "") for text in IN_SNAPSHOT)
