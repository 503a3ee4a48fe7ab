"""Where slow checkpoints spend their time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.signals.checkpoint_phases import measure
from tests.diagnostics.hand_made import JOB, SINK, SOURCE, START, hand_made, line_of_jobs, needs, only

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _part(number: int, vertex: str, subtask: int, **columns: Any) -> dict[str, Any]:
    return {"job_id": JOB, "checkpoint_id": number, "vertex_id": vertex, "subtask": subtask, "ts_ms": START, **columns}


def _acknowledged(
    number: int, vertex: str, subtask: int, start: float, align: float, sync: float, async_: float, size: float = 0.0
) -> dict[str, Any]:
    return _part(
        number,
        vertex,
        subtask,
        status="completed",
        ack_ms=START + 1,
        end_to_end_ms=start + align + sync + async_,
        start_delay_ms=start,
        alignment_ms=align,
        sync_ms=sync,
        async_ms=async_,
        state_bytes=size,
        checkpointed_bytes=size,
    )


def _checkpoint(number: int, status: str, ms: float) -> dict[str, Any]:
    reason = "Checkpoint expired before completing." if status == "FAILED" else None
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": status,
        "end_to_end_ms": ms,
        "trigger_ms": START,
        "failure_message": reason,
    }


def test_an_upload_dominates_and_late_acknowledgements_tell_its_rate(spark: SparkSession) -> None:
    parts = [
        _acknowledged(1, SOURCE, 0, 10, 0, 0, 5),
        _acknowledged(1, SINK, 0, 20, 0, 480, 19_500, 100e6),
        _acknowledged(1, SINK, 1, 20, 0, 500, 20_000, 100e6),
        _acknowledged(2, SOURCE, 0, 10, 0, 0, 5),
        _acknowledged(2, SINK, 0, 20, 0, 80, 49_000, 200e6),
        _acknowledged(2, SINK, 1, 20, 0, 80, 50_000, 200e6),
    ]
    checkpoints = [_checkpoint(1, "COMPLETED", 20_520.0), _checkpoint(2, "FAILED", 30_000.0)]
    evidence = hand_made(spark, **line_of_jobs(), subtask_checkpoint=parts, checkpoint=checkpoints)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert facts["longest_phase"] == "asynchronous part"
    assert facts["async_share_ratio"] == pytest.approx((20_000 + 50_000) / (20_520 + 50_100))
    assert (facts["reference_id"], facts["async_ms"], facts["sync_ms"]) == (1, 20_000, 500)
    assert facts["upload_bytes_per_s_max"] == 10e6  # 200 MB in 20 s
    assert facts["upload_bytes_per_s_min"] == 8e6  # 400 MB in 50 s
    assert (facts["state_vertex"], facts["state_spread_ratio"]) == ("Sink: documents", 1)


def test_barriers_that_wait_and_subtasks_that_never_acknowledged(spark: SparkSession) -> None:
    parts = [
        _acknowledged(1, SOURCE, 0, 5, 0, 0, 1),
        _acknowledged(1, SINK, 0, 24_000, 3000, 0, 0),
        _acknowledged(2, SOURCE, 0, 5, 0, 0, 1),
        _part(2, SINK, 0, status="pending_or_failed"),
        _part(2, SINK, 1, status="pending_or_failed"),
    ]
    checkpoints = [_checkpoint(1, "COMPLETED", 27_000.0), _checkpoint(2, "FAILED", 30_000.0)]
    evidence = hand_made(spark, **line_of_jobs(), subtask_checkpoint=parts, checkpoint=checkpoints)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert facts["longest_phase"] == "start delay and alignment"
    assert facts["barrier_share_ratio"] == 1
    assert facts["slow_ids"] == [1], "of checkpoint 2 only the source is known, and that was quick"
    assert facts["unacknowledged_vertices"] == ["Sink: documents"]
    assert facts["unacknowledged_subtasks"] == [0, 1]


def test_of_two_answers_about_a_subtask_the_acknowledged_one_counts(spark: SparkSession) -> None:
    parts = [
        _part(1, SINK, 0, status="pending_or_failed") | {"ts_ms": START + 9_000},
        _acknowledged(1, SINK, 0, 0, 0, 0, 4000, 10e6),
    ]
    evidence = hand_made(spark, **line_of_jobs(), subtask_checkpoint=parts)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert (facts["async_ms"], facts["upload_bytes_per_s_max"]) == (4000, 2.5e6)


def test_nothing_is_measured_without_subtask_details(spark: SparkSession) -> None:
    evidence = hand_made(spark, **line_of_jobs(), checkpoint=[_checkpoint(1, "COMPLETED", 27_000.0)])
    assert needs(measure(evidence)) == {"checkpoint_phases": "checkpoint-details"}
