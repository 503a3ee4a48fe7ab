from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.watermarks import CHART
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, line_of_jobs
from tests.diagnostics.signals.incident_rows import switched


def sample(metric: str, subtask: int, second: int, value: float | None) -> dict[str, Any]:
    return {
        "metric": metric,
        "scope": "task",
        "job_id": JOB,
        "vertex_id": MIDDLE,
        "subtask": subtask,
        "ts_ms": START + second * 1000,
        "value": value,
    }


def test_the_lag_is_that_of_the_slowest_subtask_and_dropped_records_are_a_rate() -> None:
    watermark, late = "currentInputWatermark", "numLateRecordsDropped"
    evidence = hand_made(
        **line_of_jobs(),
        metric_sample=[
            *(sample(watermark, 0, second, START + second * 1000 - 2000.0) for second in (0, 5, 10)),
            sample(watermark, 1, 0, None),
            sample(watermark, 1, 5, START + 5000 - 9000.0),
            *(sample(late, 0, second, value) for second, value in ((0, 100.0), (5, 150.0), (10, 150.0))),
        ],
    )

    points = CHART.points(evidence)

    assert points is not None
    vertex = points["jobs"][0]["vertices"][0]
    assert vertex["lag_ms"] == [2000.0, 9000.0, 2000.0]
    assert vertex["late_per_s"] == [None, 10.0, 0.0]  # 50 records in 5 s
    assert vertex["late_records"] == 50.0


def test_the_slowest_subtask_is_the_one_least_ahead_where_all_are_ahead_of_the_clock() -> None:
    """The task is 34 s ahead, as the finding says: the subtask that is 39 s ahead waits for the other one."""
    ahead = [sample("currentInputWatermark", subtask, 0, START + 1000.0 * lead) for subtask, lead in ((0, 39), (1, 34))]

    points = CHART.points(hand_made(**line_of_jobs(), metric_sample=ahead))

    assert points is not None
    assert points["jobs"][0]["vertices"][0]["lag_ms"] == [-34_000.0]


def test_an_answer_of_rest_that_may_be_older_than_the_scrape_before_it_changes_no_lag() -> None:
    """29.8 s of lead stood beside the 33 s of every other sample."""
    scrapes = [sample("currentInputWatermark", 0, second, START + (second + 33) * 1000.0) for second in (0, 5, 10)]
    answer = sample("currentInputWatermark", 0, 13, START + 43_000.0) | {"pointer": "/53", "file_id": 9}
    points = CHART.points(hand_made(**line_of_jobs(), metric_sample=[*scrapes, answer]))
    assert points is not None
    assert points["jobs"][0]["vertices"][0]["lag_ms"] == [-33_000.0] * 3


def test_the_lag_ends_where_the_job_went_down() -> None:
    """REST goes on to answer with the last watermark of tasks that have ended; the clock goes on too."""
    scrapes = [sample("currentInputWatermark", 0, second, START + second * 1000.0 - 2000) for second in (0, 5, 10)]
    answer = sample("currentInputWatermark", 0, 110, START + 8000.0) | {"pointer": "/0", "file_id": 9}
    went_down = switched(11, "RUNNING", "RESTARTING")
    running = {"job_id": JOB, "checkpoint_id": 1, "status": "COMPLETED", "trigger_ms": START, "end_to_end_ms": 90.0}

    points = CHART.points(
        hand_made(**line_of_jobs(), metric_sample=[*scrapes, answer], log_record=[went_down], checkpoint=[running])
    )

    assert points is not None
    assert points["jobs"][0]["vertices"][0]["lag_ms"] == [2000.0] * 3


def test_samples_of_one_export_are_all_new() -> None:
    of_prometheus = [
        sample("currentInputWatermark", 0, second, START + (second + 33) * 1000.0)
        | {"pointer": f"/data/result/0/values/{second}", "file_id": 9}
        for second in (0, 5, 10)
    ]
    points = CHART.points(hand_made(**line_of_jobs(), metric_sample=of_prometheus))
    assert points is not None
    assert points["jobs"][0]["vertices"][0]["lag_ms"] == [-33_000.0] * 3


def test_a_job_without_watermarks_has_no_chart() -> None:
    rows = [sample("currentInputWatermark", 0, 0, None)]
    assert CHART.points(hand_made(**line_of_jobs(), metric_sample=rows)) is None


def drawn(lag_ms: list[float | None], late: list[float | None] | None) -> dict[str, Any]:
    total = None if late is None else sum(value * 5 for value in late if value)
    vertex = {"vertex": "window", "lag_ms": lag_ms, "late_per_s": late, "late_records": total}
    job = {"job_id": JOB, "name": "orders", "vertices": [vertex]}
    return {"from_ms": START, "to_ms": START + 10_000, "slot_ms": 5000, "slots": len(lag_ms), "jobs": [job]}


def test_gaps_stay_gaps_and_a_watermark_ahead_of_the_clock_is_below_zero() -> None:
    points = drawn([5000.0, None, -39_000.0], None)

    figure = CHART.figure(points, Theme("light"))

    line = figure["data"][0]
    assert line["y"] == [5.0, None, -39.0]
    assert line["connectgaps"] is False
    assert "ahead of the clock" in figure["layout"]["annotations"][0]["text"]
    assert CHART.summary(points) == "The watermark of window is up to 39 s ahead of the clock."


def test_late_records_have_a_panel_of_their_own_only_where_some_were_dropped() -> None:
    with_late, without = drawn([1.0, 2.0], [None, 20.0]), drawn([1.0, 2.0], [None, 0.0])

    assert {trace["yaxis"] for trace in CHART.figure(with_late, Theme("dark"))["data"]} == {"y", "y2"}
    assert {trace["yaxis"] for trace in CHART.figure(without, Theme("dark"))["data"]} == {"y"}
    assert "No late records were dropped" in CHART.summary(without)


def test_gauges_without_any_watermark_are_an_answer_and_ask_for_no_file() -> None:
    assert "does not use event time" in CHART.why_empty([{"key": "watermarks.job", "facts": {"gauges": 4}}])
    ended = [{"key": "restarts", "facts": {"restarts": 4}}, {"key": "late_records", "facts": {"window_operators": 1}}]
    assert "ended before a first one" in CHART.why_empty([{"key": "watermarks.job", "facts": {"gauges": 4}}, *ended])
    assert CHART.why_empty([{"key": "watermarks", "needs": "metric-scrapes"}]) == CHART.read_missing
