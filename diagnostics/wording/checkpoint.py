"""Words for the phases and the outcomes of a checkpoint, with Flink's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.language import say, to_say
from diagnostics.wording.phrase import duration

PHASES: Mapping[str, str] = {
    "start_delay_ms": to_say("Start delay"),
    "alignment_ms": to_say("Alignment"),
    "sync_ms": to_say("Sync"),
    "async_ms": to_say("Async"),
}
"""Column of a phase -> its name, in their order within a subtask."""

STATUSES: Mapping[str, str] = {
    "completed": to_say("completed"),
    "failed": to_say("failed"),
    "expired": to_say("expired"),
    "declined": to_say("declined"),
    "aborted": to_say("aborted"),
    "in_progress": to_say("in progress"),
    "unknown": to_say("unknown"),
}


def status_words(status: str) -> str:
    """The status of a checkpoint in words; one that Flink added later as it names it."""
    return say(STATUSES[status]) if status in STATUSES else status.replace("_", " ")


def known_phases(subtask: Mapping[str, Any]) -> dict[str, float]:
    """Name of each known phase of a subtask's checkpoint -> its milliseconds."""
    return {label: subtask[phase] for phase, label in PHASES.items() if subtask.get(phase) is not None}


def longest_phase(phases: Mapping[str, float]) -> dict[str, str]:
    """The values `part` and `phase` of a sentence on the longest of `phases`; empty ones without any."""
    if not phases:
        return {"part": "", "phase": ""}
    label = max(phases, key=lambda each: phases[each])
    return {"part": duration(phases[label]), "phase": say(label).lower()}
