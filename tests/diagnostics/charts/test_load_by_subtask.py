from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.load_by_subtask import CHART
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs


def subtask(vertex: str, number: int, read: int | None, written: int | None = 0, attempt: int = 0) -> dict[str, Any]:
    return {
        "job_id": JOB,
        "vertex_id": vertex,
        "subtask": number,
        "attempt": attempt,
        "ts_ms": START,
        "read_records": read,
        "write_records": written,
    }


def test_shares_are_of_the_tasks_own_records_and_sources_count_what_they_send() -> None:
    evidence = hand_made(
        **line_of_jobs(),
        subtask=[
            subtask(SOURCE, 0, 0, 500),
            subtask(SOURCE, 1, 0, 500),
            subtask(MIDDLE, 0, 900),
            subtask(MIDDLE, 1, 100),
            subtask(MIDDLE, 1, 5, attempt=-1),
            subtask(SINK, 0, 1000),
        ],
    )

    points = CHART.points(evidence)

    assert points is not None
    hot, even = points["jobs"][0]["vertices"]
    assert (hot["vertex"], hot["direction"], hot["even_share"]) == ("enrich", "in", 0.5)
    assert [each["share"] for each in hot["subtasks"]] == [0.9, 0.1]
    assert (even["vertex"], even["direction"]) == ("Source: orders", "out")


def test_a_job_of_single_subtasks_has_no_chart() -> None:
    assert CHART.points(hand_made(**line_of_jobs(), subtask=[subtask(SINK, 0, 10)])) is None


def test_the_even_share_is_a_line_and_hot_bars_carry_their_number() -> None:
    shares = [0.91, 0.03, 0.03, 0.03]
    subtasks = [
        {"subtask": place, "records": round(1000 * share), "share": share, "busy": 1.0 if place == 0 else None}
        for place, share in enumerate(shares)
    ]
    vertex = {"vertex": "score", "direction": "in", "parallelism": 4, "even_share": 0.25, "subtasks": subtasks}
    points = {"jobs": [{"job_id": JOB, "name": "orders", "vertices": [vertex]}]}

    figure = CHART.figure(points, Theme("light"))

    assert [shape["y0"] for shape in figure["layout"]["shapes"]] == [25.0]
    bars, busy, *keys = figure["data"]
    assert "91 %" in [each["text"] for each in figure["layout"]["annotations"]]
    assert bars["marker"]["color"][0] != bars["marker"]["color"][1]
    assert busy["y"] == [100.0, None, None, None]
    assert [(each["name"], each["marker"]["color"]) for each in keys] == [
        ("Share of the records", bars["marker"]["color"][1]),
        ("Share far above the even one", bars["marker"]["color"][0]),
    ]
    assert (bars["showlegend"], busy["showlegend"]) == (False, True)
    assert "subtask 0 has 91 % of the records where 25 % would be even" in CHART.summary(points)


def test_even_tasks_are_not_said_to_be_uneven() -> None:
    """A task of two subtasks with half of the records each has no hottest subtask."""
    evidence = hand_made(
        **line_of_jobs(),
        subtask=[subtask(MIDDLE, 0, 505), subtask(MIDDLE, 1, 495), subtask(SINK, 0, 500), subtask(SINK, 1, 500)],
    )

    points = CHART.points(evidence)

    assert points is not None
    assert CHART.summary(points) == (
        "The records are spread evenly: the subtask with the most has 1.01 times the even share of its task."
    )


def even_task(busy: float | None) -> dict[str, Any]:
    subtasks = [{"subtask": place, "records": 500, "share": 0.5, "busy": busy} for place in range(2)]
    vertex = {"vertex": "score", "direction": "in", "parallelism": 2, "even_share": 0.5, "subtasks": subtasks}
    return {"jobs": [{"job_id": JOB, "name": "orders", "vertices": [vertex]}]}


def test_values_have_a_ground_of_their_own_that_the_line_does_not_strike_out() -> None:
    notes = CHART.figure(even_task(0.3), Theme("light"))["layout"]["annotations"]

    values = [each for each in notes if each["text"] in ("50 %", "30 %")]
    assert len(values) == 4
    assert all(each["bgcolor"] for each in values)


def test_a_phone_has_room_for_the_values_of_the_records_only() -> None:
    notes = CHART.figure({**even_task(0.3), "narrow": True}, Theme("light"))["layout"]["annotations"]

    assert [each["text"] for each in notes if each["text"] in ("50 %", "30 %")] == ["50 %", "50 %"]


def test_a_task_without_busy_time_says_so() -> None:
    figure = CHART.figure(even_task(None), Theme("light"))

    assert figure["layout"]["annotations"][0]["text"] == "score: records in, busy time not measured"
    assert all(each["name"] != "Busy time" for each in figure["data"])
