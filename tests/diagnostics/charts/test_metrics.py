from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.metrics import CHART, changed, is_same_name
from tests.diagnostics.hand_made import START, hand_made

SLOT = 10_000


def series(metric: str, *mean: float | None, where: str = "Window", is_rate: bool = False) -> dict[str, Any]:
    return {
        "metric": metric,
        "job_id": None,
        "where": where,
        "is_rate": is_rate,
        "mean": list(mean),
        "peak": list(mean),
    }


def of(*found: dict[str, Any], chosen: str | None = None) -> dict[str, Any]:
    slots = len(found[0]["mean"])
    told = {"from_ms": START, "to_ms": START + slots * SLOT - 1, "slot_ms": SLOT, "slots": slots, "left_out": 0}
    return {**told, "series": list(found), **({"chosen": chosen} if chosen else {})}


NORMAL, BAD = (START, START + 2 * SLOT - 1), (START + 2 * SLOT, START + 4 * SLOT - 1)


def test_what_changed_most_against_its_own_scatter_comes_first() -> None:
    steady, restless = series("steady", 10.0, 10.1, 20.0, 20.1), series("restless", 1.0, 90.0, 40.0, 190.0)

    rows = changed(of(restless, steady), NORMAL, BAD)

    assert [row["metric"] for row in rows] == ["steady", "restless"]
    assert rows[0]["times"] == pytest.approx(1.995, abs=0.001)


def test_a_series_without_samples_in_one_stretch_is_not_compared() -> None:
    assert changed(of(series("new", None, None, 5.0, 5.0)), NORMAL, BAD) == []


def test_a_change_from_or_to_zero_has_no_multiple() -> None:
    assert changed(of(series("late", 0.0, 0.0, 5.0, 5.0)), NORMAL, BAD)[0]["times"] is None


def test_one_metric_is_drawn_at_a_time_and_gaps_stay_gaps() -> None:
    figure = CHART.figure(
        of(series("a", 1.0, 1.5, None, 2.0), series("b", 3.0, 4.0, 5.0, 6.0), chosen="a"), Theme("light")
    )

    assert [trace["y"] for trace in figure["data"]] == [[1.0, 1.5, None, 2.0]]
    assert figure["data"][0]["connectgaps"] is False


def test_the_axis_has_the_metrics_own_unit_and_bytes_are_read_in_the_largest_that_fits() -> None:
    heap = series("Status.JVM.Memory.Heap.Used", 3 * 1024.0**2, 5 * 1024.0**2, where="TaskManager tm-1")
    figure = CHART.figure(of(heap), Theme("light"))

    assert figure["layout"]["yaxis"]["title"]["text"] == "MiB"
    assert figure["data"][0]["y"] == [3.0, 5.0]
    assert "Status.JVM.Memory.Heap.Used of TaskManager tm-1: 3 to 5 MiB, mean of each 10 s." in CHART.summary(of(heap))
    rate = of(series("numRecordsInPerSecond", 3.0, 5.0, where="Window"))
    assert "mean of each 10 s. Each sample of this metric is Flink's mean of the 60 s before it" in CHART.summary(rate)
    hot = series("numRecordsIn", 3.0, 5.0, where="Window", is_rate=True) | {"of_task": True, "peak": [9.0, 15.0]}
    assert "3 to 5 records/s, mean of its subtasks in each 10 s." in CHART.summary(of(hot))
    _, first, last = CHART.table(of(heap))
    assert (first[3], last[3], last[5]) == (3 * 1024.0**2, 5 * 1024.0**2, "bytes")


def test_a_counter_has_a_unit_per_second_and_a_user_metric_has_none() -> None:
    axis = [
        CHART.figure(of(each), Theme("light"))["layout"]["yaxis"]["title"]["text"]
        for each in (
            series("numRecordsOut", 1.0, is_rate=True),
            series("busyTimeMsPerSecond", 1.0),
            series("mine", 1.0),
        )
    ]
    assert axis == ["records/s", "ms/s", "value"]


def test_counters_become_rates_and_the_highest_subtask_survives() -> None:
    task = {"scope": "task", "job_id": "a" * 32, "vertex_id": "b" * 32, "vertex": "Window"}
    rows = [
        {**task, "metric": metric, "subtask": subtask, "ts_ms": START + 5_000 * moment, "value": value}
        for moment in range(6)
        for subtask in (0, 1)
        for metric, value in (
            ("numRecordsIn", 100.0 * moment * (1 + subtask) + 3 * moment**2),
            ("busyTimeMsPerSecond", 900.0 if subtask and moment == 3 else 100.0 + moment),
        )
    ]

    points = CHART.points(hand_made(metric_sample=rows))

    assert points is not None
    busy, records = points["series"]
    assert (records["is_rate"], busy["is_rate"]) == (True, False)
    assert max(value for value in busy["peak"] if value is not None) == 900.0
    assert records["mean"][0] is None
    assert 25 < records["mean"][1] < 40


def test_metrics_are_listed_by_family_with_the_course_of_the_highest_series() -> None:
    offered = CHART.choices(
        of(
            series("rocksdb.num-files-at-level0", 0.0, 4.0),
            series("numRecordsInPerSecond", 1.0, 2.0),
            series("numRecordsInPerSecond", 9.0, 7.0, where="other"),
            series("ownGauge", 1.0, 1.0),
        )
    )
    assert [(each.group, each.title) for each in offered] == [
        ("Records and bytes", "numRecordsInPerSecond"),
        ("RocksDB", "rocksdb.num-files-at-level0"),
        ("Others", "ownGauge"),
    ]
    assert offered[0].thumbnail == "M0 1.0L72 17.0", "from the highest value, on top, to the lowest"


def test_a_metric_that_only_one_job_has_is_offered_for_that_job_alone() -> None:
    of_one, of_both, again = (series(name, 1.0) for name in ("watermarkLag", "numRecordsIn", "numRecordsIn"))
    points = of({**of_one, "job_id": "a"}, {**of_both, "job_id": "a"}, {**again, "job_id": "b"})
    assert {each.title: each.job_id for each in CHART.choices(points)} == {"numRecordsIn": None, "watermarkLag": "a"}


def test_readings_rarer_than_the_slots_are_joined_and_a_missing_one_is_a_gap() -> None:
    points = of(series("numRecordsInPerSecond", 1.0, None, 2.0, None, 3.0, None, None, None, 4.0))
    assert CHART.choices(points)[0].thumbnail == "M0 17.0L18 11.7L36 6.3M69 1.0h3"
    line = CHART.figure(points, Theme("light"))["data"][0]
    assert line["y"] == [1.0, 2.0, 3.0, None, 4.0]


def test_an_operator_that_is_the_whole_task_is_named_once() -> None:
    assert is_same_name("Source:_clickstream_source", "Source: clickstream-source")
    assert not is_same_name("parse", "Source: orders -> parse")


def test_a_quantity_that_two_sources_report_is_one_line_that_with_the_most_readings() -> None:
    prometheus = {"scope": "task", "job_id": "a" * 32, "vertex": "Window", "vertex_id": "b" * 32, "operator": "Window"}
    rest = {**prometheus, "operator": None}
    rows = [
        {**source, "metric": "numRecordsInPerSecond", "subtask": 0, "ts_ms": START + 5_000 * moment, "value": value}
        for source, moments in ((rest, (0, 9)), (prometheus, range(10)))
        for moment in moments
        if (value := 100.0 + moment)
    ]

    points = CHART.points(hand_made(metric_sample=rows))

    assert points is not None
    [line] = points["series"]
    assert sum(value is not None for value in line["mean"]) == 10


def test_lines_that_are_not_drawn_are_counted_in_words() -> None:
    def title(lines: int) -> str:
        found = [series("a", 1.0, 2.0, where=f"Task {place}") for place in range(lines)]
        return str(CHART.figure(of(*found), Theme("light"))["layout"]["annotations"][0]["text"])

    assert title(7).endswith("1 lower one not drawn")
    assert title(8).endswith("2 lower ones not drawn")


def test_a_metric_of_a_job_is_not_one_of_the_cluster() -> None:
    """The points of an earlier version name the cluster; those of now name the job, so that two jobs differ."""
    stored = {**series("numberOfFailedCheckpoints", 0.0, 1.0, where="the cluster"), "job_id": "a" * 32}
    assert CHART.summary(of(stored)).startswith("numberOfFailedCheckpoints of the job: ")
    of_all = series("taskSlotsTotal", 0.0, 1.0, where="the cluster")
    assert CHART.summary(of(of_all)).startswith("taskSlotsTotal of the cluster: ")


def test_two_jobs_are_told_apart_by_their_names() -> None:
    rows = [
        {
            "scope": "job",
            "job_id": job * 32,
            "job_name": name,
            "metric": "numRestarts",
            "ts_ms": START + 5_000 * moment,
            "value": float(moment**2),
        }
        for job, name in (("a", "orders"), ("b", "clicks"))
        for moment in range(10)
    ]
    points = CHART.points(hand_made(metric_sample=rows))
    assert points is not None
    assert {each["where"] for each in points["series"]} == {"orders", "clicks"}
