"""Memory in use, CPU load, and what the sources emit."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import cpu_load, memory_use, throughput
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, line_of_jobs, needs, only


def samples(metric: str, values: list[float], **rest: Any) -> list[dict[str, Any]]:
    return [
        {"metric": metric, "ts_ms": START + moment * 5_000, "value": value, **rest}
        for moment, value in enumerate(values)
    ]


def test_use_of_heap_and_metaspace_is_set_against_their_limits() -> None:
    rows = [
        *samples("Status.JVM.Memory.Heap.Used", [50.0, 60, 70, 80, 90, 90, 95, 95], task_manager="tm_1"),
        *samples("Status.JVM.Memory.Heap.Max", [100.0] * 8, task_manager="tm_1"),
        *samples("Status.JVM.Memory.Metaspace.Used", [93.0] * 8, task_manager="tm_1"),
        *samples("Status.JVM.Memory.Metaspace.Max", [100.0] * 8, task_manager="tm_1"),
    ]
    told = [
        {"task_manager": "tm-1", "ts_ms": START, "heap_max_bytes": 100.0, "heap_used_bytes": 40.0, "cpu_cores": 2.0}
    ]
    signal = only(memory_use.measure(hand_made(metric_sample=rows, task_manager=told)), "memory_use")
    assert (signal.subject.task_manager, signal.facts["role"]) == ("tm-1", "taskmanager")
    assert (signal.facts["heap_used_ratio"], signal.facts["metaspace_used_ratio"]) == (0.95, 0.93)
    assert signal.facts["heap_growth_bytes"] == 95 - 50
    assert signal.facts["cpu_cores"] == 2


def test_of_several_answers_the_newest_counts_and_of_the_same_time_the_one_in_the_last_file() -> None:
    first = {"task_manager": "tm-1", "ts_ms": START, "heap_max_bytes": 100.0, "heap_used_bytes": 10.0}
    told = [{**first, "file_id": 2, "heap_used_bytes": 30.0}, {**first, "file_id": 1, "heap_used_bytes": 20.0}]
    older = {**first, "file_id": 3, "ts_ms": START - 1}
    signal = only(memory_use.measure(hand_made(task_manager=[*told, first, older])), "memory_use")
    assert (signal.facts["heap_used_last_bytes"], signal.citations[0].file_id) == (30.0, 2)


def test_the_busiest_task_manager_shows_the_cpu_load() -> None:
    rows = [
        *samples("Status.JVM.CPU.Load", [0.1] * 6, task_manager="tm-1"),
        *samples("Status.JVM.CPU.Load", [0.95] * 6, task_manager="tm-2"),
    ]
    facts = only(cpu_load.measure(hand_made(metric_sample=rows)), "cpu_load").facts
    assert (facts["task_manager"], facts["median_ratio"]) == ("tm-2", 0.95)


def test_without_a_counter_of_cpu_time_cores_in_use_follow_from_the_cores_that_the_process_sees() -> None:
    rows = samples("Status.JVM.CPU.Load", [0.35] * 6, task_manager="tm-1")
    seen = [{"task_manager": "tm-1", "ts_ms": START, "cpu_cores": 16.0}]
    facts = only(cpu_load.measure(hand_made(metric_sample=rows, task_manager=seen)), "cpu_load").facts
    assert facts["cores_used"] == pytest.approx(5.6)
    assert "cores_used" not in only(cpu_load.measure(hand_made(metric_sample=rows)), "cpu_load").facts


def test_cores_in_use_are_the_growth_of_cpu_time() -> None:
    course = [moment * 9.5e9 for moment in range(6)]  # 9.5 s of CPU in each 5 s
    rows = [
        *samples("Status.JVM.CPU.Load", [0.1] * 6, task_manager="tm-1"),
        *samples("Status.JVM.CPU.Time", course, task_manager="tm-1"),
    ]
    facts = only(cpu_load.measure(hand_made(metric_sample=rows)), "cpu_load").facts
    assert facts["cores_used"] == pytest.approx(1.9)


def test_busy_subtasks_that_use_no_cpu_wait() -> None:
    rows = samples("Status.JVM.CPU.Load", [0.05] * 5, task_manager="tm-1")
    rows += samples("Status.JVM.CPU.Time", [step * 1e9 for step in range(5)], task_manager="tm-1")  # 0.2 cores
    place = {"scope": "task", "job_id": "a", "vertex_id": "b", "vertex": "sink"}
    for subtask in (0, 1):
        rows += samples("busyTimeMsPerSecond", [1000.0] * 5, **place, subtask=subtask)
    facts = only(cpu_load.measure(hand_made(metric_sample=rows)), "cpu_load").facts
    assert facts["cpu_to_busy_ratio"] == pytest.approx(0.1)


def test_what_a_process_may_use_follows_from_what_it_uses_and_its_load() -> None:
    """A quarter of a core in use is all of it: a limit of the container, since no host has less than a core."""
    rows = samples("Status.JVM.CPU.Load", [1.0] * 5, task_manager="tm-1")
    rows += samples("Status.JVM.CPU.Time", [step * 1.25e9 for step in range(5)], task_manager="tm-1")
    facts = only(cpu_load.measure(hand_made(metric_sample=rows)), "cpu_load").facts
    assert facts["allowed_cores"] == pytest.approx(0.25)


@pytest.mark.parametrize(("cores", "most"), [(1.0, 0.5), (4.0, 2.0), (None, None)])
def test_a_single_look_bounds_the_cores_of_busy_subtasks(cores: float | None, most: float | None) -> None:
    """As REST answers: one value of the load, and the cores that the JVM sees."""
    rows = samples("Status.JVM.CPU.Load", [1.0], task_manager="tm-1")
    place = {"scope": "task", "job_id": "a", "vertex_id": "b", "vertex": "sign"}
    for subtask in (0, 1):
        rows += samples("busyTimeMsPerSecond", [1000.0], **place, subtask=subtask)
    seen = [{"ts_ms": START, "task_manager": "tm-1", "cpu_cores": cores}]
    facts = only(cpu_load.measure(hand_made(metric_sample=rows, task_manager=seen)), "cpu_load").facts
    assert (facts["latest_ratio"], facts.get("most_cpu_to_busy_ratio")) == (1.0, most)
    assert "median_ratio" not in facts


def test_what_was_held_back_at_a_checkpoint_and_at_the_end_is_what_came_less_what_was_emitted() -> None:
    """3,000/s come; of 90,000 in the 30 s to the trigger 46,000 were emitted, of 105,000 to the end 52,000."""
    place = {"job_id": JOB, "vertex_id": SOURCE, "subtask": 0}
    rows = [
        *samples("numRecordsOut", [0.0, 15_000, 30_000, 43_000, 43_000, 45_000, 47_000, 52_000], **place),
        *samples("backPressuredTimeMsPerSecond", [0.0, 0, 0, 0, 540, 1000, 900, 1000], **place),
    ]
    begun = rows[0]["ts_ms"]
    taken = {
        "job_id": JOB,
        "checkpoint_id": 1,
        "status": "COMPLETED",
        "trigger_ms": begun + 27_500,
        "duration_ms": 900.0,
    }
    evidence = hand_made(**line_of_jobs(), metric_sample=rows, checkpoint=[taken])
    facts = only(throughput.measure(evidence), "throughput").facts
    assert (facts["held_at_checkpoint"], facts["held_at_end"]) == (82_500 - 46_000, 105_000 - 52_000)


def test_a_drop_of_what_the_sources_emit_is_found() -> None:
    course = [0.0]
    for moment in range(24):
        course.append(course[-1] + 5 * (1000 if moment < 10 else 750))
    rows = [
        row
        for subtask in (0, 1)
        for row in samples("numRecordsOut", course, job_id=JOB, vertex_id=SOURCE, subtask=subtask)
    ]
    facts = only(throughput.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "throughput").facts
    assert (facts["before_per_s"], facts["after_per_s"], facts["change_ratio"]) == (2000, 1500, 0.75)


def test_what_the_source_emitted_since_the_last_checkpoint_is_counted_from_its_trigger() -> None:
    """1,000/s until back pressure came, 200/s since: the checkpoint was triggered 15 s before the end."""
    course = [5_000.0 * moment for moment in range(9)] + [40_000.0 + 1_000 * moment for moment in range(1, 9)]
    rows = samples("numRecordsOut", course, job_id=JOB, vertex_id=SOURCE, subtask=0)
    taken = {
        "job_id": JOB,
        "checkpoint_id": 1,
        "status": "COMPLETED",
        "trigger_ms": START + 64_000,
        "duration_ms": 900.0,
    }
    evidence = hand_made(**line_of_jobs(), metric_sample=rows, checkpoint=[taken])
    assert only(throughput.measure(evidence), "throughput").facts["since_checkpoint_per_s"] == 200


def test_what_comes_is_the_rate_before_the_source_was_held_back() -> None:
    """Back pressure began in the third interval, and Flink shows it 5 s later: only the first two are free."""
    place = {"job_id": JOB, "vertex_id": SOURCE, "subtask": 0}
    rows = [
        *samples("numRecordsOut", [0.0, 15_000, 30_000, 43_000, 43_000, 46_000, 49_000, 52_000], **place),
        *samples("backPressuredTimeMsPerSecond", [0.0, 0, 0, 0, 540, 1000, 900, 1000], **place),
    ]
    evidence = hand_made(**line_of_jobs(), metric_sample=rows)
    assert only(throughput.measure(evidence), "throughput").facts["unheld_per_s"] == 3000
    always = [*rows[:8], *samples("backPressuredTimeMsPerSecond", [900.0] * 8, **place)]
    held = hand_made(**line_of_jobs(), metric_sample=always)
    assert "unheld_per_s" not in only(throughput.measure(held), "throughput").facts, "at least what was emitted"


def test_the_rate_of_sources_that_stopped_is_that_of_the_time_in_which_they_emitted() -> None:
    """20 s at 1,000/s, then a TaskManager is lost: what comes while nothing runs comes as fast."""
    course = [5_000.0 * min(moment, 4) for moment in range(9)]
    rows = samples("numRecordsOut", course, job_id=JOB, vertex_id=SOURCE, subtask=0)
    facts = only(throughput.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "throughput").facts
    assert facts["emitting_per_s"] == 1_000


def test_a_source_that_gets_its_records_in_batches_is_reported_with_their_rhythm() -> None:
    course = [500.0 * (moment // 2 + 1) for moment in range(13)]  # a batch each 10 s, a look each 5 s
    rows = samples("numRecordsOut", course, job_id=JOB, vertex_id=SOURCE, subtask=0)
    facts = only(throughput.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "throughput").facts
    assert (facts["bursts"], facts["burst_interval_ms"], facts["still_ratio"]) == (6, 10_000, 0.5)


def test_without_metrics_nothing_is_measured() -> None:
    empty = hand_made()
    assert needs(memory_use.measure(empty)) == {"memory_use": "metric-scrapes"}
    assert needs(cpu_load.measure(empty)) == {"cpu_load": "metric-scrapes"}
    assert needs(throughput.measure(empty)) == {"throughput": "metric-scrapes"}
