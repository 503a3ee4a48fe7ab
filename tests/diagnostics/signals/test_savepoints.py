"""Savepoints are compared with the checkpoints of their job."""

from __future__ import annotations

from diagnostics.signals.savepoints import measure
from tests.diagnostics.hand_made import hand_made, only

JOB = "0000000000000000000000000000000a"
START = 1_795_600_800_000


def row(number: int, took_ms: int, status: str = "COMPLETED", **other: object) -> dict[str, object]:
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": status,
        "is_savepoint": False,
        "trigger_ms": START + number * 60_000,
        "end_to_end_ms": float(took_ms),
        **other,
    }


def test_a_savepoint_is_compared_with_the_usual_checkpoint() -> None:
    rows = [row(1, 8_000), row(2, 9_000), row(3, 8_000), row(4, 1_800_000, is_savepoint=True)]

    facts = only(measure(hand_made(checkpoint=rows)), "savepoints").facts

    assert facts["slowest_ms"] == 1_800_000
    assert facts["slower_ratio"] == 225
    assert facts["expired"] == 0


def test_a_savepoint_that_expired_counts() -> None:
    gone = row(2, 600_000, "FAILED", is_savepoint=True, failure_message="Checkpoint expired before completing.")

    assert only(measure(hand_made(checkpoint=[row(1, 8_000), gone])), "savepoints").facts["expired_id"] == 2


def test_checkpoints_alone_are_no_savepoints() -> None:
    assert [each for each in measure(hand_made(checkpoint=[row(1, 8_000)])) if hasattr(each, "facts")] == []
