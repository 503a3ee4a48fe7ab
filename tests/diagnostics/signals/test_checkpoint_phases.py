"""Where slow checkpoints spend their time."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.checkpoint_phases import measure
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs, needs, only


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


def test_an_upload_dominates_and_late_acknowledgements_show_its_rate() -> None:
    parts = [
        _acknowledged(1, SOURCE, 0, 10, 0, 0, 5),
        _acknowledged(1, SINK, 0, 20, 0, 480, 19_500, 100e6),
        _acknowledged(1, SINK, 1, 20, 0, 500, 20_000, 100e6),
        _acknowledged(2, SOURCE, 0, 10, 0, 0, 5),
        _acknowledged(2, SINK, 0, 20, 0, 80, 49_000, 200e6),
        _acknowledged(2, SINK, 1, 20, 0, 80, 50_000, 200e6),
    ]
    checkpoints = [_checkpoint(1, "COMPLETED", 20_520.0), _checkpoint(2, "FAILED", 30_000.0)]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=checkpoints)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert facts["longest_phase"] == "asynchronous part"
    assert facts["async_share_ratio"] == pytest.approx((20_000 + 50_000) / (20_520 + 50_100))
    assert (facts["reference_id"], facts["async_ms"], facts["sync_ms"]) == (1, 20_000, 500)
    assert facts["upload_bytes_per_s_max"] == 10e6  # 200 MB in 20 s
    assert facts["upload_bytes_per_s_min"] == 8e6  # 400 MB in 50 s
    assert (facts["largest_upload_bytes"], facts["largest_upload_ms"], facts["largest_upload_id"]) == (400e6, 50_100, 2)
    assert (facts["state_vertex"], facts["state_spread_ratio"]) == ("Sink: documents", 1)


def test_the_phases_are_those_of_the_subtask_that_the_chart_of_the_history_draws() -> None:
    """A subtask that began earlier uploads longer and still ends sooner: its phases do not add up to the duration."""
    parts = [_acknowledged(1, SINK, 0, 10, 0, 20, 27_100), _acknowledged(1, SINK, 1, 24, 0, 967, 26_900)]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=[_checkpoint(1, "COMPLETED", 27_891.0)])
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert (facts["async_ms"], facts["sync_ms"], facts["start_delay_ms"]) == (26_900, 967, 24)
    assert (facts["slow_async_ms"], facts["async_subtask"]) == ([26_900], 1)
    assert facts["longest_async_ms"] == 27_100, "what the upload took at most is of any subtask"


def test_barriers_that_wait_and_subtasks_that_never_acknowledged() -> None:
    parts = [
        _acknowledged(1, SOURCE, 0, 5, 0, 0, 1),
        _acknowledged(1, SINK, 0, 24_000, 3000, 0, 0),
        _acknowledged(2, SOURCE, 0, 5, 0, 0, 1),
        _part(2, SINK, 0, status="pending_or_failed"),
        _part(2, SINK, 1, status="pending_or_failed"),
    ]
    checkpoints = [_checkpoint(1, "COMPLETED", 27_000.0), _checkpoint(2, "FAILED", 30_000.0)]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=checkpoints)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert facts["longest_phase"] == "start delay and alignment"
    assert facts["barrier_share_ratio"] == 1
    assert facts["slow_ids"] == [1], "of checkpoint 2 only the source is known, and that was quick"
    assert facts["unacknowledged_vertices"] == ["Sink: documents"]
    assert facts["unacknowledged_subtasks"] == [0, 1]


def test_what_came_after_the_expiry_is_not_acknowledged_in_time_and_says_which_timeout_would_do() -> None:
    parts = [
        *(_acknowledged(2, vertex, 0, 5, 0, 0, 1) for vertex in (SOURCE, MIDDLE)),
        _acknowledged(2, SINK, 0, 5, 0, 0, 1),
        _acknowledged(2, SINK, 1, 149_000, 0, 0, 10),
    ]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=[_checkpoint(2, "FAILED", 60_000.0)])
    facts = only(measure(evidence), "checkpoint_phases").facts

    assert (facts["unacknowledged_id"], facts["unacknowledged_vertices"]) == (2, ["Sink: documents"])
    assert (facts["unacknowledged_count"], facts["acknowledged_count"]) == (1, 3)
    assert (facts["late_complete_id"], facts["late_complete_ms"]) == (2, 149_010)

    of_two_tasks = hand_made(
        **line_of_jobs(), subtask_checkpoint=parts[1:], checkpoint=[_checkpoint(2, "FAILED", 60_000.0)]
    )
    assert "late_complete_ms" not in only(measure(of_two_tasks), "checkpoint_phases").facts


def test_the_start_delay_that_explains_expired_checkpoints_is_one_of_theirs() -> None:
    parts = [_acknowledged(1, SINK, 0, 34_000, 0, 5, 5), _acknowledged(2, SINK, 0, 148_000, 0, 5, 5)]
    checkpoints = [_checkpoint(1, "COMPLETED", 34_010.0), _checkpoint(2, "FAILED", 30_000.0)]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=checkpoints)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert (facts["longest_delay_ms"], facts["longest_delay_id"], facts["reference_id"]) == (148_000, 2, 1)
    assert (facts["longest_delay_vertex"], facts["longest_delay_at_source"]) == ("Sink: documents", False)


def test_the_longest_asynchronous_part_is_of_the_expired_checkpoints_too() -> None:
    """It was that of the slowest completed one, 1 ms, beside a line of evidence of 3 ms in the expired one."""
    parts = [
        _acknowledged(2, SINK, 0, 29_500, 0, 0, 1),
        _acknowledged(4, SOURCE, 0, 10, 0, 0, 3),
        _part(4, SINK, 0, status="pending_or_failed"),
    ]
    checkpoints = [_checkpoint(2, "COMPLETED", 29_620.0), _checkpoint(4, "FAILED", 60_000.0)]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=checkpoints)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert (facts["slow_ids"], facts["longest_async_ms"]) == ([2], 3)


def test_a_source_that_is_late_waits_for_no_barrier() -> None:
    """Its trigger is a message; a thread that cannot emit holds the checkpoint lock, and none is taken."""
    parts = [_acknowledged(4, SOURCE, 1, 42_764, 0, 0, 0), _part(4, SINK, 0, status="pending_or_failed")]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=[_checkpoint(4, "FAILED", 60_000.0)])
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert (facts["longest_delay_ms"], facts["longest_delay_at_source"]) == (42_764, True)


def test_a_late_source_is_told_where_the_longest_wait_is_behind_it() -> None:
    parts = [_acknowledged(4, SOURCE, 1, 39_046, 0, 0, 0), _acknowledged(4, SINK, 0, 149_000, 0, 5, 5)]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=[_checkpoint(4, "FAILED", 60_000.0)])
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert (facts["longest_delay_ms"], facts["longest_delay_at_source"]) == (149_000, False)
    assert (facts["source_delay_ms"], facts["source_delay_id"], facts["source_delay_vertex"]) == (
        39_046,
        4,
        "Source: orders",
    )


def test_the_longest_wait_for_a_barrier_is_of_no_source_and_of_any_slow_checkpoint() -> None:
    """Checkpoint 1 completed, all acknowledged 2 after it had expired, of 3 the source reacted and nothing followed."""
    parts = [
        *(_acknowledged(1, SOURCE, 0, 30, 0, 0, 0), _acknowledged(1, SINK, 1, 34_000, 0, 0, 10)),
        *(_acknowledged(2, SOURCE, 0, 130, 0, 0, 0), _acknowledged(2, SINK, 0, 149_000, 0, 0, 10)),
        *(_acknowledged(3, SOURCE, 0, 159_000, 0, 0, 0), _part(3, SINK, 0, status="pending_or_failed")),
    ]
    checkpoints = [_checkpoint(1, "COMPLETED", 34_010.0), *(_checkpoint(each, "FAILED", 60_000.0) for each in (2, 3))]
    facts = only(
        measure(hand_made(**line_of_jobs(), subtask_checkpoint=parts, checkpoint=checkpoints)), "checkpoint_phases"
    ).facts
    barrier = [facts[f"barrier_delay_{each}"] for each in ("ms", "id", "vertex", "subtask")]
    assert barrier == [149_000, 2, "Sink: documents", 0]
    source = [facts[f"source_delay_{each}"] for each in ("ms", "id", "least_ms", "lasted_ms")]
    assert source == [159_000, 3, 30, 159_000]
    assert facts["longest_ms"] == 159_000

    only_sources = hand_made(**line_of_jobs(), subtask_checkpoint=[*parts[:2], *parts[4:]], checkpoint=checkpoints)
    facts = only(measure(only_sources), "checkpoint_phases").facts
    assert (facts["barrier_delay_ms"], facts["barrier_delay_id"]) == (34_000, 1), "none of those that expired shows one"


def test_of_two_answers_about_a_subtask_the_acknowledged_one_counts() -> None:
    parts = [
        _part(1, SINK, 0, status="pending_or_failed") | {"ts_ms": START + 9_000},
        _acknowledged(1, SINK, 0, 0, 0, 0, 4000, 10e6),
    ]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=parts)
    facts = only(measure(evidence), "checkpoint_phases").facts
    assert (facts["async_ms"], facts["upload_bytes_per_s_max"]) == (4000, 2.5e6)


def test_nothing_is_measured_without_subtask_details() -> None:
    evidence = hand_made(**line_of_jobs(), checkpoint=[_checkpoint(1, "COMPLETED", 27_000.0)])
    assert needs(measure(evidence)) == {"checkpoint_phases": "checkpoint-details"}


def _debug(second: float, event: str, message: str, **columns: Any) -> dict[str, Any]:
    at = {"ts_ms": START + int(second * 1000), "level": "DEBUG", "process": "taskmanager", "event": event}
    return {**at, "message": message, **columns}


def _logged(subtask: int, number: int, second: float, sync: float, async_: float) -> list[dict[str, Any]]:
    of_task = {"vertex": "enrich", "subtask": subtask, "checkpoint_id": number}
    synchronous = (
        f"enrich ({subtask + 1}/2)#0 - finished synchronous part of checkpoint {number}. Alignment duration: 40 ms"
    )
    return [
        _debug(second, "tm.ckpt.sync.done", synchronous, duration_ms=sync, **of_task),
        _debug(second + async_ / 1000, "tm.ckpt.async.done", "finished", duration_ms=async_, **of_task),
    ]


def test_phases_and_silent_subtasks_are_rebuilt_from_logs_alone() -> None:
    def coordinator_record(second: float, event: str, message: str, number: int, **rest: Any) -> dict[str, Any]:
        told = _debug(second, event, message, job_id=JOB, checkpoint_id=number, **rest)
        return {**told, "process": "jobmanager", "level": "INFO"}

    log = [
        coordinator_record(0, "jm.ckpt.trigger", "Triggering checkpoint 1", 1),
        *_logged(0, 1, 0.2, 60, 700),
        *_logged(1, 1, 0.2, 60, 9_000),
        coordinator_record(9.4, "jm.ckpt.completed", "Completed checkpoint 1", 1, duration_ms=9_400.0),
        coordinator_record(20, "jm.ckpt.trigger", "Triggering checkpoint 2", 2),
        *_logged(0, 2, 20.2, 60, 700),
        coordinator_record(30, "jm.ckpt.expired", "Checkpoint 2 expired before completing.", 2),
    ]
    facts = only(measure(hand_made(log_record=log)), "checkpoint_phases").facts
    assert (facts["longest_phase"], facts["slowest_subtask"]) == ("asynchronous part", 1)
    assert facts["async_share_ratio"] == pytest.approx(9_000 / 9_200)
    assert (facts["unacknowledged_id"], facts["unacknowledged_vertices"]) == (2, ["enrich"])
