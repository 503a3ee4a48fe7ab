"""Garbage collection of each JVM over time: pauses, full collections, live heap, and the process that wrote the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from statistics import median
from typing import Any

from diagnostics.aggregators import full_collections, heap_sizes, task_managers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.gc.pauses import SLICE_MS, combined, gc_pauses
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series

WORST_WINDOW_MS = 60_000
"""Length of the window with the largest share of time in GC pauses. Our choice: the window of Flink's rates."""
BACK_TO_BACK_MS = 5_000
"""Longest time between two full collections of one run. Our choice."""
HARMLESS_CAUSES = (
    "Metadata GC Threshold",
    "System.gc()",
    "Heap Dump Initiated GC",
    "Heap Inspection Initiated GC",
    "Diagnostic Command",
    "JvmtiEnv ForceGarbageCollection",
    "Metadata GC Clear Soft References",
)
"""Causes of full collections that do not indicate a full heap. Source: HotSpot's gcCause.cpp."""
OLD_COLLECTORS = ("Old", "MarkSweep", "Full")
"""Parts of the names of beans that count full collections: G1 Old Generation, PS MarkSweep, MarkSweepCompact, CMS."""
CONCURRENT_COLLECTORS = ("Concurrent_GC", "Cycles")
"""Parts of the names of beans whose time is not spent in pauses: G1 Concurrent GC, ZGC Cycles, Shenandoah Cycles."""
BEANS: Mapping[str, str] = {
    "G1_": "G1",
    "PS_": "Parallel",
    "ParNew": "CMS",
    "ConcurrentMarkSweep": "CMS",
    "Copy": "Serial",
    "MarkSweepCompact": "Serial",
    "ZGC": "ZGC",
    "Shenandoah": "Shenandoah",
}
"""Beginnings of the names of collectors' beans -> the collector. Source: HotSpot's names of garbage collector beans."""
COUNTS_TOLERANCE = 2.0
"""Largest mean difference between the collections of a log and of a metric of the same process. Our choice."""
SIZE_TOLERANCE = 0.02
"""Largest relative difference between two sizes of the same heap. Our choice."""


@dataclass(frozen=True, slots=True)
class FullCollection:
    """One full collection; sizes are bytes.

    ts_ms  its end in epoch ms, or in ms since the start of the JVM when the log has no wall clock
    """

    ts_ms: float
    pause_ms: float
    before_bytes: float | None
    after_bytes: float | None
    total_bytes: float | None
    cause: str | None
    file_id: int
    line: int | None
    last_line: int | None
    uptime_ms: float | None = None
    collector: str | None = None

    @property
    def for_room(self) -> bool:
        """Whether it ran because the heap was full."""
        return not any(cause in (self.cause or "") for cause in HARMLESS_CAUSES)


@dataclass(frozen=True, slots=True)
class Slice:
    """The pauses of one time slice."""

    start_ms: float
    pause_ms: float
    longest_ms: float
    collections: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """The collections of one JVM according to its GC log.

    process   resource id of the TaskManager, `jobmanager`, or else a name made from that of the GC log
    role      taskmanager or jobmanager, None if not known
    is_named  whether `process` is what Flink calls it
    """

    file_id: int
    process: str
    role: str | None
    collector: str | None
    heap_max_bytes: float | None
    started_ms: float | None
    has_clock: bool
    slices: tuple[Slice, ...]
    full: tuple[FullCollection, ...]
    is_named: bool = False

    @property
    def span_ms(self) -> float:
        """Time from the start of the JVM (if not known, from the first pause) to the last pause."""
        if not self.slices:
            return 0.0
        start = self.started_ms if self.started_ms is not None else self.slices[0].start_ms
        return max(self.slices[-1].start_ms + SLICE_MS - start, 1.0)

    @property
    def pause_ms(self) -> float:
        """The sum of all pauses."""
        return sum(each.pause_ms for each in self.slices)

    @property
    def for_room(self) -> tuple[FullCollection, ...]:
        """The full collections that ran because the heap was full."""
        return tuple(each for each in self.full if each.for_room)


def worst_window_share(slices: Sequence[Slice], window_ms: float = WORST_WINDOW_MS) -> tuple[float, float] | None:
    """The largest share of a window spent in pauses and where that window begins; None when there is no pause."""
    if not slices:
        return None
    best, begin, within, first = 0.0, slices[0].start_ms, 0.0, 0
    for last, each in enumerate(slices):
        within += each.pause_ms
        while each.start_ms - slices[first].start_ms >= window_ms:
            within -= slices[first].pause_ms
            first += 1
        if within > best and last >= first:
            best, begin = within, slices[first].start_ms
    return min(best / window_ms, 1.0), begin


def longest_run(full: Sequence[FullCollection]) -> tuple[FullCollection, ...]:
    """The longest run of full collections with at most BACK_TO_BACK_MS between them."""
    best: list[FullCollection] = []
    run: list[FullCollection] = []
    for each in sorted(full, key=lambda one: one.ts_ms):
        if run and each.ts_ms - each.pause_ms - run[-1].ts_ms > BACK_TO_BACK_MS:
            run = []
        run = [*run, each]
        if len(run) > len(best):
            best = run
    return tuple(best)


def live_bytes(full: Sequence[FullCollection]) -> tuple[float, float] | None:
    """Live heap after full collections: median and largest of the last twenty, bytes; None when no size is known."""
    left = [each.after_bytes for each in sorted(full, key=lambda one: one.ts_ms)[-20:] if each.after_bytes is not None]
    return (median(left), max(left)) if left else None


@read_once
def timelines(evidence: Evidence) -> tuple[Timeline, ...]:
    """The collections of each JVM with a GC log, in file order, computed once for each Evidence.

    Reads   gc_pause, config_option (scope jvm); metric_sample and task_manager to identify the process.
    """
    return _read(evidence) if evidence.has("gc_pause") else ()


def _read(evidence: Evidence) -> tuple[Timeline, ...]:
    pauses = gc_pauses(evidence)
    slices = [] if pauses is None else combined(pauses, "file_id", "slice_ms").to_pylist()
    return _named(
        _unnamed(slices, evidence.answer(full_collections.AGGREGATOR).to_pylist(), _heap_sizes(evidence)), evidence
    )


def _heap_sizes(evidence: Evidence) -> Mapping[int, float]:
    """File -> maximum heap of the JVM that wrote it, for files that state it."""
    rows = named_rows(evidence.answer(heap_sizes.AGGREGATOR))
    return {row.file_id: float(row.value) for row in rows if row.value and row.value.replace(".", "", 1).isdecimal()}


def _unnamed(
    slices: Iterable[Mapping[str, Any]], full: Iterable[Mapping[str, Any]], sizes: Mapping[int, float]
) -> list[Timeline]:
    by_file: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in slices:
        by_file[row["file_id"]].append(row)
    full_of: dict[int, list[FullCollection]] = defaultdict(list)
    for row in full:
        values = {name: value for name, value in row.items() if name != "pointer"}
        full_of[row["file_id"]].append(FullCollection(**values))
    unnamed = []
    for file_id in sorted(by_file):
        rows = sorted(by_file[file_id], key=itemgetter("slice_ms"))
        known_starts = [row["started_ms"] for row in rows if row["started_ms"] is not None]
        unnamed.append(
            Timeline(
                file_id=file_id,
                process="",
                role=None,
                collector=next((row["collector"] for row in rows if row["collector"]), None),
                heap_max_bytes=sizes.get(file_id),
                started_ms=min(known_starts) if known_starts else None,
                has_clock=any(row["slot"] is not None for row in rows),
                slices=tuple(Slice(row["slice_ms"], row["sum_ms"], row["pause_ms"], row["counted"]) for row in rows),
                full=tuple(full_of[file_id]),
            )
        )
    return unnamed


def _named(unnamed: Sequence[Timeline], evidence: Evidence) -> tuple[Timeline, ...]:
    """Each GC log with its process, identified by the number of collections over time or by the size of the heap.

    A GC log names neither host nor TaskManager. Its process is the one whose metrics report the same number of
    collections at the same times.
    """
    series = metric_series(evidence)
    reported = _reported_counts(series)
    names: dict[int, str] = {}
    pairs = sorted(
        (error, timeline.file_id, process)
        for timeline in unnamed
        for process, counts in reported.items()
        if (error := _difference(timeline, counts)) is not None and error <= COUNTS_TOLERANCE
    )
    for _, file_id, process in pairs:
        if file_id not in names and process not in names.values():
            names[file_id] = process
    names |= _named_by_heap(unnamed, names, evidence, series)
    return tuple(replace(each, **_identity(each, names.get(each.file_id), evidence)) for each in unnamed)


def _identity(timeline: Timeline, name: str | None, evidence: Evidence) -> dict[str, Any]:
    if name == JOB_MANAGER:
        return {"process": JOB_MANAGER, "role": JOB_MANAGER, "is_named": True}
    if name and not name.startswith(UNNAMED):
        return {"process": cluster_of(evidence).task_manager(name), "role": "taskmanager", "is_named": True}
    place = f"JVM of {evidence.file_name(timeline.file_id)}"
    return {"process": place, "role": "taskmanager" if name else None}


JOB_MANAGER = "jobmanager"
UNNAMED = "?"


def _reported_counts(series: MetricSeries) -> Mapping[str, Mapping[int, float]]:
    """Process -> time -> collections so far, summed over the collectors that stop the world."""
    found: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for each in collector_series(series, "Count"):
        for point in each.known:
            if point.ts_ms is not None and point.value is not None:
                found[each.task_manager or JOB_MANAGER][point.ts_ms] += point.value
    return found


def collector_of(series: Iterable[Series]) -> str | None:
    """The collector whose beans a process has; None for beans of unknown names."""
    beans = [parts[-2].replace(" ", "_") for each in series if len(parts := each.metric.split(".")) >= 5]
    return next((name for bean in beans for part, name in BEANS.items() if bean.startswith(part)), None)


def collector_series(series: MetricSeries, what: str) -> list[Series]:
    """The `Count` or `Time` series of every collector that stops the world (without the sum `All`)."""
    chosen: list[Series] = []
    for metric in series.metrics():
        parts = metric.split(".")
        if len(parts) < 5 or parts[-1] != what or parts[-2] == "All":
            continue
        bean = parts[-2].replace(" ", "_")
        if not any(name in bean for name in CONCURRENT_COLLECTORS):
            chosen += series.of(metric)
    return chosen


def _difference(timeline: Timeline, counts: Mapping[int, float]) -> float | None:
    """Mean difference between the collections of log and metric, at the times that the log covers."""
    if not timeline.has_clock or not timeline.slices:
        return None
    first, last = timeline.slices[0].start_ms, timeline.slices[-1].start_ms + SLICE_MS
    moments = [moment for moment in sorted(counts) if first <= moment <= last + WORST_WINDOW_MS]
    if len(moments) < 3:
        return None
    off, so_far, index = 0.0, 0, 0
    for moment in moments:
        while index < len(timeline.slices) and timeline.slices[index].start_ms + SLICE_MS <= moment:
            so_far += timeline.slices[index].collections
            index += 1
        within = timeline.slices[index].collections if index < len(timeline.slices) else 0
        least, most = so_far, so_far + within
        off += max(least - counts[moment], counts[moment] - most, 0.0)
    return off / len(moments)


def _named_by_heap(
    unnamed: Sequence[Timeline], names: Mapping[int, str], evidence: Evidence, series: MetricSeries
) -> Mapping[int, str]:
    """Processes of the logs that counts did not identify, if the heap size matches exactly one process.

    A log whose heap size matches several TaskManagers gets the role TaskManager and a name of its own.
    """
    if all(timeline.file_id in names for timeline in unnamed):
        return {}
    heaps = {
        normalised(each.task_manager): max(point.value or 0 for point in each.points)
        for each in series.of("Status.JVM.Memory.Heap.Max")
    }
    for row in sorted(named_rows(evidence.answer(task_managers.AGGREGATOR)), key=lambda row: row.ts_ms or 0):
        if row.heap_max_bytes:  # 0 until a TaskManager sends its first heartbeat
            heaps[normalised(row.task_manager)] = row.heap_max_bytes
    spelled = cluster_of(evidence).task_managers
    taken = {normalised(name) for name in names.values()}
    by_file: dict[int, str] = {}
    for timeline in unnamed:
        size = timeline.heap_max_bytes or max((each.total_bytes or 0 for each in timeline.full), default=0)
        if timeline.file_id in names or not size:
            continue
        fitting = [name for name, heap in sorted(heaps.items()) if abs(heap - size) <= SIZE_TOLERANCE * size]
        free = [name for name in fitting if name not in taken]
        rivals = [
            other for other in unnamed if other.file_id not in names and other.heap_max_bytes == timeline.heap_max_bytes
        ]
        if len(free) == 1 and len(rivals) == 1:
            by_file[timeline.file_id] = spelled.get(free[0], free[0]) or JOB_MANAGER
        elif fitting and "" not in fitting:
            by_file[timeline.file_id] = f"{UNNAMED}{timeline.file_id}"
    return by_file
