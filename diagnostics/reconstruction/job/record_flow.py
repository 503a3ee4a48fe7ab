"""The edges of a job graph, derived from the records that tasks read and write when no file contains the graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from statistics import fmean

from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.metrics.metric_series import MetricSeries
from diagnostics.reconstruction.metrics.series import Point, Series, increase

VertexKey = tuple[str | None, str]

FEWEST_RECORDS = 20.0
"""Records that a task must have read for its inputs to be derived. Our choice."""
SAME = 0.05
"""Largest relative difference between two counts of the same records, as samples are seconds apart. Our choice."""
SETTLED_FROM = 0.5
"""Share of the observed time after which records are compared: before that, buffers fill with records that are written
but not yet read. Our choice."""
METERED_S = 60.0
"""Seconds over which Flink's meters average a rate (https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/metrics/,
MeterView), so that a rate that was read once states the records of a minute."""
MOST_WAYS = 5_000
"""Combinations of inputs that are tried for a job; with more of them nothing is derived. Our choice."""
MOST_TASKS = 60
"""Tasks of a job up to which edges are derived. Our choice."""
LOADS = ("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond", "idleTimeMsPerSecond")
"""Metrics that every task has."""
SOURCE, SINK = "source_", ("sink_", "__writer", "committer")
"""Parts of Flink's names of tasks at the ends of a job, normalised and in lower case."""


@dataclass(frozen=True, slots=True)
class Flow:
    """The records that one task read and wrote while it was observed.

    start_delay_ns  mean start delay of its checkpoints, which grows from task to task along the path of the barriers
    """

    vertex: VertexKey
    name: str
    records_in: float
    records_out: float
    start_delay_ns: float | None

    @property
    def is_source(self) -> bool:
        """Whether the task reads no records of other tasks."""
        return self.name.startswith(SOURCE) or not self.records_in

    @property
    def is_sink(self) -> bool:
        """Whether the task writes no records for other tasks."""
        return not self.records_out or any(part in self.name for part in SINK)


def derived_inputs(series: MetricSeries) -> Mapping[VertexKey, tuple[VertexKey, ...]]:
    """Task -> its input tasks, for each job whose records allow exactly one best way to connect its tasks."""
    by_job: dict[str | None, list[Flow]] = {}
    for flow in _flows(series):
        by_job.setdefault(flow.vertex[0], []).append(flow)
    incomplete = _jobs_of_unknown_records(series)
    found: dict[VertexKey, tuple[VertexKey, ...]] = {}
    for job, flows in by_job.items():
        if job not in incomplete:
            found |= connect(flows)
    return found


def _jobs_of_unknown_records(series: MetricSeries) -> frozenset[str | None]:
    """Jobs with a task whose records no metric shows: what the task before it writes would seem to end there.

    A task whose name is that of a sink needs no count of what it writes.
    """
    tasks = {vertex for metric in LOADS for vertex in series.by_vertex(metric, operators=False)}
    read, written = (
        {vertex for name in (metric, f"{metric}PerSecond") for vertex in series.by_vertex(name, operators=False)}
        for metric in ("numRecordsIn", "numRecordsOut")
    )
    return frozenset(
        vertex[0]
        for vertex in (tasks | read) - written
        if vertex not in read or not any(part in normalised(series.name_of(vertex) or "").lower() for part in SINK)
    )


def connect(flows: Sequence[Flow]) -> Mapping[VertexKey, tuple[VertexKey, ...]]:
    """The inputs of each task of one job, such that every output is read and every task is reached from a source.

    If there are several such graphs, the one along which the start delays of checkpoints grow is chosen, since barriers
    travel with the records. Empty when there is no such graph or no single best one.
    """
    readers = [each for each in flows if not each.is_source]
    choices = [_inputs(task, [each for each in flows if each is not task and not each.is_sink]) for task in readers]
    if not 2 <= len(flows) <= MOST_TASKS or math.prod(map(len, choices)) > MOST_WAYS:
        return {}
    ways = [
        way
        for inputs in product(*choices)
        if _is_whole(flows, way := dict(zip((each.vertex for each in readers), inputs, strict=True)))
    ]
    delays = {each.vertex: each.start_delay_ns or 0.0 for each in flows}
    ranked = sorted((_inversions(way, delays), place) for place, way in enumerate(ways))
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return {}
    return ways[ranked[0][1]]


def _inputs(task: Flow, others: Sequence[Flow]) -> Sequence[tuple[VertexKey, ...]]:
    """The possible inputs of a task: single tasks whose output matches, else pairs of tasks, else any source.

    Records written by a source and records read from it differ while the buffers between them fill or drain.
    """
    if task.records_in < FEWEST_RECORDS:
        return ()
    single = [(each.vertex,) for each in others if _is_same(each.records_out, task.records_in)]
    pairs = [
        (one.vertex, other.vertex)
        for one, other in combinations(others, 2)
        if _is_same(one.records_out + other.records_out, task.records_in)
    ]
    return single or pairs or [(each.vertex,) for each in others if each.is_source]


def _is_same(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(one, other)


def _is_whole(flows: Sequence[Flow], inputs: Mapping[VertexKey, Sequence[VertexKey]]) -> bool:
    """Whether every output is read and every task is reached from the sources, which excludes cycles."""
    read = {source for sources in inputs.values() for source in sources}
    if any(not each.is_sink and each.vertex not in read for each in flows):
        return False
    reached = {each.vertex for each in flows if each.is_source}
    for _ in flows:
        reached |= {vertex for vertex, sources in inputs.items() if all(each in reached for each in sources)}
    return len(reached) == len(flows)


def _inversions(inputs: Mapping[VertexKey, Sequence[VertexKey]], delays: Mapping[VertexKey, float]) -> int:
    """Number of edges at which barriers reach the task before its input task."""
    return sum(delays[vertex] < delays[source] for vertex, sources in inputs.items() for source in sources)


def _flows(series: MetricSeries) -> list[Flow]:
    read, written = (_growth(series, name) for name in ("numRecordsIn", "numRecordsOut"))
    delays = series.by_vertex("checkpointStartDelayNanos", operators=False)
    return [
        Flow(
            vertex,
            normalised(series.name_of(vertex) or vertex[1]).lower(),
            read.get(vertex, 0.0),
            written.get(vertex, 0.0),
            _mean(delays.get(vertex, ())),
        )
        for vertex in sorted({*read, *written}, key=repr)
    ]


def _growth(series: MetricSeries, metric: str) -> Mapping[VertexKey, float]:
    """Task -> records counted in the later part of the observed time; from the rate when there is no counter.

    Of samples that span no time the counters themselves are taken, which count since the tasks began.
    """
    counters = series.by_vertex(metric, operators=False)
    rates = series.by_vertex(f"{metric}PerSecond", operators=False)
    if not any(len(_settled(each)) > 1 for of_task in (*counters.values(), *rates.values()) for each in of_task):
        of_minute = {vertex: METERED_S * _last_sum(of_task) for vertex, of_task in rates.items()}
        return {**of_minute, **{vertex: _last_sum(of_task) for vertex, of_task in counters.items()}}
    counted = {vertex: sum(increase(_settled(each)) for each in of_task) for vertex, of_task in counters.items()}
    by_rate = {
        vertex: sum(_seconds(_settled(each)) * (_mean_value(_settled(each)) or 0.0) for each in of_task)
        for vertex, of_task in rates.items()
    }
    return {**by_rate, **counted}


def _last_sum(series: Sequence[Series]) -> float:
    """The last values of a task's subtasks together."""
    return sum(each.known[-1].value or 0.0 for each in series if each.known)


def _settled(series: Series) -> Sequence[Point]:
    """The points in the later part of the observed time."""
    stamps = [point.ts_ms for point in series.known if point.ts_ms is not None]
    if not stamps:
        return ()
    since = stamps[0] + SETTLED_FROM * (stamps[-1] - stamps[0])
    return [point for point in series.known if point.ts_ms is not None and point.ts_ms >= since]


def _seconds(points: Sequence[Point]) -> float:
    stamps = [point.ts_ms for point in points if point.ts_ms is not None]
    return (max(stamps) - min(stamps)) / 1000 if stamps else 0.0


def _mean(series: Sequence[Series]) -> float | None:
    return _mean_value([point for each in series for point in each.known])


def _mean_value(points: Sequence[Point]) -> float | None:
    values = [point.value for point in points if point.value is not None]
    return fmean(values) if values else None
