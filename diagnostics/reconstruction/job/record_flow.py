"""How the tasks of a job are connected, derived from what they read and write where no file holds the job graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from statistics import fmean

from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, Point, Series, increase

VertexKey = tuple[str | None, str]

FEWEST_RECORDS = 20.0
"""What a task must have read for its inputs to be told from it. Our choice."""
SAME = 0.05
"""By how much two counts of the same records may differ: samples are some seconds apart. Our choice."""
SETTLED_FROM = 0.5
"""From which part of the observation on records are compared: before, buffers fill, and what is in them was written and
not read. Our choice."""
MOST_WAYS = 5_000
"""Ways to connect the tasks of a job that are tried; with more of them nothing is derived. Our choice."""
MOST_TASKS = 60
"""Tasks of a job up to which pairs of inputs are tried. Our choice."""
SOURCE, SINK = "source_", ("sink_", "__writer", "committer")
"""How Flink names tasks at the ends of a job, normalised and in lower case."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What one task read and wrote while it was observed; start_delay_ns orders tasks along the way of the barriers."""

    vertex: VertexKey
    name: str
    records_in: float
    records_out: float
    start_delay_ns: float | None

    @property
    def is_source(self) -> bool:
        """Whether it reads no records of other tasks."""
        return self.name.startswith(SOURCE) or not self.records_in

    @property
    def is_sink(self) -> bool:
        """Whether it writes no records for other tasks."""
        return not self.records_out or any(part in self.name for part in SINK)


def derived_inputs(series: MetricSeries) -> Mapping[VertexKey, tuple[VertexKey, ...]]:
    """Task -> its input tasks, for each job whose counts leave exactly one way to connect all of its tasks."""
    by_job: dict[str | None, list[Flow]] = {}
    for flow in _flows(series):
        by_job.setdefault(flow.vertex[0], []).append(flow)
    found: dict[VertexKey, tuple[VertexKey, ...]] = {}
    for flows in by_job.values():
        found |= connect(flows)
    return found


def connect(flows: Sequence[Flow]) -> Mapping[VertexKey, tuple[VertexKey, ...]]:
    """The inputs of each task of one job, where every output is read and every task is reached from a source.

    Of several such ways the one counts along which the start delays of checkpoints grow, since barriers travel with the
    records. Nothing when no way or no best one is left.
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
    """The tasks that may have written what this one read: one, or else two together, or else a source.

    What a source wrote and what was read of it differ while the buffers between fill or drain.
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
    """Whether every output is read, and every task is reached from sources, so that there is no circle."""
    read = {source for sources in inputs.values() for source in sources}
    if any(not each.is_sink and each.vertex not in read for each in flows):
        return False
    reached = {each.vertex for each in flows if each.is_source}
    for _ in flows:
        reached |= {vertex for vertex, sources in inputs.items() if all(each in reached for each in sources)}
    return len(reached) == len(flows)


def _inversions(inputs: Mapping[VertexKey, Sequence[VertexKey]], delays: Mapping[VertexKey, float]) -> int:
    """At how many edges barriers reach the task before the one that it reads from."""
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
    """Task -> records counted in the later part of the observation; by its rate where only that is there."""
    counters = series.by_vertex(metric, operators=False)
    rates = series.by_vertex(f"{metric}PerSecond", operators=False)
    counted = {vertex: sum(increase(_settled(each)) for each in of_task) for vertex, of_task in counters.items()}
    by_rate = {
        vertex: sum(_seconds(_settled(each)) * (_mean_value(_settled(each)) or 0.0) for each in of_task)
        for vertex, of_task in rates.items()
    }
    return {**by_rate, **counted}


def _settled(series: Series) -> Sequence[Point]:
    """The points of the later part of its time."""
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
