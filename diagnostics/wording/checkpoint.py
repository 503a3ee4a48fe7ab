"""Words for the phases and the outcomes of a checkpoint, with Flink's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.language import say, say_counted, to_say
from diagnostics.wording.phrase import duration, enumeration

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
    "aborted": to_say("aborted with the job"),
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


def outcomes_in_words(statuses: Sequence[str], *, is_all_well: bool) -> str:
    """How many checkpoints ended in which way, from the status of each."""
    if is_all_well:
        return say_counted(
            "{count} checkpoint, none failed or expired.",
            "{count} checkpoints, none failed or expired.",
            len(statuses),
        )
    counted = Counter(statuses).most_common()
    parts = [say("{count} {status}", count=count, status=status_words(status)) for status, count in counted]
    return say_counted(
        "{count} checkpoint: {parts}.", "{count} checkpoints: {parts}.", len(statuses), parts=enumeration(parts)
    )


def refused_in_words(refused: int) -> str:
    """Triggers that started no checkpoint, which Flink's page has in its count of failures; empty without any."""
    if not refused:
        return ""
    return say_counted(
        "Flink also counts {count} trigger as failed that was refused before a checkpoint began.",
        "Flink also counts {count} triggers as failed that were refused before a checkpoint began.",
        refused,
    )
