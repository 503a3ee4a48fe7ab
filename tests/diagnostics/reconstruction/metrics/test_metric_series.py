"""Metrics over time, from several files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from diagnostics.aggregators import metric_points
from diagnostics.evidence.tables import TABLES
from diagnostics.reconstruction.metrics.counted_time import by_counted_time, counted_ratio
from diagnostics.reconstruction.metrics.metric_series import metric_series, series_of_samples
from diagnostics.reconstruction.metrics.series import Point, Series, increase, since_restart
from diagnostics.reconstruction.metrics.start_up import without_start_up
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made
from tests.diagnostics.many_samples import many_samples


def row(ts_ms: int | None, value: float | None, file_id: int = 0, **rest: Any) -> Mapping[str, Any]:
    names = ("job_id", "vertex_id", "vertex", "operator", "subtask", "task_manager", "host")
    return {
        **dict.fromkeys((*names, "line", "last_line", "pointer")),
        "metric": "numRecordsIn",
        "ts_ms": ts_ms,
        "value": value,
        "file_id": file_id,
        "vertex_id": "b1",
        "subtask": 0,
        **rest,
    }


def series_from_rows(rows: Sequence[Mapping[str, Any]]) -> list[Series]:
    return series_of_samples(pa.Table.from_pylist(list(rows), schema=TABLES["metric_sample"].arrow_schema()))


def points(*values: float | None) -> tuple[Point, ...]:
    return tuple(Point(moment, value, 0, None, None, None) for moment, value in enumerate(values))


def test_overlapping_files_of_one_series_are_not_mixed() -> None:
    scrape = [row(moment, moment, file_id=1) for moment in (0, 10, 20, 30)]
    delayed = [row(moment, moment - 8, file_id=2) for moment in (5, 15)]
    (series,) = series_from_rows([*scrape, *delayed])
    assert [point.value for point in series.points] == [0, 10, 20, 30]


def test_scrapes_without_times_follow_one_another_by_their_counters() -> None:
    """The names of the files say nothing: `after` is read before `before`."""
    scrapes = [
        [row(None, records, file_id=place), row(None, total, file_id=place, metric="taskSlotsTotal")]
        for place, (records, total) in enumerate([(900, 3), (100, 8), (500, 5)])
    ]
    records, slots = series_from_rows([each for scrape in scrapes for each in scrape])
    assert [point.value for point in records.points] == [100, 500, 900]
    assert [point.value for point in slots.points] == [8, 5, 3]


def test_of_scrapes_whose_order_no_counter_tells_only_one_is_read() -> None:
    (slots,) = series_from_rows([row(None, each, file_id=each, metric="taskSlotsTotal") for each in (1, 2, 3)])
    assert [point.value for point in slots.points] == [1]


def test_a_process_that_counts_anew_does_not_turn_the_order_of_scrapes_around() -> None:
    first = [row(None, value, file_id=1, subtask=subtask) for subtask, value in enumerate((50, 60, 70))]
    second = [row(None, value, file_id=0, subtask=subtask) for subtask, value in enumerate((5, 160, 170))]
    found = series_from_rows([*first, *second])
    assert [[point.value for point in each.points] for each in found] == [[50, 5], [60, 160], [70, 170]]


def test_a_scrape_without_a_time_does_not_count_beside_samples_with_times() -> None:
    (series,) = series_from_rows([row(None, 5), row(10, 1, file_id=1), row(20, 2, file_id=1)])
    assert [point.value for point in series.points] == [1, 2]


def test_snapshots_at_different_times_make_one_series() -> None:
    (series,) = series_from_rows([row(20, 200, file_id=2), row(10, 100, file_id=1)])
    assert [point.value for point in series.points] == [100, 200]


def test_one_operator_in_two_spellings_is_one_series() -> None:
    rest = row(10, 1, operator="Sink__risk-topic", file_id=1)
    scrape = row(20, 2, operator="Sink:_risk_topic", file_id=2)
    assert len(series_from_rows([rest, scrape])) == 1


def test_subtasks_are_series_of_their_own() -> None:
    assert len(series_from_rows([row(10, 1), row(10, 1, subtask=1)])) == 2


def test_series_are_of_followed_metrics_and_of_no_aggregate_and_no_quantile() -> None:
    about = {"job_id": JOB, "vertex_id": MIDDLE, "subtask": 0, "metric": "numRecordsIn", "ts_ms": START}
    rows = [
        {**about, "value": 5.0},
        {**about, "value": 6.0, "ts_ms": START + 1_000},
        {**about, "value": 7.0, "aggregate": "max"},
        {**about, "value": 8.0, "quantile": 0.5},
        {**about, "value": 9.0, "metric": "buffers.inPoolUsage"},
    ]
    found = metric_series(hand_made(metric_sample=rows))
    assert found.metrics() == ["numRecordsIn"]
    assert [[point.value for point in each.points] for each in found.of("numRecordsIn")] == [[5.0, 6.0]]


def test_of_too_many_samples_the_last_one_of_each_stretch_of_time_is_kept() -> None:
    task = {"job_id": JOB, "vertex_id": MIDDLE, "metric": "numRecordsIn"}
    subtasks = 40
    moments = 2 * metric_points.MOST_POINTS // subtasks
    seconds = np.arange(moments)
    rows = many_samples([{**task, "subtask": each} for each in range(subtasks)], START + 1_000 * seconds, 1.0 * seconds)

    found = series_of_samples(metric_points.AGGREGATOR.finish(metric_points.AGGREGATOR.reduce_rows(rows)))

    assert len(found) == subtasks
    counts = {len(each.points) for each in found}
    assert metric_points.MOST_POINTS / 2 <= subtasks * counts.pop() <= metric_points.MOST_POINTS
    assert not counts
    assert {each.points[-1].ts_ms for each in found} == {START + 1_000 * (moments - 1)}
    assert all(point.value == ((point.ts_ms or 0) - START) / 1_000 for point in found[0].points)


def test_a_counter_is_read_since_its_last_restart() -> None:
    assert [point.value for point in since_restart(points(5, 9, 2, 4))] == [2, 4]


def test_growth_counts_over_a_restart_and_leaves_out_unknown_values() -> None:
    assert increase(points(5, 9, None, 2, 4)) == 4 + 2 + 2


@pytest.mark.parametrize(
    ("metric", "told", "known"),
    [
        ("numRecordsIn", 2.0**63, None),
        ("numRecordsIn", -5.0, None),
        ("busyTimeMsPerSecond", 9e17, None),
        ("busyTimeMsPerSecond", 1_003.0, 1_003.0),
        ("currentInputWatermark", -(2.0**63), -(2.0**63)),
    ],
)
def test_a_value_that_its_metric_cannot_have_is_not_known(metric: str, told: float, known: float | None) -> None:
    (series,) = series_from_rows([row(0, told, metric=metric)])
    assert [point.value for point in series.points] == [known]


def test_how_busy_a_subtask_is_before_its_first_record_is_unknown() -> None:
    """Flink reports a task that initialises as busy; after a restart it does so again."""
    records = [row(moment, value) for moment, value in enumerate((0, 0, 40, 80, 0, 5))]
    busy = [row(moment, 1_000, metric="busyTimeMsPerSecond") for moment in range(6)]
    found = {each.metric: each for each in without_start_up(series_from_rows([*records, *busy]))}
    assert [point.value for point in found["busyTimeMsPerSecond"].points] == [None, None, None, 1_000, None, None]


def test_a_subtask_that_never_reads_a_record_keeps_its_busy_time() -> None:
    rows = [*(row(moment, 0) for moment in range(3)), row(2, 1_000, metric="busyTimeMsPerSecond")]
    found = {each.metric: each for each in without_start_up(series_from_rows(rows))}
    assert [point.value for point in found["busyTimeMsPerSecond"].points] == [1_000]


def test_a_subtask_that_is_seen_twice_without_a_record_was_starting() -> None:
    """A job that failed at each attempt after half a second was drawn as busy all the time, by one scrape of each."""
    rows = [row(moment, 0) for moment in range(2)] + [
        row(moment, 1_000, metric="busyTimeMsPerSecond") for moment in range(2)
    ]
    found = {each.metric: each for each in without_start_up(series_from_rows(rows))}
    assert [point.value for point in found["busyTimeMsPerSecond"].points] == [None, None]


def test_a_task_that_was_only_seen_starting_is_so_in_every_file() -> None:
    """A scrape saw two of its subtasks without a record; a Prometheus server has one later sample of each of three."""
    counts = [{**row(0, 0), "subtask": subtask} for subtask in (0, 1)]
    later = [{**row(45_000, 1_000, metric="busyTimeMsPerSecond"), "subtask": subtask} for subtask in (0, 1, 2)]
    busy = [each for each in without_start_up(series_from_rows([*counts, *later])) if "busy" in each.metric]
    assert [point.value for each in busy for point in each.points] == [None, None, None]
    running = [{**row(moment, 1_000, metric="busyTimeMsPerSecond"), "subtask": 2} for moment in (1, 2, 3)]
    busy = [each for each in without_start_up(series_from_rows([*counts, *running])) if "busy" in each.metric]
    assert [point.value for each in busy for point in each.points] == [1_000, 1_000, 1_000], "it was seen often enough"


def test_busy_time_comes_from_its_counter_and_not_from_the_mean_of_a_minute() -> None:
    rows = [
        row(ts, count, metric="accumulateBusyTimeMs", line=ts) for ts, count in ((0, 0), (5_000, 100), (10_000, 5_100))
    ]
    rows += [row(ts, mean, metric="busyTimeMsPerSecond") for ts, mean in ((0, 30), (5_000, 32), (10_000, 120))]
    busy = {each.metric: each for each in by_counted_time(series_from_rows(rows))}["busyTimeMsPerSecond"]
    assert [(point.ts_ms, point.value) for point in busy.points] == [(5_000, 20.0), (10_000, 1000.0)]
    cited = busy.cite(busy.points[-1])
    assert (cited.name, cited.value, cited.line) == ("accumulateBusyTimeMs", 5_100, 10_000)
    assert cited.text == "accumulateBusyTimeMs of subtask 0 = 5100: 1000 ms/s over 5 s"


def test_a_gauge_does_not_report_trouble_that_its_counter_has_shown_to_be_over() -> None:
    counts = ((0, 0), (5_000, 5_000), (10_000, 5_000))
    rows = [row(ts, count, metric="accumulateBackPressuredTimeMs") for ts, count in counts]
    rows += [row(ts, mean, metric="backPressuredTimeMsPerSecond") for ts, mean in ((12_000, 410), (50_000, 80))]
    held = {each.metric: each for each in by_counted_time(series_from_rows(rows))}["backPressuredTimeMsPerSecond"]
    assert [(point.ts_ms, point.value) for point in held.points] == [(5_000, 1000.0), (10_000, 0.0), (50_000, 80)]


def test_answers_that_repeat_a_value_that_rest_has_kept_show_no_calm() -> None:
    counts = ((0, 0), (6_000, 0), (12_000, 12_000), (18_000, 12_000), (24_000, 24_000))
    rows = [{**row(ts, count, metric="accumulateBusyTimeMs"), "pointer": "/0"} for ts, count in counts]
    rows += [row(0, 500, metric="busyTimeMsPerSecond")]
    busy = {each.metric: each for each in by_counted_time(series_from_rows(rows))}["busyTimeMsPerSecond"]
    assert [point.value for point in busy.points if (point.ts_ms or 0) >= 12_000] == [1000.0, 1000.0, 1000.0]


def test_the_mean_of_a_counter_that_goes_back_a_little_is_that_of_all_of_its_time() -> None:
    """2,000 ms of 20 s are 10 %; the intervals that grew have 20, 20 and 10 %. A new attempt begins at 0."""
    counts = ((0, 20_000), (5_000, 21_000), (10_000, 20_500), (15_000, 21_500), (20_000, 22_000))
    again = ((25_000, 100), (30_000, 600))
    rows = [row(ts, count, metric="accumulateBusyTimeMs") for ts, count in (*counts, *again)]
    (counter,) = series_from_rows(rows)
    assert counted_ratio(counter.known) == 0.1


def test_a_counter_of_busy_time_that_goes_back_a_little_shows_an_interval_without_work() -> None:
    """A white cell of a chart would say that nobody took a sample."""
    counts = ((0, 20_000), (5_000, 21_000), (10_000, 20_500), (15_000, 21_500))
    rows = [row(ts, count, metric="accumulateBusyTimeMs") for ts, count in counts]
    rows += [row(0, 80, metric="busyTimeMsPerSecond")]
    busy = {each.metric: each for each in by_counted_time(series_from_rows(rows))}["busyTimeMsPerSecond"]
    assert [point.value for point in busy.points if (point.ts_ms or 0) > 0] == [200.0, 0.0, 200.0]


def test_the_mean_of_a_counter_leaves_out_the_time_after_the_task_has_ended() -> None:
    counts = ((0, 0), (10_000, 1_000), (20_000, 2_000), (90_000, 2_000))
    (counter,) = series_from_rows([row(ts, count, metric="accumulateBusyTimeMs") for ts, count in counts])
    assert counted_ratio(counter.known) == 0.1


def test_a_counter_that_starts_again_or_is_seldom_read_gives_no_ratio() -> None:
    counts = ((0, 9_000), (5_000, 10), (10_000, 510), (100_000, 90_000))
    rows = [row(ts, count, metric="accumulateBusyTimeMs") for ts, count in counts]
    rows += [row(ts, 500, metric="busyTimeMsPerSecond") for ts, _ in counts]
    busy = {each.metric: each for each in by_counted_time(series_from_rows(rows))}["busyTimeMsPerSecond"]
    assert [(point.ts_ms, point.value) for point in busy.points] == [
        (0, 500),
        (10_000, 100.0),
        (100_000, 500),
    ]


def test_samples_closer_than_the_counter_is_updated_are_compared_over_five_seconds() -> None:
    rows = [row(ts, ts // 5_000 * 2_500, metric="accumulateBackPressuredTimeMs") for ts in range(0, 21_000, 1_000)]
    rows += [row(ts, 7, metric="backPressuredTimeMsPerSecond") for ts in range(0, 21_000, 1_000)]
    held = {each.metric: each for each in by_counted_time(series_from_rows(rows))}["backPressuredTimeMsPerSecond"]
    assert {point.value for point in held.points if (point.ts_ms or 0) >= 5_000} == {500.0}


def test_a_task_without_subtasks_has_one_for_each_process_that_is_not_cited() -> None:
    about = {"job_id": JOB, "vertex": "Sink: a", "metric": "busyTimeMsPerSecond", "ts_ms": START, "value": 900.0}
    rows = [{**about, "task_manager": process} for process in ("tm-1", "tm-2")]
    found = metric_series(hand_made(metric_sample=rows)).by_vertex("busyTimeMsPerSecond", operators=False)
    (series,) = found.values()
    assert sorted((each.subtask, each.task_manager) for each in series) == [(0, "tm-1"), (1, "tm-2")]
    assert "subtask" not in (series[0].cite(series[0].points[0]).text or "")


@pytest.mark.parametrize("others", [{"task_manager": None}, {"task_manager": "tm-1", "numbered": True}])
def test_a_sum_over_subtasks_is_no_subtask(others: Mapping[str, Any]) -> None:
    about = {"job_id": JOB, "vertex": "Sink: a", "metric": "busyTimeMsPerSecond", "ts_ms": START, "value": 900.0}
    rows = [{**about, "task_manager": others["task_manager"]}]
    rows += [{**about, "subtask": 3, "task_manager": "tm-1"}] if others.get("numbered") else []
    found = metric_series(hand_made(metric_sample=rows)).by_vertex("busyTimeMsPerSecond", operators=False)
    assert [each.subtask for series in found.values() for each in series] == ([3] if others.get("numbered") else [])
