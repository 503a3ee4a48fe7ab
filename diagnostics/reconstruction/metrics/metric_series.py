"""Metrics over time: one series for each metric of each subtask, operator or process."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import jobs, metric_points
from diagnostics.arithmetic.row_groups import row_groups
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.dictionary_encoding import dictionary_encoded
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.metrics.counted_time import by_counted_time
from diagnostics.reconstruction.metrics.scrape_order import file_places, scrape_order
from diagnostics.reconstruction.metrics.series import Point, Series
from diagnostics.reconstruction.metrics.start_up import without_start_up

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from diagnostics.arithmetic.row_groups import Numbers

    Flags = npt.NDArray[np.bool_]

AS_LONG_RATIO = 0.8
"""Files with at least this share of the longest file's points count as equally long. Our choice."""

WATERMARKS = ("currentInputWatermark", "currentInput1Watermark", "currentInput2Watermark", "currentOutputWatermark")
"""Metrics whose values may be negative, or the largest number, which marks the end of the input."""
COUNTERS_OF_JOBS = (
    *("numRestarts", "fullRestarts"),
    *("totalNumberOfCheckpoints", "numberOfCompletedCheckpoints", "numberOfFailedCheckpoints"),
)
"""Metrics that count since the job was submitted."""
BEAM_BOUND = 9.223371e15
"""Beam writes no watermark as the lowest, and the end of the input as the highest number of microseconds, divided by a
thousand: +-9223372036854775 ms, a day less for its global window. Source: Beam, BoundedWindow."""
BEAM_LARGEST = 9.2234e15
LARGEST_COUNT = 2.0**62
"""Largest plausible value of a metric: half of a Java long, which no counter reaches. Our choice."""
LARGEST_VALUE: Mapping[str, float] = {
    "busyTimeMsPerSecond": 2_000.0,
    "backPressuredTimeMsPerSecond": 2_000.0,
    **dict.fromkeys(WATERMARKS, math.inf),
}
"""Metrics with another largest plausible value. Our choice for times in a second: 2,000 ms, as a value slightly above
1,000 ms comes from a clock that was read late."""


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

    def by_vertex(
        self, metric: str, *, operators: bool, with_sums: bool = False
    ) -> Mapping[tuple[str | None, str], list[Series]]:
        """The series of a metric by (job, vertex): those of its operators, or those of the task.

        with_sums  also series that name no subtask, of vertices without others: sums over the subtasks, and lines that
                   somebody copied without that label
        """
        of_subtasks: dict[tuple[str | None, str], list[Series]] = defaultdict(list)
        sums: dict[tuple[str | None, str], list[Series]] = defaultdict(list)
        for each in self.of(metric):
            vertex = each.vertex_id or each.vertex
            if vertex and (each.operator is not None) == operators:
                (of_subtasks if each.subtask is not None else sums)[each.job_id, vertex].append(each)
        return {**sums, **of_subtasks} if with_sums else of_subtasks


@read_once
def metric_series(evidence: Evidence) -> MetricSeries:
    """The followed metrics of an analysis, computed once for each Evidence.

    Reads   metric_sample.
    Gives   one series for each (metric, job, vertex, operator, subtask, process). If several files (a scrape, the
            answer of a Prometheus server, a REST answer) contain the same series at overlapping times, the file with
            most points is used: they are not mixed, because each source has its own delay. How busy a subtask is before
            its first record is unknown: Flink reports a task that initialises as busy. Busy and back-pressured time
            come from their counters where two samples of these are close enough.
    """
    series = by_counted_time(_with_subtasks(series_of_samples(evidence.answer(metric_points.AGGREGATOR))))
    return MetricSeries(_counted_from(evidence, without_start_up(series)))


def _with_subtasks(series: Sequence[Series]) -> list[Series]:
    """The series; those of a task without a subtask get one for each process.

    People copy a series without all of its labels. A series that names its process was not summed over subtasks.
    """
    numbered = {each.subtask_key[:2] for each in series if each.subtask is not None}
    processes: dict[tuple[str | None, str | None], dict[str, int]] = defaultdict(dict)
    complete = []
    for one in series:
        task = one.subtask_key[:2]
        if one.subtask is None and one.task_manager and task[1] and task not in numbered:
            number = processes[task].setdefault(one.task_manager, len(processes[task]))
            complete.append(replace(one, subtask=number, is_numbered=False))
        else:
            complete.append(one)
    return complete


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
    several = len({each["host"] for each in spellings if each["host"]}) > 1
    number_of = np.array([numbers.setdefault(_key(each, several), len(numbers)) for each in spellings], np.int64)
    order = {number: place for place, number in enumerate(numbers[key] for key in sorted(numbers, key=repr))}
    number_of = np.array([order[number] for number in number_of.tolist()], np.int64)

    series = number_of[spelled]
    later = scrape_order(samples, series)
    chosen = _chosen_spellings(samples, number_of, spelled, spellings, later)
    times, lines = (samples[name].fill_null(0).to_numpy() for name in ("ts_ms", "line"))
    places = np.lexsort((lines, file_places(samples, later), times, series))
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


def _key(spelling: Mapping[str, Any], several_hosts: bool) -> tuple[Any, ...]:
    """A key of a series that is the same for all spellings of its names in different files.

    several_hosts  whether nothing but their hosts distinguishes several processes; REST names none
    """
    operator = normalised(spelling["operator"]) if spelling["operator"] else ""
    process = normalised(spelling["task_manager"]) if spelling["subtask"] is None else ""
    vertex = spelling["vertex_id"] or normalised(spelling["vertex"])
    host = spelling["host"] or "" if several_hosts else ""
    return spelling["metric"], spelling["job_id"] or "", vertex, operator, spelling["subtask"], process, host


def _chosen_spellings(
    samples: pa.Table,
    number_of: Numbers,
    spelled: Numbers,
    spellings: Sequence[Mapping[str, Any]],
    later: Mapping[int, float],
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
    taken = {number: _without_overlaps(list(each.values()), sizes, later) for number, each in files.items()}
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
    values = _as_flink_writes(samples["value"], np.array([name in WATERMARKS for name in names])[codes])
    possible = pc.and_(pc.greater_equal(values, pa.array(lowest)), pc.less_equal(values, pa.array(highest)))
    for name in Point._fields:
        column = pc.if_else(possible, values, pa.scalar(None, pa.float64())) if name == "value" else samples[name]
        yield column.to_pylist()


def _as_flink_writes(values: pa.ChunkedArray, is_watermark: Flags) -> pa.ChunkedArray:
    """Values in which Beam's bounds of watermarks are those of Flink: none, and the end of the input."""
    import pyarrow as pa
    import pyarrow.compute as pc

    of_beam = pc.and_(pc.greater(pc.abs(values), BEAM_BOUND), pc.less(pc.abs(values), BEAM_LARGEST))
    of_beam = pc.fill_null(pc.and_(of_beam, pa.array(is_watermark)), False)
    flinks = pc.if_else(pc.less(values, 0.0), pa.scalar(None, pa.float64()), 2.0**63)
    return pc.if_else(of_beam, flinks, values)


def _without_overlaps(files: Sequence[_FileOfSeries], sizes: Mapping[int, int], later: Mapping[int, float]) -> set[int]:
    """The best file of a series, and all other files that do not overlap it in time.

    Among files with a similar number of points, the one with most points of all series is best, so that different
    series come from the same file. Files without times count where no other file has the series: all of them if their
    counters show their order, else the best one.
    """
    longest = max(each.points for each in files)

    def rank(each: _FileOfSeries) -> tuple[bool, int, int, int]:
        return each.points < AS_LONG_RATIO * longest, -sizes[each.file_id], -each.points, each.file_id

    taken: list[tuple[int, int]] = []
    chosen: set[int] = set()
    for file in sorted(files, key=rank):
        if file.first_ms is None or file.last_ms is None:
            continue
        if any(file.first_ms <= end and file.last_ms >= start for start, end in taken):
            continue
        taken.append((file.first_ms, file.last_ms))
        chosen.add(file.file_id)
    scrapes = {each.file_id for each in files if each.file_id in later}
    return chosen or scrapes or {min(files, key=rank).file_id}


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
