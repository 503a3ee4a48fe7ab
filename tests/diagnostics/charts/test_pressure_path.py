"""How back pressure travels: pools and ratios of the tasks on the path, and the rate of the sources."""

from __future__ import annotations

import re
from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.pressure_path import CHART
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs

NAMES = {SOURCE: "Source: orders", MIDDLE: "enrich", SINK: "Sink: documents"}


def sample(metric: str, vertex: str, step: int, value: float) -> dict[str, Any]:
    return {
        "ts_ms": START + step * 10_000,
        "metric": metric,
        "scope": "task",
        "job_id": JOB,
        "vertex_id": vertex,
        "vertex": NAMES[vertex],
        "subtask": 0,
        "value": value,
    }


def home(vertex: str, subtask: int, task_manager: str) -> dict[str, Any]:
    return {"ts_ms": START, "job_id": JOB, "vertex_id": vertex, "subtask": subtask, "task_manager": task_manager}


def slow_sink(after_per_s: float = 20.0, pool: float = 1.0, busy: float = 990.0, homes: str = "") -> Any:
    """The sink is busy all the time; from the tenth of twenty moments on the source emits less than 100 records/s.

    homes  the TaskManagers of the two subtasks of the sink and of the task above it, one letter each
    """
    samples, emitted = [], 0.0
    for step in range(20):
        emitted += 10 * (100.0 if step < 10 else after_per_s)
        samples += [
            sample("busyTimeMsPerSecond", SINK, step, busy),
            sample("backPressuredTimeMsPerSecond", SINK, step, 0.0),
            sample("busyTimeMsPerSecond", MIDDLE, step, 100.0),
            sample("backPressuredTimeMsPerSecond", MIDDLE, step, 900.0),
            sample("backPressuredTimeMsPerSecond", SOURCE, step, 800.0),
            sample("buffers.inPoolUsage", SINK, step, pool),
            sample("buffers.outPoolUsage", MIDDLE, step, 1.0),
            sample("numRecordsOut", SOURCE, step, emitted),
        ]
    places = [home(vertex, place, each) for vertex in (MIDDLE, SINK) for place, each in enumerate(homes)]
    return hand_made(**line_of_jobs(), metric_sample=samples, subtask=places)


def test_the_path_shows_the_measured_pools_from_the_source_to_the_origin() -> None:
    points = CHART.points(slow_sink())

    assert points is not None
    (job,) = points["jobs"]
    assert job["origin"] == SINK
    assert [(each["name"], each["in"], each["out"], each["held"]) for each in job["tasks"]] == [
        ("Source: orders", None, None, 0.8),
        ("enrich", None, 1.0, 0.9),
        ("Sink: documents", 1.0, None, 0.0),
    ]
    figure = CHART.figure(points, Theme("light"))
    assert [trace["name"] for trace in figure["data"]] == [
        "Input pool in use",
        "Output pool in use",
        "Back pressured",
        "Busy",
        "Sources",
    ]


def test_the_drop_of_the_source_rate_is_stated_with_its_time_and_in_percent() -> None:
    """From 100 to 20 records per second is a drop by 80 %."""
    points = CHART.points(slow_sink())

    assert points is not None
    summary = CHART.summary(points)
    assert (
        "Back pressure begins at Sink: documents (busy 99 % on average, while back pressure was HIGH). 100 % of"
        in summary
    )
    assert "enrich is back-pressured 90 % of the time on average, while back pressure was HIGH; 100 % of its" in summary
    assert "The sources emitted 100 records/s until 2026-11-21" in summary
    change = points["jobs"][0]["change"]
    assert change["until_ms"] < change["from_ms"], "the intervals beside the change belong to neither rate"
    assert re.search(r" until \S+ \S+ UTC and 20 records/s from \S+ \S+ UTC on \(\N{MINUS SIGN}80 %\)\.$", summary)


def test_overdraft_buffers_are_no_more_than_a_full_pool() -> None:
    points = CHART.points(slow_sink())

    assert points is not None
    points["jobs"][0]["tasks"][1]["out"] = 1.12
    assert (
        "enrich is back-pressured 90 % of the time on average, while back pressure was HIGH; its output pool is full."
        in CHART.summary(points)
    )


def test_a_rate_that_hardly_changes_is_not_said_to_drop() -> None:
    points = CHART.points(slow_sink(after_per_s=95.0))

    assert points is not None
    assert "The sources emitted" not in CHART.summary(points)


def test_an_empty_input_pool_below_waiting_tasks_is_explained_without_a_guess() -> None:
    points = CHART.points(slow_sink(pool=0.0))

    assert points is not None
    assert (
        "Its input pool is empty: its senders are in the same TaskManager and use none of these buffers, or their "
        "records do not arrive."
    ) in CHART.summary(points)


def test_senders_in_one_task_manager_are_the_reason_of_an_empty_pool() -> None:
    points = CHART.points(slow_sink(pool=0.0, homes="aa"))

    assert points is not None
    assert "Its input pool is empty because all of its senders are in the same TaskManager." in CHART.summary(points)


def test_a_task_that_waits_for_records_from_other_hosts_is_no_origin() -> None:
    """The tasks upstream are held back, the last one is idle with an empty pool: the network is between them."""
    points = CHART.points(slow_sink(pool=0.0, busy=80.0, homes="ab"))

    assert points is not None
    summary = CHART.summary(points)
    assert (
        "Tasks upstream of Sink: documents wait although it is busy only 8 % of the time on average, while" in summary
    )
    assert "the records do not arrive over the network" in summary
    drawn = CHART.figure(points, Theme("light"))
    assert not any("origin" in name for trace in drawn["data"] for name in trace["x"] if isinstance(name, str))
    assert "the first task that is not back-pressured" in drawn["layout"]["annotations"][0]["text"]
    assert [row[2] for row in CHART.table(points)[1:]] == ["no", "no", "no"]


def test_back_pressure_of_a_start_is_that_of_the_start_and_not_of_the_network() -> None:
    """The sink opens its functions for 28 s at each of three starts; in between nothing is held back."""
    samples, changes = [], []
    for step in range(30):
        starting = step % 10 in (1, 2)
        samples += [
            sample("busyTimeMsPerSecond", SINK, step, 30.0),
            sample("backPressuredTimeMsPerSecond", SINK, step, 0.0),
            sample("backPressuredTimeMsPerSecond", MIDDLE, step, 950.0 if starting else 0.0),
            sample("buffers.inPoolUsage", SINK, step, 0.0),
        ]
        if step % 10 == 0:
            changes.append(_change(START + step * 10_000 + 1_000, "INITIALIZING"))
            changes.append(_change(START + step * 10_000 + 29_000, "RUNNING"))
    places = [home(vertex, place, each) for vertex in (MIDDLE, SINK) for place, each in enumerate("ab")]
    points = CHART.points(hand_made(**line_of_jobs(), metric_sample=samples, subtask=places, log_record=changes))

    assert points is not None
    summary = CHART.summary(points)
    assert summary.startswith(
        "Tasks upstream of Sink: documents wait while it starts: it took 28 s from INITIALIZING to RUNNING."
    )
    assert "network" not in summary
    without_log = CHART.points(hand_made(**line_of_jobs(), metric_sample=samples, subtask=places))
    assert without_log is not None
    assert "network" not in CHART.summary(without_log), "bursts say nothing about a pool that is usually empty"


def _change(ts_ms: int, state: str) -> dict[str, Any]:
    return {
        "ts_ms": ts_ms,
        "event": "task.state",
        "state_to": state,
        "vertex": NAMES[SINK],
        "subtask": 0,
        "message": f"Sink: documents (1/2)#0 switched to {state}.",
    }


def test_a_job_without_back_pressure_has_no_path() -> None:
    quiet = [
        sample(metric, vertex, step, 50.0)
        for metric in ("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond")
        for vertex in NAMES
        for step in range(10)
    ]
    assert CHART.points(hand_made(**line_of_jobs(), metric_sample=quiet)) is None


def test_an_empty_chart_asks_for_files_only_where_back_pressure_was_not_read() -> None:
    read = [{"key": "back_pressure.job", "facts": {"worst_ratio": 0.02}}]

    assert CHART.why_empty(read) == "No task is back-pressured (at most 2 % of the time)."
    assert CHART.why_empty([{"key": "back_pressure.job", "needs": "back-pressure"}]) == CHART.read_missing
    assert CHART.why_empty([{"key": "back_pressure.job", "facts": {"worst_ratio": 0.9}}]) == CHART.read_missing
    short = {"worst_ratio": 0.62, "high_share_ratio": 0.05}
    assert CHART.why_empty([{"key": "back_pressure.job", "facts": short}]) == (
        "No task is back-pressured for long: HIGH at 5 % of the moments, at most 62 % in a sample."
    )
    often = short | {"high_share_ratio": 0.4}
    assert CHART.why_empty([{"key": "back_pressure.job", "facts": often}]) == CHART.read_missing
