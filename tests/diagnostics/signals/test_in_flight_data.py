"""In-flight data from the sizes of queues, and from what passed during the alignment."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.in_flight_data import measure
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs, needs, only

MB = 1e6
INPUT, OUTPUT = "buffers.inputQueueSize", "buffers.outputQueueSize"


def queue(metric: str, vertex: str, subtask: int, *megabytes: float) -> list[dict[str, Any]]:
    """Its size every ten seconds."""
    about = {"metric": metric, "job_id": JOB, "vertex_id": vertex, "subtask": subtask, "scope": "task"}
    return [{**about, "ts_ms": START + at * 10_000, "value": size * MB} for at, size in enumerate(megabytes)]


FILLING = [
    *queue(OUTPUT, SOURCE, 0, 0.1, 0.1, 2, 2, 2, 2),
    *queue(OUTPUT, MIDDLE, 0, 0.1, 0.1, 3, 3, 3, 3),
    *queue(INPUT, SINK, 0, 0.2, 0.2, 4, 5, 4, 4),
]


def completed(number: int, at_s: int, ms: float) -> dict[str, Any]:
    trigger = START + at_s * 1000
    times = {"trigger_ms": trigger, "latest_ack_ms": trigger + round(ms), "end_to_end_ms": ms}
    return {"job_id": JOB, "checkpoint_id": number, "status": "COMPLETED", "is_savepoint": False, **times}


def facts_of(**tables: Any) -> dict[str, Any]:
    return dict(only(measure(hand_made(**line_of_jobs(), **tables)), "in_flight_data").facts)


def test_the_queues_of_all_tasks_are_added_up_at_each_moment() -> None:
    facts = facts_of(metric_sample=FILLING)
    assert (facts["peak_bytes"], facts["peak_ms"]) == (10 * MB, START + 30_000)
    assert (facts["before_bytes"], facts["growth_ratio"]) == (pytest.approx(0.4 * MB), pytest.approx(25))
    assert (facts["filled_ms"], facts["filled_since_ms"]) == (40_000, START + 20_000)


def test_a_backlog_at_the_start_does_not_count_as_before() -> None:
    """Full for one moment, empty for two, then full for three: the second time counts, 0.4 MB were there before."""
    starting = [
        *queue(OUTPUT, SOURCE, 0, 9, 0.2, 0.2, 5, 5, 5),
        *queue(OUTPUT, MIDDLE, 0, 1, 0.1, 0.1, 3, 3, 3),
        *queue(INPUT, SINK, 0, 0, 0.1, 0.1, 2, 1, 2),
    ]
    facts = facts_of(metric_sample=starting)
    assert (facts["filled_since_ms"], facts["filled_ms"]) == (START + 30_000, 30_000)
    assert facts["before_bytes"] == pytest.approx(0.4 * MB)


def test_the_same_gauge_under_two_names_counts_once() -> None:
    newer = [
        {**row, "metric": row["metric"].replace("buffers.input", "Shuffle.Netty.Input.Buffers.input")}
        for row in FILLING
        if row["metric"] == INPUT
    ]
    assert facts_of(metric_sample=[*FILLING, *newer])["peak_bytes"] == 10 * MB


def test_a_moment_at_which_most_queues_are_unknown_is_left_out() -> None:
    late = queue(INPUT, SINK, 0, *[0.2] * 6, 50)[-1:]
    assert facts_of(metric_sample=[*FILLING, *late])["peak_bytes"] == 10 * MB


def test_durations_before_and_while_the_queues_are_filled_are_compared() -> None:
    """6 s before, 24 s while filled: 4 times as long."""
    course = [completed(1, 1, 6_000), completed(2, 11, 6_000), completed(3, 25, 24_000), completed(4, 45, 24_000)]
    facts = facts_of(metric_sample=FILLING, checkpoint=course)
    assert (facts["duration_before_ms"], facts["duration_since_ms"]) == (6_000, 24_000)
    assert facts["duration_ratio"] == 4


def test_the_heap_that_collections_leave_is_the_headroom() -> None:
    heap = [
        {
            "metric": f"Status.JVM.Memory.Heap.{kind}",
            "task_manager": "tm-1",
            "ts_ms": START + at * 10_000,
            "value": value,
        }
        for kind, values in (("Max", [100.0] * 6), ("Used", [30.0, 60.0, 85.0, 92.0, 84.0, 95.0]))
        for at, value in enumerate(values)
    ]
    facts = facts_of(metric_sample=[*FILLING, *heap])
    assert facts["heap_floor_before_ratio"] == pytest.approx(0.3)
    assert (facts["heap_floor_ratio"], facts["heap_free_ratio"]) == (pytest.approx(0.84), pytest.approx(0.16))


def part(subtask: int, start_delay: float, alignment: float, processed: float, **more: Any) -> dict[str, Any]:
    waited = start_delay + alignment
    return {
        "ts_ms": START + 60_000,
        "job_id": JOB,
        "checkpoint_id": 8,
        "vertex_id": SINK,
        "subtask": subtask,
        "ack_ms": START + 30_000,
        "end_to_end_ms": waited,
        "start_delay_ms": start_delay,
        "alignment_ms": alignment,
        "processed_bytes": processed,
        "sync_ms": 0.0,
        "async_ms": 0.0,
        "unaligned": False,
        **more,
    }


def test_what_passed_before_the_last_barrier_is_the_rate_while_aligning_times_the_wait() -> None:
    """0.8 MB in 4 s are 0.2 MB/s; for 24 s: 4.8 MB. 1 MB in 5 s for 25 s: 5 MB."""
    rows = [part(0, 20_000, 4_000, 0.8 * MB), part(1, 20_000, 5_000, 1 * MB)]
    facts = facts_of(subtask_checkpoint=rows, checkpoint=[completed(8, 1, 27_000)])
    assert facts["passed_bytes"] == facts["bytes"] == pytest.approx(9.8 * MB)
    assert facts["waiting_subtasks"] == ["Sink: documents (2)", "Sink: documents (1)"]
    assert (facts["waiting_start_delay_ms"], facts["waiting_alignment_ms"]) == ([20_000, 20_000], [5_000, 4_000])


@pytest.mark.parametrize("second", [part(1, 20_000, 5_000, 0.0), part(1, 20_000, 100, 1 * MB)])
def test_a_subtask_without_a_rate_leaves_what_passed_unknown(second: dict[str, Any]) -> None:
    rows = [part(0, 20_000, 4_000, 0.8 * MB), second]
    assert "passed_bytes" not in facts_of(subtask_checkpoint=rows, checkpoint=[completed(8, 1, 27_000)])


def test_an_unaligned_checkpoint_has_no_wait_to_save() -> None:
    rows = [part(0, 2_000, 0, 0.0, unaligned=True)]
    found = measure(hand_made(**line_of_jobs(), subtask_checkpoint=rows, checkpoint=[completed(8, 1, 2_000)]))
    assert needs(found) == {"in_flight_data": "checkpoint-details"}


def test_queues_that_are_empty_again_for_long_say_when_they_were() -> None:
    drained = [
        *queue(OUTPUT, SOURCE, 0, 0.1, 0.1, 2, 2, 2, 2, 0.1, 0.1, 0.1, 0.1, 0.1),
        *queue(OUTPUT, MIDDLE, 0, 0.1, 0.1, 3, 3, 3, 3, 0.1, 0.1, 0.1, 0.1, 0.1),
    ]
    assert facts_of(metric_sample=drained)["ended_ms"] == START + 60_000
    assert "ended_ms" not in facts_of(metric_sample=FILLING)
