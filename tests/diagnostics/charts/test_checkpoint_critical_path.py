"""Actual against ideal time of checkpoints: the parts, their sum, and the subtasks that they belong to."""

from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.checkpoint_critical_path import CHART
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs


def part(vertex: str, subtask: int, number: int = 7, *, ends_ms: float | None, **phases: float) -> dict[str, Any]:
    ack = {} if ends_ms is None else {"ack_ms": START + round(ends_ms), "end_to_end_ms": ends_ms}
    place = {"job_id": JOB, "checkpoint_id": number, "vertex_id": vertex, "subtask": subtask}
    return {**place, **ack, **{f"{name}_ms": value for name, value in phases.items()}}


def checkpoint(number: int = 7) -> list[dict[str, Any]]:
    """The middle task does 2 s and 6 s of work; the sink ends last, after 10 s, because its barrier comes late."""
    return [
        part(SOURCE, 0, number, ends_ms=120.0, start_delay=0.0, sync=20.0, **{"async": 80.0}),
        part(MIDDLE, 0, number, ends_ms=2500.0, start_delay=300.0, alignment=100.0, sync=500.0, **{"async": 1500.0}),
        part(MIDDLE, 1, number, ends_ms=6500.0, start_delay=300.0, alignment=100.0, sync=500.0, **{"async": 5500.0}),
        part(SINK, 0, number, ends_ms=10_000.0, start_delay=9000.0, alignment=900.0, sync=50.0, **{"async": 50.0}),
    ]


def test_the_parts_are_even_work_uneven_work_and_waiting_and_add_up_to_the_actual_time() -> None:
    """Even work is the mean of 2 s and 6 s, the slowest subtask has 2 s more, and 10 s less its 6 s is waiting."""
    points = CHART.points(hand_made(**line_of_jobs(), subtask_checkpoint=checkpoint()))

    assert points is not None
    (told,) = points["jobs"][0]["checkpoints"]
    assert (told["balanced_ms"], told["imbalance_ms"], told["waiting_ms"]) == (4000.0, 2000.0, 4000.0)
    assert told["actual_ms"] == 10_000.0
    assert told["most_work"] == {"task": "enrich", "subtask": 1}
    assert (told["last"]["task"], told["last"]["subtask"]) == ("Sink: documents", 0)
    bars = CHART.figure(points, Theme("light"))["data"]
    assert [trace["x"][0] for trace in bars] == [4.0, 2.0, 4.0]


def test_the_summary_states_ideal_and_actual_time_and_whom_the_difference_belongs_to() -> None:
    rows = [row for number in range(4, 9) for row in checkpoint(number)]
    points = CHART.points(hand_made(**line_of_jobs(), subtask_checkpoint=rows))

    assert points is not None
    assert CHART.summary(points) == (
        "The 5 checkpoints with the details of every subtask take 10 s in the median; their work, evenly spread and "
        "without waiting, takes 4 s. "
        "Checkpoint 8 took 10 s. The work of the snapshot, evenly spread, takes 4 s (40 %). "
        "Subtask 1 of enrich works 2 s (20 %) longer than its task's mean. "
        "Barriers and messages wait 4 s (40 %) until subtask 0 of Sink: documents ends."
    )


def test_a_checkpoint_that_a_subtask_never_acknowledged_has_no_ideal_time() -> None:
    rows = [*checkpoint(), part(SINK, 1, ends_ms=None, start_delay=9000.0)]

    assert CHART.points(hand_made(**line_of_jobs(), subtask_checkpoint=rows)) is None


def test_work_without_waiting_is_all_ideal() -> None:
    """Near miss: a slow upload that all subtasks share equally is not uneven and waits for nothing."""
    rows = [part(MIDDLE, place, ends_ms=30_000.0, sync=0.0, **{"async": 30_000.0}) for place in range(2)]
    points = CHART.points(hand_made(**line_of_jobs(), subtask_checkpoint=rows))

    assert points is not None
    assert CHART.summary(points) == (
        "Checkpoint 7 took 30 s. The work of the snapshot, evenly spread, takes 30 s (100 %)."
    )


def test_braces_in_the_name_of_a_task_are_text() -> None:
    """A name comes from outside and is never a format."""
    jobs = line_of_jobs()
    for row in jobs["vertex"]:
        row["name"] = f"{row['name']} {{91*1009}}"
    points = CHART.points(hand_made(**jobs, subtask_checkpoint=checkpoint()))
    assert points is not None
    assert "{91*1009}" in CHART.summary(points)
