"""Series as they were scraped: counts that begin again, means of a minute, heaps; the real promtool agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.prevention.alert import fitted
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.case_series import case_series
from tests.diagnostics.prevention.alert_evidence import (
    JOB_ID,
    MINUTE,
    activity,
    checkpoint,
    finding,
    fired,
    history,
    made,
    metrics,
    told_by_promtool,
    watched,
)

COMPLETED = "flink_jobmanager_job_numberOfCompletedCheckpoints"
BACK_PRESSURED = "flink_taskmanager_job_task_backPressuredTimeMsPerSecond"


def test_a_count_begins_again_with_each_jobmanager(tmp_path: Path) -> None:
    """The history holds 20 checkpoints in a row; each JobManager counts its own."""
    points = {
        **history(*(checkpoint(n, n * MINUTE) for n in range(20)), until=20 * MINUTE),
        **metrics(MINUTE, watched("numberOfCompletedCheckpoints", [float(n % 10) for n in range(21)])),
    }
    alerts, series = made(points)
    [counted] = series.of(COMPLETED)

    assert list(counted.values)[::4] == [float(n % 10) for n in range(21)]
    told_by_promtool(tmp_path, alerts, series)


def test_readings_that_are_snapshots_leave_the_history_of_checkpoints_as_it_is() -> None:
    points = history(*(checkpoint(n, n * MINUTE) for n in range(5)), until=5 * MINUTE)
    snapshots = metrics(15_000, watched("numberOfCompletedCheckpoints", [0.0, *[None] * 18, 2.0]))

    assert made({**points, **snapshots})[1].of(COMPLETED) == made(points)[1].of(COMPLETED)


def test_back_pressure_is_flinks_own_mean_of_a_minute_where_it_was_scraped(tmp_path: Path) -> None:
    """Held back all of the time from minute 1 on: Flink's gauge passes the bound half a minute later, and so the
    alert, which waits for five minutes, fires later than by the counters of the time.
    """
    gauge = [0.0] * 4 + [250.0, 500.0, 750.0] + [1000.0] * 34
    counted = activity(10 * MINUTE, back_pressured=[0.0, *[1.0] * 9])
    scraped = metrics(15_000, watched("backPressuredTimeMsPerSecond", gauge, vertex="Sink: orders-sink"))
    alerts, series = made({**counted, **scraped})

    assert [each.labels for each in series.of(BACK_PRESSURED)] == [
        (("job_name", "Orders"), ("task_name", "Sink:_orders_sink"))
    ]
    [first] = alerts[1].firing(series).values()
    assert first * 15_000 == (1.5 + 5) * MINUTE
    told_by_promtool(tmp_path, alerts, series)


def test_a_heap_that_collections_do_not_free_fires_and_one_that_they_free_does_not(tmp_path: Path) -> None:
    fires = []
    for used in ([200.0] * 40, [200.0, 60.0] * 20):
        found = [
            watched("Status.JVM.Memory.Heap.Used", [*used], task_manager="127.0.0.1:19030-6f5409"),
            watched("Status.JVM.Memory.Heap.Max", [240.0] * 40, task_manager="127.0.0.1:19030-6f5409"),
            watched("busyTimeMsPerSecond", [10.0] * 40, vertex="Sink", task_manager="127.0.0.1:19030-6f5409"),
        ]
        points = {**history(checkpoint(1, 0), until=10 * MINUTE), **metrics(15_000, *found)}
        alerts, series = made(points, finding("resource_shortage"))
        fires.append(fired(alerts[-1:], series))
        told_by_promtool(tmp_path, alerts, series)

    assert fires == [{"FlinkHeapNearlyFull": [5]}, {}]
    [used_of_tm] = series.of("flink_taskmanager_Status_JVM_Memory_Heap_Used")
    assert used_of_tm.labels == (("tm_id", "127_0_0_1:19030_6f5409"),)


def test_the_alert_on_a_heap_that_ended_its_process_within_a_minute_fires_before_that(tmp_path: Path) -> None:
    """Nearly full for 30 s, then the TaskManager is gone; a heap that a collection freed in time leaves the wait."""
    waits = []
    for ending in ([200.0, 210.0, 220.0, *[None] * 35], [200.0, 210.0, 220.0, *[60.0] * 35]):
        there = [10.0 if value is not None else None for value in ending]
        process = {"task_manager": "127.0.0.1:19030-6f5409"}
        found = [
            watched("Status.JVM.Memory.Heap.Used", [90.0, 150.0, *ending], **process),
            watched("Status.JVM.Memory.Heap.Max", [240.0, 240.0, *[each and 240.0 for each in there]], **process),
            watched("busyTimeMsPerSecond", [10.0, 10.0, *there], vertex="Sink", **process),
        ]
        points = {**history(checkpoint(1, 0), until=10 * MINUTE), **metrics(15_000, *found)}
        alerts, series = made(points, finding("resource_shortage"))
        own = fitted(alerts[-1], series)
        waits.append(own.for_ms)
        if own != alerts[-1]:
            assert "met the condition for 30 s before its series ended; so short a wait may report a burst" in own.why
            told_by_promtool(tmp_path, [*alerts[:-1], own], series)

    assert waits == [15_000, 5 * MINUTE]


def test_the_alert_on_skew_is_tested_with_the_rates_as_they_were_scraped(tmp_path: Path) -> None:
    """The job runs from minute 2 on: five minutes of skew are over at minute 7."""
    rates = [[None] * 8 + [400.0] * 32, [None] * 8 + [10.0] * 32, [None] * 8 + [10.0] * 32]
    found = [
        watched("numRecordsInPerSecond", values, vertex="Window", subtask=subtask)
        for subtask, values in enumerate(rates)
    ]
    points = {**history(checkpoint(1, 0), until=10 * MINUTE), **metrics(15_000, *found)}
    alerts, series = made(points, finding("data_skew", vertex="Window"))

    assert fired(alerts[-1:], series) == {"FlinkSkewedTask": [7]}
    told_by_promtool(tmp_path, alerts, series)


@pytest.mark.parametrize("measured", ["hot_busy_ratio", "hot_mean_busy_ratio"])
def test_a_few_records_that_one_subtask_receives_alone_fire_no_alert_on_skew(measured: str, tmp_path: Path) -> None:
    """One keyed record a minute is four times the mean of four subtasks, and harms nobody."""
    fires = []
    for busy in (950.0, 20.0):
        found = [
            watched(metric, [value] * 40, vertex="Window", subtask=subtask)
            for subtask, rate in enumerate((400.0, 10.0, 10.0))
            for metric, value in (
                ("numRecordsInPerSecond", rate),
                ("busyTimeMsPerSecond", busy if not subtask else 9.0),
            )
        ]
        points = {**history(checkpoint(1, 0), until=10 * MINUTE), **metrics(15_000, *found)}
        skewed = finding("data_skew", vertex="Window") | {"facts": {measured: 0.95}}
        alerts, series = made(points, skewed)
        fires.append(fired(alerts[-1:], series))
        told_by_promtool(tmp_path, alerts, series)

    assert fires == [{"FlinkSkewedTask": [5]}, {}]


def test_the_bounds_of_planned_settings_are_made_for_them() -> None:
    document = {"findings": [finding("rocksdb_slow_upload")], "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    settings = {"key": "settings", "subject": {"job": JOB_ID}, "facts": {"interval_ms": 10_000, "timeout_ms": 30_000}}
    plan = {"execution.checkpointing.timeout": "3 min", "execution.checkpointing.interval": "55 s", "other": "1"}

    bounds = [alerts_for(document, [settings], JOB_ID, each)[-1].expr.split()[-1] for each in (None, plan)]

    assert bounds == ["15000", "90000"]
    assert case_series({}, JOB_ID, "Orders").steps == 0


def test_a_job_that_only_its_scraped_metrics_show_has_its_series() -> None:
    """No chart is about it: its alerts were said to have no series in the case."""
    points = metrics(MINUTE, watched("numberOfCompletedCheckpoints", [float(n) for n in range(21)]))
    assert made(points)[1].of(COMPLETED)
