"""Records that the sources of each job emit in its last attempt, and the largest change of that rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from diagnostics.arithmetic.rate_change import RateChange, rate_change
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series, since_restart

Readings = Sequence[tuple[int, float]]
"""(epoch ms, records so far)."""


@dataclass(frozen=True, slots=True)
class SourceRate:
    """The sources of one job.

    counters  numRecordsOut of their subtasks
    readings  those of each subtask in its last attempt
    summed    the sum over the subtasks at moments at which all were sampled
    change    where the rate of the sum changed most; None with too few samples
    """

    counters: Sequence[Series]
    readings: Sequence[Readings]
    summed: Readings
    change: RateChange | None


@read_once
def source_rates(evidence: Evidence) -> Mapping[str | None, SourceRate]:
    """Job -> what its sources emit, computed once for each Evidence.

    Reads   metric_sample (numRecordsOut of tasks without input), edge.
    """
    cluster = cluster_of(evidence)
    counters = metric_series(evidence).by_vertex("numRecordsOut", operators=False)
    sources: dict[str | None, list[Series]] = defaultdict(list)
    for vertex, found in counters.items():
        if _is_source(vertex, cluster.inputs):
            sources[vertex[0]] += found
    return {job_id: _rate(sources[job_id]) for job_id in sorted(sources, key=repr)}


def _is_source(vertex: VertexKey, inputs: Mapping[VertexKey, object]) -> bool:
    return any(place[0] == vertex[0] for place in inputs) and vertex not in inputs


def _rate(counters: Sequence[Series]) -> SourceRate:
    readings = [_readings(each) for each in counters]
    by_moment: dict[int, list[float]] = defaultdict(list)
    for ts_ms, value in chain.from_iterable(readings):
        by_moment[ts_ms].append(value)
    summed = [(moment, sum(values)) for moment, values in sorted(by_moment.items()) if len(values) == len(counters)]
    return SourceRate(counters, readings, summed, rate_change(summed[1:]))


def _readings(counter: Series) -> Readings:
    """Epoch ms and value of the last attempt's samples where both are known."""
    points = since_restart(counter.points)
    return [(point.ts_ms, point.value) for point in points if point.ts_ms is not None and point.value is not None]
