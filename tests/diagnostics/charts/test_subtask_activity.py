from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.subtask_activity import CHART, MOST_ROWS
from tests.diagnostics.hand_made import JOB, MIDDLE, SOURCE, START, hand_made, line_of_jobs


def sample(metric: str, vertex: str, subtask: int, second: int, value: float | None) -> dict[str, Any]:
    return {
        "metric": metric,
        "scope": "task",
        "job_id": JOB,
        "vertex_id": vertex,
        "subtask": subtask,
        "ts_ms": START + second * 1000,
        "value": value,
    }


def test_samples_become_ratios_and_missing_ones_stay_gaps() -> None:
    busy, pressed = "busyTimeMsPerSecond", "backPressuredTimeMsPerSecond"
    evidence = hand_made(
        **line_of_jobs(),
        metric_sample=[
            *(sample(busy, MIDDLE, 0, second, 1000.0) for second in (0, 5, 15)),
            *(sample(pressed, SOURCE, 1, second, value) for second, value in ((0, 0.0), (5, 300.0), (15, 990.0))),
        ],
    )

    points = CHART.points(evidence)

    assert points is not None
    assert (points["slot_ms"], points["slots"]) == (5000, 4)
    source, middle = points["jobs"][0]["vertices"]
    assert (source["vertex"], middle["vertex"]) == ("Source: orders", "enrich")
    assert source["subtasks"][0]["back_pressured"] == [0.0, 0.3, None, 0.99]
    assert source["subtasks"][0]["busy"] == [None] * 4
    assert middle["subtasks"][0]["busy"] == [1.0, 1.0, None, 1.0]


def test_back_pressure_from_rest_fills_it_where_nobody_scraped() -> None:
    rows = [
        {
            "job_id": JOB,
            "vertex_id": SOURCE,
            "subtask": 0,
            "ts_ms": START,
            "busy_ratio": 0.1,
            "back_pressured_ratio": 0.8,
        }
    ]
    points = CHART.points(hand_made(**line_of_jobs(), back_pressure=rows))

    assert points is not None
    assert points["jobs"][0]["vertices"][0]["subtasks"][0]["back_pressured"] == [0.8]


def test_of_many_subtasks_the_hottest_are_kept() -> None:
    rows = [sample("busyTimeMsPerSecond", MIDDLE, subtask, 0, 10.0 * subtask) for subtask in range(100)]

    points = CHART.points(hand_made(**line_of_jobs(), metric_sample=rows))

    assert points is not None
    vertex = points["jobs"][0]["vertices"][0]
    assert [row["subtask"] for row in vertex["subtasks"]] == list(range(100 - MOST_ROWS, 100))
    assert vertex["parallelism"] == 100


POINTS = {
    "from_ms": START,
    "to_ms": START + 5000,
    "slot_ms": 5000,
    "slots": 2,
    "jobs": [
        {
            "job_id": JOB,
            "name": "orders",
            "vertices": [
                {
                    "vertex": "Source: <orders>",
                    "parallelism": 1,
                    "subtasks": [{"subtask": 0, "busy": [0.1, None], "back_pressured": [0.05, 0.9]}],
                }
            ],
        }
    ],
}


def test_bands_have_flinks_words_and_bounds() -> None:
    figure = CHART.figure(POINTS, Theme("light"))

    heat = figure["data"][0]
    assert heat["z"] == [[0.05, 0.9]]
    assert [step[0] for step in heat["colorscale"]] == [0.0, 0.1, 0.1, 0.5, 0.5, 1.0]
    names = [trace.get("name") for trace in figure["data"]]
    assert names[1:4] == ["OK ≤ 10 %", "LOW ≤ 50 %", "HIGH > 50 %"]
    assert "idle 85 %" in heat["text"][0][0]
    assert "&lt;orders&gt;" in heat["hovertemplate"]


def test_the_summary_names_the_highest_band_and_how_long_it_lasted() -> None:
    """The mean over good and bad times, (0.05 + 0.9) / 2 = 0.475, would be LOW."""
    summary = CHART.summary(POINTS)
    assert "HIGH for 5 s of 10 s (48 % of the time on average, 90 % in its highest sample)" in summary
    assert CHART.table(POINTS)[1:] == [
        ["orders", "Source: <orders>", 0, START, 0.1, 0.05],
        ["orders", "Source: <orders>", 0, START + 5000, None, 0.9],
    ]


def test_nobody_is_the_most_back_pressured_where_nobody_is() -> None:
    row = {"subtask": 0, "busy": [0.3, 0.2], "back_pressured": [0.0, 0.04]}
    vertex = {"vertex": "enrich", "parallelism": 1, "subtasks": [row]}
    points = {**POINTS, "jobs": [{"job_id": "a", "name": "orders", "vertices": [vertex]}]}

    assert CHART.summary(points).startswith("No task is back-pressured (at most 4 % in a sample). Busiest:")


def test_the_mean_of_the_busiest_subtask_says_over_which_time() -> None:
    """A finding says how busy a task was while it held others back: the mean of the whole time is another number."""
    row = {"subtask": 1, "busy": [1.0, 0.34], "back_pressured": [0.0, 0.0]}
    vertex = {"vertex": "sink", "parallelism": 1, "subtasks": [row]}
    points = {**POINTS, "jobs": [{"job_id": "a", "name": "orders", "vertices": [vertex]}]}

    assert "Busiest: subtask 1 of sink, 67 % of the time on average over 10 s." in CHART.summary(points)


def test_what_has_no_sample_has_an_entry_in_the_legend() -> None:
    names = [trace.get("name") for trace in CHART.figure(POINTS, Theme("light"))["data"]]
    assert "No sample" in names
    row = {"subtask": 0, "busy": [0.3, 0.2], "back_pressured": [0.0, 0.04]}
    vertex = {"vertex": "enrich", "parallelism": 1, "subtasks": [row]}
    whole = {**POINTS, "jobs": [{"job_id": "a", "name": "orders", "vertices": [vertex]}]}
    assert "No sample" not in [trace.get("name") for trace in CHART.figure(whole, Theme("light"))["data"]]


def test_a_single_sample_is_no_mean_of_a_time() -> None:
    row = {"subtask": 1, "busy": [None, 1.0], "back_pressured": [None, 0.3]}
    vertex = {"vertex": "sink", "parallelism": 1, "subtasks": [row]}
    points = {**POINTS, "jobs": [{"job_id": "a", "name": "orders", "vertices": [vertex]}]}

    assert CHART.summary(points) == (
        "Most back-pressured: subtask 1 of sink, LOW (30 %) in its only sample. "
        "Busiest: subtask 1 of sink, 100 % in its only sample."
    )
