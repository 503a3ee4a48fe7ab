"""Windows and joins by event time: what they read and emit, and how far their watermark has come."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.arithmetic.quantiles import known
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.events.event_time_names import (
    assigns_watermarks,
    may_fire_early,
    needs_watermarks,
    window_size_ms,
)
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.job.planner_names import PROGRAM_FACTS, printed_names_by_job, program_facts
from diagnostics.reconstruction.job.record_totals import RecordTotals, record_totals
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series, increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

METRICS = ("numRecordsIn", "numRecordsOut", "currentInputWatermark")


def measure(evidence: Evidence) -> Measured:
    """Records in and out of each window by event time.

    Reads   metric_sample (numRecordsIn, numRecordsOut, currentInputWatermark), vertex, edge, job.
    Gives   one signal per task whose name, or an operator of it, shows such a window. What a window emits to a sink of
            its own task is counted for its operator only.
    Empty   NotMeasured without metrics.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("silent_windows", "metric-scrapes", "no file holds metrics")
        return
    series, cluster, names_by_job = metric_series(evidence), cluster_of(evidence), printed_names_by_job(evidence)
    totals = record_totals(evidence)
    seen: set[VertexKey] = set()
    for operators in (True, False):
        by_metric = [series.by_vertex(metric, operators=operators) for metric in METRICS]
        for vertex in sorted(set(by_metric[2]) - seen, key=repr):
            name = series.name_of(vertex) or cluster.vertex_subject(*vertex).vertex or ""
            graph = job_graph(cluster, vertex[0], {vertex[1]: name})
            assigned = assigns_watermarks(names_by_job.get(vertex[0], ()))
            read, written, gauges = (
                [
                    each
                    for each in of_metric.get(vertex, [])
                    if needs_watermarks(each.operator or graph.name(vertex[1]), assigned)
                ]
                for of_metric in by_metric
            )
            if not gauges:
                continue
            passed = _passed(read, written, totals.get(vertex))
            if not operators and graph.position(vertex[1]) not in ("middle", None):
                if may_fire_early(graph.name(vertex[1])):
                    continue
                passed = RecordTotals(passed.read, None, passed.observed_ms)
            if passed.read is None:
                continue
            seen.add(vertex)
            facts: dict[str, FactValue] = {
                "records_in": passed.read,
                "records_out": passed.written,
                "has_watermark": any(gauge.known for gauge in gauges),
                "observed_ms": passed.observed_ms,
                **_progress(gauges, gauges[0].operator or graph.name(vertex[1])),
                "has_assigner": assigned or None,
                **program_facts(evidence, vertex[0]),
            }
            yield Signal(
                key="silent_windows",
                subject=cluster.vertex_subject(*vertex, name=name or None),
                facts=known_facts(facts),
                citations=tuple(gauge.cite(gauge.points[-1]) for gauge in gauges if gauge.points)[:4],
                citation_count=sum(len(gauge.points) for gauge in gauges),
            )


def _passed(read: Sequence[Series], written: Sequence[Series], total: RecordTotals | None) -> RecordTotals:
    """By counters over time; where they have one sample each, by the counts of the task since it runs."""
    span = _observed_ms(read)
    if span:
        return RecordTotals(_counted(read), _counted(written), span)
    if total and total.read is not None:
        return total
    return RecordTotals(None, None, None)


def _progress(gauges: Sequence[Series], name: str) -> dict[str, FactValue]:
    """How far the watermark of the slowest subtask moved, and how often the window of that name ended meanwhile."""
    moved = [max(values) - min(values) for each in gauges if (values := known(point.value for point in each.known))]
    if len(moved) < len(gauges):
        return {}
    advanced_ms, size_ms = round(min(moved)), window_size_ms(name)
    return {"advanced_ms": advanced_ms, "size_ms": size_ms, "ended": advanced_ms / size_ms if size_ms else None}


def _counted(counters: Sequence[Series]) -> int | None:
    return round(sum(increase(each.points) for each in counters)) if counters else None


def _observed_ms(counters: Sequence[Series]) -> int | None:
    stamps = known(point.ts_ms for each in counters for point in each.known)
    return round(max(stamps) - min(stamps)) if stamps else None


SIGNALS = (
    SignalDefinition(
        key="silent_windows",
        level="vertex",
        facts={
            "records_in": "records that the window read while it was observed",
            "records_out": "records that the window emitted while it was observed",
            "has_watermark": "whether a subtask of the window ever had a watermark",
            "observed_ms": "time for which the window was observed, ms",
            "advanced_ms": "progress of the slowest subtask's watermark while the window was observed, ms",
            "size_ms": "size of the window as its name states it, ms",
            "ended": "windows of the size in the name that ended while the window was observed",
            "has_assigner": "whether an operator of the job assigns watermarks; unknown where none is named",
            **PROGRAM_FACTS,
        },
        measure=measure,
    ),
)
