"""What alerts watch, as Flink reported it: also what does not vary, and what began again."""

from __future__ import annotations

from typing import Any

from diagnostics.reconstruction.load.watched_metrics import watched_metrics
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, line_of_jobs

SLOT = 5_000


def rows(metric: str, *values: float, **place: Any) -> list[dict[str, Any]]:
    return [
        {"metric": metric, "ts_ms": START + SLOT * slot, "value": value, **place} for slot, value in enumerate(values)
    ]


def watched(*found: list[dict[str, Any]]) -> dict[tuple[str, str | None], list[float | None]]:
    samples = [row for each in found for row in each]
    slots = max(len(each) for each in found)
    read = watched_metrics(hand_made(metric_sample=samples, **line_of_jobs()), START, SLOT, slots)
    return {(each["metric"], each["vertex"] or each["task_manager"]): each["values"] for each in read}


def test_a_count_of_the_jobmanager_is_as_it_was_read_also_after_it_began_again() -> None:
    counted = rows("numberOfCompletedCheckpoints", 14, 15, 0, 1, scope="job", job_id=JOB)
    assert watched(counted) == {("numberOfCompletedCheckpoints", None): [14, 15, 0, 1]}


def test_a_heap_that_never_changes_its_size_is_kept() -> None:
    size = rows("Status.JVM.Memory.Heap.Max", 7, 7, 7, scope="taskmanager", task_manager="tm-1")
    assert watched(size) == {("Status.JVM.Memory.Heap.Max", "tm-1"): [7, 7, 7]}


def test_the_load_of_a_task_is_its_gauge_and_not_what_its_counter_shows() -> None:
    """Flink's gauge is a mean of 60 s; other questions are answered by the counter of the same time."""
    task = {"scope": "task", "job_id": JOB, "vertex_id": MIDDLE, "vertex": "enrich"}
    found = [
        rows("backPressuredTimeMsPerSecond", 83, 167, 250, **task, subtask=0),
        rows("backPressuredTimeMsPerSecond", 0, 0, 300, **task, subtask=1),
        rows("accumulateBackPressuredTimeMs", 5_000, 10_000, 15_000, **task, subtask=0),
    ]
    assert watched(*found) == {("backPressuredTimeMsPerSecond", "enrich"): [83, 167, 300]}


def test_counts_of_subtasks_are_added_and_of_watermarks_the_lowest_lead_counts() -> None:
    task = {"scope": "task", "job_id": JOB, "vertex_id": MIDDLE, "vertex": "enrich"}
    ahead = [
        rows("currentInputWatermark", *(START + SLOT * slot + lead for slot in range(2)), **task, subtask=subtask)
        for subtask, lead in ((0, 39_000), (1, 34_000))
    ]
    late = [
        rows("numLateRecordsDropped", *values, **task, operator="enrich", subtask=subtask)
        for subtask, values in ((0, (1, 5)), (1, (2, 9)))
    ]
    assert watched(*ahead, *late) == {
        ("currentInputWatermark", "enrich"): [34_000, 34_000],
        ("numLateRecordsDropped", "enrich"): [3, 14],
    }


def test_rates_of_subtasks_are_kept_each_and_of_a_task_with_too_many_none() -> None:
    def of(subtasks: int) -> list[tuple[int | None, list[float | None]]]:
        task = {"scope": "task", "job_id": JOB, "vertex_id": MIDDLE, "vertex": "enrich"}
        found = [rows("numRecordsInPerSecond", 0, 50 + one, **task, subtask=one) for one in range(subtasks)]
        samples = [row for each in found for row in each]
        read = watched_metrics(hand_made(metric_sample=samples, **line_of_jobs()), START, SLOT, 2)
        return [(each["subtask"], each["values"]) for each in read]

    assert of(2) == [(0, [0, 50]), (1, [0, 51])]
    assert of(65) == []
