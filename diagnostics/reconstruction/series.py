"""Metrics over time, read once for all signals: one series for each metric of each subtask or process."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from diagnostics.arrow_cell import cell_of, cell_schema, rows_in
from diagnostics.citation import Citation
from diagnostics.evidence import TABLES, Evidence, read_once
from diagnostics.reconstruction.cluster import normalised

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

MOST_POINTS = 150_000
"""How many points are read in all; more are thinned to the last one of each time slice. Our choice: about 30 MB."""
MOST_SLICES, FEWEST_SLICES = 360, 12
"""How many time slices a series keeps. Our choice: half an hour of scrapes each 5 s stays as it is."""
FEW_SAMPLES = 300_000
"""Up to how many samples of all metrics the followed ones are read as they are: about a third. Our choice."""
AS_LONG_RATIO = 0.8
"""Files with this part of the longest file's points count as equally long. Our choice."""

FOLLOWED = (
    "numRecordsIn",
    "numRecordsOut",
    "numBytesIn",
    "busyTimeMsPerSecond",
    "backPressuredTimeMsPerSecond",
    "currentInputWatermark",
    "currentOutputWatermark",
    "numLateRecordsDropped",
    "pendingRecords",
    "numRegisteredTaskManagers",
    "taskSlotsAvailable",
    "taskSlotsTotal",
    "numRestarts",
    "fullRestarts",
    "numberOfCompletedCheckpoints",
    "numberOfFailedCheckpoints",
    "lastCheckpointDuration",
    "lastCheckpointFullSize",
    "Status.JVM.CPU.Load",
    "Status.JVM.CPU.Time",
    "System.CPU.IOWait",
    "System.CPU.Steal",
    "Status.JVM.Memory.Heap.Used",
    "Status.JVM.Memory.Heap.Max",
    "Status.JVM.Memory.Metaspace.Used",
    "Status.JVM.Memory.Metaspace.Max",
    "Status.Shuffle.Netty.TotalMemorySegments",
    "Status.Shuffle.Netty.UsedMemorySegments",
    "Status.Shuffle.Netty.RequestedMemoryUsage",
)
WATERMARKS = ("currentInputWatermark", "currentOutputWatermark")
"""The only ones of them that may be negative, or as large as a number gets: the end of the input."""
TIME_SHARES = ("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond")
LARGEST_SHARE_MS = 2_000.0
"""A second has 1,000 ms. Our choice: twice as much is no clock that was read a little late."""
LARGEST_COUNT = 2.0**62
"""Half of what Flink's long can hold: a counter that is there was never counted up to it. Our choice."""
FOLLOWED_PREFIX = "Status.JVM.GarbageCollector."
BUFFER_POOLS: Mapping[str, str] = {
    "outPoolUsage": "out",
    "inPoolUsage": "in",
    "inputFloatingBuffersUsage": "floating",
    "inputExclusiveBuffersUsage": "exclusive",
}
"""Last part of a metric in its older and newer group -> pool. Of these single samples are asked for and no series.
Source: reference/metrics.csv (buffers)."""

ROCKSDB = (
    "rocksdb.stall_micros",
    "rocksdb.actual-delayed-write-rate",
    "rocksdb.log.stall_percent",
    "rocksdb.is-write-stopped",
    "rocksdb.estimate-pending-compaction-bytes",
)
"""How it writes, and how it waits; again single samples. Source: reference/metrics.csv (rocksdb); those with `log.` are
of RocksDB's own log."""
ROCKSDB_FILES = "rocksdb.num-files-at-level"


@dataclass(frozen=True, slots=True)
class Point:
    """The last value of one time slice, and where it stands. A null value is an unknown value, not a missing sample."""

    ts_ms: int | None
    value: float | None
    file_id: int
    line: int | None
    last_line: int | None
    pointer: str | None


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one subtask, operator or process, in time order."""

    metric: str
    job_id: str | None
    vertex_id: str | None
    vertex: str | None
    operator: str | None
    subtask: int | None
    task_manager: str | None
    points: tuple[Point, ...]

    @property
    def known(self) -> tuple[Point, ...]:
        """The points whose value is known."""
        return tuple(point for point in self.points if point.value is not None)

    def cite(self, point: Point) -> Citation:
        """The citation of one of its points."""
        of_subtask = f" of subtask {self.subtask}" if self.subtask is not None else ""
        place = self.operator or self.vertex or self.task_manager
        shown = "unknown" if point.value is None else f"{point.value:.15g}"
        return Citation.of(
            point,
            "metric",
            f"{self.metric}{of_subtask}{f' of {place}' if place else ''} = {shown}",
            name=self.metric,
            value=point.value,
        )


class MetricSeries:
    """All followed series of an analysis."""

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
        """The task's name as metrics print it."""
        return self._names.get(vertex)

    def metrics(self) -> Sequence[str]:
        """The metrics there are."""
        return sorted(self._by_metric)

    def by_vertex(self, metric: str, *, operators: bool) -> Mapping[tuple[str | None, str], list[Series]]:
        """The series of a metric by (job, vertex): those of operators, or those of the tasks as a whole."""
        found: dict[tuple[str | None, str], list[Series]] = defaultdict(list)
        for each in self.of(metric):
            vertex = each.vertex_id or each.vertex
            if vertex and each.subtask is not None and (each.operator is not None) == operators:
                found[each.job_id, vertex].append(each)
        return found


@read_once
def metric_series(evidence: Evidence) -> MetricSeries:
    """The followed metrics of an analysis. One Spark job, done once for each Evidence.

    Reads   metric_sample.
    Gives   one series for each (metric, job, vertex, operator, subtask, TaskManager). Where several files tell the same
            series (a scrape, a Prometheus server's answer, a REST answer) those that overlap in time are not mixed,
            since each has its own delay: the file with most points is taken.
    """
    is_told = evidence.may_have("metric_sample", "metric", is_followed)
    return MetricSeries(series_from_rows(_rows(evidence)) if is_told else ())


KEYS = ("metric", "job_id", "vertex_id", "vertex", "operator", "subtask", "task_manager", "file_id")
COLUMNS = (*KEYS, "ts_ms", "value", "line", "last_line", "pointer")


def is_followed(metric: str) -> bool:
    """Whether there are series of the metric."""
    return metric in FOLLOWED or metric.startswith(FOLLOWED_PREFIX)


def is_sampled(metric: str) -> bool:
    """Whether single samples of the metric are asked for."""
    return last_part(metric) in BUFFER_POOLS or metric in ROCKSDB or metric.startswith(ROCKSDB_FILES)


def last_part(metric: str) -> str:
    """The metric's own name in its group."""
    return metric.rpartition(".")[2]


@read_once
def few_samples(evidence: Evidence) -> pa.Table | None:
    """The samples of all metrics that are followed or of which single ones are asked for, in COLUMNS and `labels`.

    One Spark job, done once for each Evidence; aggregates and quantiles are left out. None where the table has more
    than FEW_SAMPLES rows: then Spark has to make fewer of them first.
    """
    import pyarrow as pa

    if evidence.rows["metric_sample"] > FEW_SAMPLES:
        return None
    columns = (*COLUMNS, "labels", "aggregate", "quantile")
    cells = evidence.worked("metric_sample", columns, _chosen, cell_schema()).collect()
    types = TABLES["metric_sample"].arrow_schema()
    none = pa.schema([types.field(name) for name in columns[:-2]]).empty_table()
    return pa.concat_tables([none, *(rows_in(row.cell) for row in cells)])


def of_metrics(samples: pa.Table, wanted: Callable[[str], bool]) -> pa.Table:
    """The samples of the metrics that are wanted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = [each for each in pc.unique(samples["metric"]).drop_null().to_pylist() if wanted(each)]
    return samples.filter(pc.is_in(samples["metric"].cast(pa.string()), pa.array(names, pa.string())))


def mappings(rows: pa.Table) -> Iterator[Mapping[str, Any]]:
    """The rows of a table."""
    columns = rows.to_pydict()
    return (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))


def grouped(samples: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> Mapping[tuple[Any, ...], list[Any]]:
    """The samples with a value by what they have in some columns."""
    found: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for sample in samples:
        if sample["value"] is not None:
            found[tuple(sample[key] for key in keys)].append(sample)
    return found


def _rows(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    few = few_samples(evidence)
    return mappings(_thinned(evidence["metric_sample"]).toArrow() if few is None else of_metrics(few, is_followed))


def _chosen(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the samples that `few_samples` gives."""
    import pyarrow.compute as pc

    for batch in batches:
        known = of_metrics(batch, lambda metric: is_followed(metric) or is_sampled(metric))
        summed_up = pc.or_(pc.is_valid(known["aggregate"]), pc.is_valid(known["quantile"]))
        chosen = known.filter(pc.invert(summed_up)).drop_columns(["aggregate", "quantile"])
        if chosen.num_rows:
            yield cell_of(chosen)


def _thinned(table: DataFrame) -> DataFrame:
    """The last sample of each time slice of each followed series."""
    names = ", ".join(f"'{name}'" for name in FOLLOWED)
    samples = table.where(
        f"(metric IN ({names}) OR startswith(metric, '{FOLLOWED_PREFIX}')) AND aggregate IS NULL AND quantile IS NULL"
    )
    span = samples.agg(
        sf.min("ts_ms").alias("from_ms"),
        sf.max("ts_ms").alias("to_ms"),
        sf.approx_count_distinct(sf.struct(*KEYS)).alias("series"),
    )
    slices = f"LEAST({MOST_SLICES}, GREATEST({FEWEST_SLICES}, {MOST_POINTS} / GREATEST(series, 1)))"
    sliced = samples.crossJoin(sf.broadcast(span)).withColumn(
        "slice", sf.expr(f"CAST((ts_ms - from_ms) * {slices} / GREATEST(to_ms - from_ms, 1) AS INT)")
    )
    last = sf.max_by(sf.struct("ts_ms", "value", "line", "last_line", "pointer"), sf.coalesce("ts_ms", sf.lit(0)))
    slimmed = sliced.groupBy(*KEYS, "slice").agg(last.alias("last")).limit(2 * MOST_POINTS)
    return slimmed.select(*KEYS, "last.*")


def series_from_rows(rows: Iterable[Mapping[str, Any]]) -> list[Series]:
    """The series of sampled rows, with overlapping files of one series reduced to the best one."""
    by_series: dict[tuple[Any, ...], dict[int, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    sizes: Counter[int] = Counter()
    for row in rows:
        operator = normalised(row["operator"]) if row["operator"] else None
        of_process = normalised(row["task_manager"]) if row["subtask"] is None else None
        vertex = row["vertex_id"] or normalised(row["vertex"])
        key = (row["metric"], row["job_id"] or "", vertex, operator or "", row["subtask"], of_process or "")
        by_series[key][row["file_id"]].append(row)
        sizes[row["file_id"]] += 1
    found = []
    for key in sorted(by_series, key=repr):
        chosen = _without_overlaps(by_series[key], sizes)
        first = max(chosen, key=lambda row: (row["task_manager"] is not None, row["vertex"] or "", row["file_id"]))
        points = tuple(
            Point(row["ts_ms"], _possible(row), row["file_id"], row["line"], row["last_line"], row["pointer"])
            for row in sorted(chosen, key=lambda row: (row["ts_ms"] or 0, row["file_id"], row["line"] or 0))
        )
        names = {name: first[name] for name in ("metric", "job_id", "vertex_id", "vertex", "operator", "subtask")}
        found.append(Series(**names, task_manager=first["task_manager"], points=points))
    return found


def _possible(row: Mapping[str, Any]) -> float | None:
    """The value, None where no such metric can have it: it is as good as not told."""
    value: float | None = row["value"]
    if value is None or row["metric"] in WATERMARKS:
        return value
    largest = LARGEST_SHARE_MS if row["metric"] in TIME_SHARES else LARGEST_COUNT
    return value if 0 <= value <= largest else None


def _without_overlaps(
    files: Mapping[int, list[Mapping[str, Any]]], sizes: Mapping[int, int]
) -> list[Mapping[str, Any]]:
    """Rows of the best file, and of others only where they do not overlap it in time.

    Among files with about as many points the one that holds most of all series is best: its series fit together.
    """
    longest = max(len(rows) for rows in files.values())

    def rank(rows: list[Mapping[str, Any]]) -> tuple[bool, int, int, int]:
        file_id = rows[0]["file_id"]
        return len(rows) < AS_LONG_RATIO * longest, -sizes[file_id], -len(rows), file_id

    taken: list[tuple[int, int]] = []
    chosen: list[Mapping[str, Any]] = []
    for rows in sorted(files.values(), key=rank):
        stamps = [row["ts_ms"] for row in rows if row["ts_ms"] is not None]
        if not stamps:
            if not chosen:
                chosen += rows
            continue
        first, last = min(stamps), max(stamps)
        if any(first <= end and last >= start for start, end in taken):
            continue
        taken.append((first, last))
        chosen += rows
    return chosen


def since_restart(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points of a counter since it last began anew (a new attempt counts from 0)."""
    known = [point for point in points if point.value is not None]
    start = 0
    for index in range(1, len(known)):
        before, after = known[index - 1].value, known[index].value
        if before is not None and after is not None and after < before:
            start = index
    return tuple(known[start:])


def increase(points: Sequence[Point]) -> float:
    """How much a counter grew over the points; after a restart it counts from 0 again."""
    known = [point.value for point in points if point.value is not None]
    return sum(after - before if after >= before else after for before, after in itertools.pairwise(known))
