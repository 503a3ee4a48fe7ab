"""How far the watermark of each job is behind the wall clock, also where the metrics have no time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.flink_values import END_OF_INPUT
from diagnostics.reconstruction.checkpoints.scrape_bounds import ScrapeBound, scrape_bounds
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Point, Series
from diagnostics.signals.signal import Measured, Signal, SignalDefinition, known_facts

RATES = ("numRecordsInPerSecond", "numRecordsOutPerSecond")


@dataclass(frozen=True, slots=True)
class _Watermark:
    """The last watermark of the furthest subtask of a task; the others of the task are no further.

    apart_ms  distance between the task's subtasks
    """

    vertex: VertexKey
    gauge: Series
    point: Point
    apart_ms: float

    @property
    def value(self) -> float:
        return self.point.value or 0.0


def measure(evidence: Evidence) -> Measured:
    """The watermark that is furthest behind, among those of the inputs of tasks.

    A watermark of a task is that of its furthest subtask: one whose inputs are idle keeps an old one. A source that
    emits none for its idle partitions keeps an old one too, so outputs count only where no task has an input with one.

    Reads   metric_sample (currentInputWatermark, currentOutputWatermark, rates of records, and what bounds the time of
            metrics without one), job, checkpoint.
    Gives   one signal for each job with a watermark that is not at its maximum.
    Units   milliseconds; lag is wall clock minus watermark, negative when ahead of the wall clock.
    """
    if not evidence.has("metric_sample"):
        return
    series, cluster = metric_series(evidence), cluster_of(evidence)
    by_job: dict[str | None, list[_Watermark]] = defaultdict(list)
    for each in _watermarks(series):
        by_job[each.vertex[0]].append(each)
    for job_id, watermarks in sorted(by_job.items(), key=lambda item: str(item[0])):
        yield _signal(job_id, watermarks, series, cluster, scrape_bounds(evidence).get(job_id, ()))


def _watermarks(series: MetricSeries) -> Iterable[_Watermark]:
    inputs = series.by_vertex("currentInputWatermark", operators=False)
    outputs = series.by_vertex("currentOutputWatermark", operators=True)
    of_inputs = [each for vertex, gauges in inputs.items() if (each := _furthest(vertex, gauges))]
    jobs = {each.vertex[0] for each in of_inputs}
    of_outputs = (_furthest(vertex, gauges) for vertex, gauges in outputs.items() if vertex[0] not in jobs)
    return [*of_inputs, *(each for each in of_outputs if each)]


def _furthest(vertex: VertexKey, gauges: Iterable[Series]) -> _Watermark | None:
    last = [(gauge.known[-1], gauge) for gauge in gauges if gauge.known]
    open_ones = [(point, gauge) for point, gauge in last if (point.value or 0.0) < END_OF_INPUT]
    if not open_ones:
        return None
    point, gauge = max(open_ones, key=lambda each: each[0].value or 0.0)
    apart = (point.value or 0.0) - min(each.value or 0.0 for each, _ in open_ones)
    return _Watermark(vertex, gauge, point, apart)


def _signal(
    job_id: str | None,
    watermarks: Sequence[_Watermark],
    series: MetricSeries,
    cluster: Cluster,
    bounds: Sequence[ScrapeBound],
) -> Signal:
    facts: dict[str, FactValue] = {}
    dated = [(each.point.ts_ms - each.value, each) for each in watermarks if each.point.ts_ms is not None]
    if dated:
        behind_ms, worst = max(dated, key=lambda each: each[0])
        facts |= {"behind_ms": behind_ms, "is_bound": False}
    else:
        worst = min(watermarks, key=lambda each: each.value)
        facts |= {"undated": True, "apart_ms": max(each.apart_ms for each in watermarks)}
        facts |= _least_lag(worst, bounds)
    facts |= {"vertex": cluster.vertex_subject(*worst.vertex, name=worst.gauge.vertex).vertex}
    facts |= {"idle": _is_idle(job_id, series)}
    cited = (worst.gauge.cite(worst.point),)
    return Signal("watermark_lag", Subject(job=job_id), known_facts(facts), cited, len(watermarks))


def _least_lag(worst: _Watermark, bounds: Sequence[ScrapeBound]) -> dict[str, FactValue]:
    """The least lag of a watermark without a time; nothing where it is later than what bounds the time."""
    if not bounds or bounds[0].ms <= worst.value:
        return {}
    latest = bounds[0]
    return {
        "behind_ms": latest.ms - worst.value,
        "is_bound": True,
        "bound_ms": latest.ms,
        "bound_by": latest.by,
        "bound_elsewhere": latest.file_id != worst.point.file_id,
    }


def _is_idle(job_id: str | None, series: MetricSeries) -> bool | None:
    """Whether no record passed any task of the job when it was looked at last; None without rates."""
    last = [each.known[-1].value for name in RATES for each in series.of(name) if each.job_id == job_id and each.known]
    return not any(last) if last else None


FACTS = {
    "behind_ms": "lag of the watermark behind the wall clock, at least, of the task that is furthest behind",
    "is_bound": "whether the metrics of watermarks have no time, so that their lag is a lower bound",
    "bound_ms": "moment before which the watermarks were not read, epoch ms",
    "bound_by": "event that shows when the watermarks were read at the earliest (restored, completed, running, "
    "triggered)",
    "bound_elsewhere": "whether another file than that of the watermark shows when it was read at the earliest",
    "undated": "true where no watermark of the job has a time",
    "apart_ms": "largest distance between the watermarks of the subtasks of one task, where none has a time",
    "vertex": "task whose watermark is furthest behind",
    "idle": "whether no record passed any task of the job at the last look",
}

SIGNALS = (SignalDefinition("watermark_lag", "job", FACTS, measure),)
