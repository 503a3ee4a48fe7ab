"""Words for the phases and the outcomes of a checkpoint, with Flink's names."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.language import say, to_say

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
