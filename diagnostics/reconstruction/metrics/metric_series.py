"""Metrics over time: one series for each metric of each subtask, operator or process."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from diagnostics.aggregators import jobs, metric_points
from diagnostics.arithmetic.row_groups import row_groups
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.dictionary_encoding import dictionary_encoded
from diagnostics.notation.printed_name import normalised
from diagnostics.wording.phrase import duration

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from diagnostics.arithmetic.row_groups import Numbers

    Flags = npt.NDArray[np.bool_]

AS_LONG_RATIO = 0.8
"""Files with at least this share of the longest file's points count as equally long. Our choice."""

WATERMARKS = ("currentInputWatermark", "currentOutputWatermark")
"""Metrics whose values may be negative, or the largest number, which marks the end of the input."""
COUNTERS_OF_JOBS = (
    *("numRestarts", "fullRestarts"),
    *("totalNumberOfCheckpoints", "numberOfCompletedCheckpoints", "numberOfFailedCheckpoints"),
)
"""Metrics that count since the job was submitted."""
BUSY, RECORDS = "busyTimeMsPerSecond", ("numRecordsIn", "numRecordsOut")
TIME_COUNTERS = {BUSY: "accumulateBusyTimeMs", "backPressuredTimeMsPerSecond": "accumulateBackPressuredTimeMs"}
"""Gauge -> the counter of the same time. The gauge is a mean of the last 60 s, which shows trouble up to a minute late
and never as high as a short one was. Source: Flink's TimerGauge, DEFAULT_TIME_SPAN_IN_SECONDS."""
LEAST_COUNTED_MS, MOST_COUNTED_MS = 4_500, 60_000
"""The time between two samples of such a counter that gives a ratio. Source: Flink's View updates it every 5 s, and a
scrape may be early; our choice for the most: the time over which the gauge itself is a mean.
"""
LARGEST_COUNT = 2.0**62
"""Largest plausible value of a metric: half of a Java long, which no counter reaches. Our choice."""
LARGEST_VALUE: Mapping[str, float] = {
    "busyTimeMsPerSecond": 2_000.0,
    "backPressuredTimeMsPerSecond": 2_000.0,
    **dict.fromkeys(WATERMARKS, math.inf),
}
"""Metrics with another largest plausible value. Our choice for times in a second: 2,000 ms, as a value slightly above
1,000 ms comes from a clock that was read late."""


class Point(NamedTuple):
    """One sample with its place in the file. The value None is an unknown value, not a missing sample."""

    ts_ms: int | None
    value: float | None
    file_id: int
    line: int | None
    last_line: int | None
    pointer: str | None


@dataclass(frozen=True, slots=True)
class Counted:
    """What a point of a gauge was computed from: the sample of a counter of time, and the time it covers."""

    counter: str
    count: float
    span_ms: int


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one subtask, operator or process, in time order.

    counted_before  of a counter of a job: what it had counted when the evidence begins
    counted         epoch ms of a point -> the counter's sample that it was computed from and that is at its place
    """

    metric: str
    job_id: str | None
    vertex_id: str | None
    vertex: str | None
    operator: str | None
    subtask: int | None
    task_manager: str | None
    points: tuple[Point, ...]
    counted_before: float = 0.0
    counted: Mapping[int, Counted] = field(default_factory=dict)

    @property
    def known(self) -> tuple[Point, ...]:
        """The points whose value is known."""
        return tuple(point for point in self.points if point.value is not None)

    def cite(self, point: Point) -> Citation:
        """The citation of one of its points."""
        of_subtask = f" of subtask {self.subtask}" if self.subtask is not None else ""
        place = self.operator or self.vertex or self.task_manager
        shown = "unknown" if point.value is None else f"{point.value:.15g}"
        counted = self.counted.get(point.ts_ms) if point.ts_ms is not None else None
        if counted and point.value is not None:
            return Citation.of(
                point,
                "metric",
                f"{counted.counter}{of_subtask}{f' of {place}' if place else ''} = {counted.count:.15g}: "
                f"{point.value:.0f} ms/s over {duration(counted.span_ms)}",
                name=counted.counter,
                value=counted.count,
            )
        return Citation.of(
            point,
            "metric",
            f"{self.metric}{of_subtask}{f' of {place}' if place else ''} = {shown}",
            name=self.metric,
            value=point.value,
        )


class MetricSeries:
    """All series of followed metrics (vocabulary/followed_metrics.yaml) of an analysis."""

    def __init__(self, series: Iterable[Series]) -> None:
        self._by_metric: dict[str, list[Series]] = defaultdict(list)
        self._names: dict[tuple[str | None, str], str] = {}
        for each in series:
            self._by_metric[each.metric].append(each)
            if each.vertex:
                self._names.setdefault((each.job_id, each.vertex_id or each.vertex), each.vertex)

    def of(self, metric: str) -> Sequence[Series]:
        """The series of one metric."""
        return self._by_metric.get(metric, [])

    def name_of(self, vertex: tuple[str | None, str]) -> str | None:
        """The name of a task in metrics."""
        return self._names.get(vertex)

    def metrics(self) -> Sequence[str]:
        """The names of the metrics that have a series."""
        return sorted(self._by_metric)

    def by_vertex(self, metric: str, *, operators: bool) -> Mapping[tuple[str | None, str], list[Series]]:
        """The series of a metric by (job, vertex): those of its operators, or those of the task."""
        found: dict[tuple[str | None, str], list[Series]] = defaultdict(list)
        for each in self.of(metric):
            vertex = each.vertex_id or each.vertex
            if vertex and each.subtask is not None and (each.operator is not None) == operators:
                found[each.job_id, vertex].append(each)
        return found


@read_once
def metric_series(evidence: Evidence) -> MetricSeries:
    """The followed metrics of an analysis, computed once for each Evidence.

    Reads   metric_sample.
    Gives   one series for each (metric, job, vertex, operator, subtask, TaskManager). If several files (a scrape, the
            answer of a Prometheus server, a REST answer) contain the same series at overlapping times, the file with
            most points is used: they are not mixed, because each source has its own delay. How busy a subtask is before
            its first record is unknown: Flink reports a task that initialises as busy. Busy and back-pressured time
            come from their counters where two samples of these are close enough.
    """
    series = by_counted_time(series_of_samples(evidence.answer(metric_points.AGGREGATOR)))
    return MetricSeries(_counted_from(evidence, without_start_up(series)))


def _counted_from(evidence: Evidence, series: Iterable[Series]) -> Iterator[Series]:
    """The series; counters of jobs know what they had counted when a snapshot began after the job did."""
    if evidence.begins_ms is None:
        yield from series
        return
    later = {
        row["job_id"]
        for row in evidence.answer(jobs.AGGREGATOR).select(["job_id", "start_ms"]).to_pylist()
        if row["start_ms"] is not None and row["start_ms"] >= evidence.begins_ms
    }
    for each in series:
        is_older = each.metric in COUNTERS_OF_JOBS and each.job_id not in later
        known = each.known if is_older else ()
        yield replace(each, counted_before=known[0].value or 0.0) if known else each


def by_counted_time(series: Sequence[Series]) -> list[Series]:
    """The series; gauges of busy and back-pressured time have the ratios of their counters instead of means of 60 s."""
    counters = {
        (each.metric, *_subtask_key(each)): each.known for each in series if each.metric in TIME_COUNTERS.values()
    }
    return [
        _counted_gauge(each, counters.get((TIME_COUNTERS[each.metric], *_subtask_key(each)), ()))
        if each.metric in TIME_COUNTERS and each.operator is None
        else each
        for each in series
    ]


def _counted_gauge(gauge: Series, samples: Sequence[Point]) -> Series:
    """The gauge with a point at each sample of its counter; its own points remain where the counter has none."""
    points: dict[int, Point] = {}
    counted: dict[int, Counted] = {}
    spans: list[tuple[int, int]] = []
    earlier = 0
    for place, point in enumerate(samples):
        until_ms = point.ts_ms or 0
        while earlier + 1 < place and until_ms - (samples[earlier + 1].ts_ms or 0) >= LEAST_COUNTED_MS:
            earlier += 1
        before = samples[earlier]
        span_ms, grown = until_ms - (before.ts_ms or 0), (point.value or 0.0) - (before.value or 0.0)
        if LEAST_COUNTED_MS <= span_ms <= MOST_COUNTED_MS and grown >= 0:
            points[until_ms] = point._replace(value=min(grown / span_ms, 1.0) * 1000)
            counted[until_ms] = Counted(TIME_COUNTERS[gauge.metric], point.value or 0.0, span_ms)
            spans.append((until_ms - span_ms, until_ms))
    if not points:
        return gauge
    begins = [since_ms for since_ms, _ in spans]
    for point in gauge.points:
        place = bisect_left(begins, point.ts_ms or 0)
        if not place or (point.ts_ms or 0) > spans[place - 1][1]:
            points.setdefault(point.ts_ms or 0, point)
    return replace(gauge, points=tuple(points[ts_ms] for ts_ms in sorted(points)), counted=counted)


def without_start_up(series: Sequence[Series]) -> Iterator[Series]:
    """The series; values of busy time from the start of an attempt to the first sample with records are unknown.

    Source: Flink's TaskIOMetricGroup computes busy time as what is neither idle nor back-pressured, also while a task
    is INITIALIZING. An attempt without any record stays as measured.
    """
    starts = {subtask: list(_start_ups(records)) for subtask, records in _records_over_time(series).items()}
    for gauge in series:
        spans = starts.get(_subtask_key(gauge)) if gauge.metric == BUSY else None
        yield replace(gauge, points=tuple(map(partial(_unknown_within, spans), gauge.points))) if spans else gauge


def _records_over_time(series: Sequence[Series]) -> Mapping[tuple[Any, ...], Mapping[int, float]]:
    """Subtask -> epoch ms -> records read and written so far, of subtasks whose busy time is measured."""
    measured = {_subtask_key(gauge) for gauge in series if gauge.metric == BUSY}
    records: dict[tuple[Any, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    counters = [each for each in series if each.metric in RECORDS and each.operator is None]
    for counter in counters:
        key = _subtask_key(counter)
        for point in counter.known if key in measured else ():
            records[key][point.ts_ms or 0] += point.value or 0.0
    return records


def _subtask_key(series: Series) -> tuple[Any, ...]:
    return series.job_id, series.vertex_id or series.vertex, series.subtask


def _start_ups(records: Mapping[int, float]) -> Iterator[tuple[int, int]]:
    """The times in which a subtask has no record yet and gets one later, [from, until).

    The sample that counts its first records is within: its value covers the time since the sample before it.
    """
    since: int | None = None
    for ts_ms in sorted(records):
        if records[ts_ms] == 0:
            since = ts_ms if since is None else since
        elif since is not None:
            yield since, ts_ms + 1
            since = None


def _unknown_within(spans: Sequence[tuple[int, int]], point: Point) -> Point:
    is_within = any(begin <= (point.ts_ms or 0) < end for begin, end in spans)
    return point._replace(value=None) if is_within else point


@dataclass(slots=True)
class _FileOfSeries:
    """The points of a series in one file: their number, first and last time."""

    file_id: int
    points: int
    first_ms: int | None
    last_ms: int | None


def series_of_samples(samples: pa.Table) -> list[Series]:
    """The series of metric samples; of files of one series that overlap in time only the best one is used.

    samples  rows with `metric_points.SERIES`, `ts_ms`, `value` and the citation
    """
    import numpy as np
    import pyarrow as pa

    first, spelled = row_groups(samples, metric_points.SERIES)
    spellings = samples.select(metric_points.SERIES).take(pa.array(first)).to_pylist()
    numbers: dict[tuple[Any, ...], int] = {}
    number_of = np.array([numbers.setdefault(_key(each), len(numbers)) for each in spellings], np.int64)
    order = {number: place for place, number in enumerate(numbers[key] for key in sorted(numbers, key=repr))}
    number_of = np.array([order[number] for number in number_of.tolist()], np.int64)

    chosen = _chosen_spellings(samples, number_of, spelled, spellings)
    series = number_of[spelled]
    times, lines = (samples[name].fill_null(0).to_numpy() for name in ("ts_ms", "line"))
    places = np.lexsort((lines, samples["file_id"].to_numpy(), times, series))
    places = places[chosen[spelled[places]]]
    points = list(map(Point._make, zip(*_point_columns(samples.take(pa.array(places))), strict=True)))

    of_series: list[list[Mapping[str, Any]]] = [[] for _ in numbers]
    for number, spelling, is_chosen in zip(number_of.tolist(), spellings, chosen.tolist(), strict=True):
        if is_chosen:
            of_series[number].append(spelling)
    bounds = np.searchsorted(series[places], np.arange(len(numbers) + 1)).tolist()
    found = []
    for each, begin, end in zip(of_series, bounds[:-1], bounds[1:], strict=True):
        best = max(each, key=lambda row: (row["task_manager"] is not None, row["vertex"] or "", row["file_id"]))
        names = {name: value for name, value in best.items() if name != "file_id"}
        found.append(Series(**names, points=tuple(points[begin:end])))
    return found


def _key(spelling: Mapping[str, Any]) -> tuple[Any, ...]:
    """A key of a series that is the same for all spellings of its names in different files."""
    operator = normalised(spelling["operator"]) if spelling["operator"] else ""
    process = normalised(spelling["task_manager"]) if spelling["subtask"] is None else ""
    vertex = spelling["vertex_id"] or normalised(spelling["vertex"])
    return spelling["metric"], spelling["job_id"] or "", vertex, operator, spelling["subtask"], process


def _chosen_spellings(
    samples: pa.Table, number_of: Numbers, spelled: Numbers, spellings: Sequence[Mapping[str, Any]]
) -> Flags:
    """For each spelling of a series whether its points are used."""
    import numpy as np
    import pyarrow as pa

    rows = pa.table({"spelling": spelled, "ts_ms": samples["ts_ms"], "file_id": samples["file_id"]})
    sizes = {row["values"]: row["counts"] for row in rows["file_id"].value_counts().to_pylist()}
    spans = rows.group_by("spelling", use_threads=False).aggregate([([], "count_all"), ("ts_ms", "min_max")])
    files: dict[int, dict[int, _FileOfSeries]] = defaultdict(dict)
    for row in spans.sort_by("spelling").to_pylist():
        number, file_id = int(number_of[row["spelling"]]), spellings[row["spelling"]]["file_id"]
        ends = [row["ts_ms_min_max"]["min"], row["ts_ms_min_max"]["max"]]
        known = files[number].setdefault(file_id, _FileOfSeries(file_id, 0, *ends))
        known.points += row["count_all"]
        if ends[0] is not None:
            known.first_ms = ends[0] if known.first_ms is None else min(known.first_ms, ends[0])
            known.last_ms = ends[1] if known.last_ms is None else max(known.last_ms, ends[1])
    taken = {number: _without_overlaps(list(each.values()), sizes) for number, each in files.items()}
    return np.array(
        [row["file_id"] in taken[number] for row, number in zip(spellings, number_of.tolist(), strict=True)], bool
    )


def _point_columns(samples: pa.Table) -> Iterator[list[Any]]:
    """The columns of Point; values that are not plausible for their metric are None."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    names, codes = dictionary_encoded(samples["metric"])
    lowest = np.array([-np.inf if name in WATERMARKS else 0.0 for name in names])[codes]
    highest = np.array([LARGEST_VALUE.get(name or "", LARGEST_COUNT) for name in names])[codes]
    values = samples["value"]
    possible = pc.and_(pc.greater_equal(values, pa.array(lowest)), pc.less_equal(values, pa.array(highest)))
    for name in Point._fields:
        column = pc.if_else(possible, values, pa.scalar(None, pa.float64())) if name == "value" else samples[name]
        yield column.to_pylist()


def _without_overlaps(files: Sequence[_FileOfSeries], sizes: Mapping[int, int]) -> set[int]:
    """The best file of a series, and all other files that do not overlap it in time.

    Among files with a similar number of points, the one with most points of all series is best, so that different
    series come from the same file.
    """
    longest = max(each.points for each in files)

    def rank(each: _FileOfSeries) -> tuple[bool, int, int, int]:
        return each.points < AS_LONG_RATIO * longest, -sizes[each.file_id], -each.points, each.file_id

    taken: list[tuple[int, int]] = []
    chosen: set[int] = set()
    for file in sorted(files, key=rank):
        if file.first_ms is None or file.last_ms is None:
            if not chosen:
                chosen.add(file.file_id)
            continue
        if any(file.first_ms <= end and file.last_ms >= start for start, end in taken):
            continue
        taken.append((file.first_ms, file.last_ms))
        chosen.add(file.file_id)
    return chosen


def counters_by_vertex(series: MetricSeries, metric: str) -> Mapping[tuple[str | None, str], list[Series]]:
    """The counter of each subtask by task; computed from the rate for tasks with samples of the rate only."""
    rates = series.by_vertex(f"{metric}PerSecond", operators=False)
    summed = {vertex: [_summed(each, metric) for each in of_task] for vertex, of_task in rates.items()}
    return {**summed, **series.by_vertex(metric, operators=False)}


def _summed(rate: Series, metric: str) -> Series:
    """The counter of a rate: 0 at its first sample; each rate applies to the time since the previous sample."""
    points: list[Point] = []
    count = 0.0
    for point in rate.known:
        if point.ts_ms is None or point.value is None:
            continue
        before = points[-1].ts_ms if points else None
        count += point.value * (point.ts_ms - before) / 1000 if before is not None else 0.0
        points.append(point._replace(value=count))
    return replace(rate, metric=f"{metric} (by its rate)", points=tuple(points))


def since_restart(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points of a counter since its last restart: a new attempt counts from 0."""
    known = [point for point in points if point.value is not None]
    start = 0
    for index in range(1, len(known)):
        before, after = known[index - 1].value, known[index].value
        if before is not None and after is not None and after < before:
            start = index
    return tuple(known[start:])


def increase(points: Sequence[Point]) -> float:
    """The increase of a counter over the points; after a restart it counts from 0 again."""
    known = [point.value for point in points if point.value is not None]
    return sum(after - before if after >= before else after for before, after in itertools.pairwise(known))
