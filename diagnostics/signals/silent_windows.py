"""Event-time windows that read records and emit nothing, because they never had a watermark."""

from __future__ import annotations

import re
from collections.abc import Sequence

from diagnostics.arithmetic.quantiles import known
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series, increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

EVENT_TIME = re.compile(
    r"eventtime(?:windows|session|trigger)|windowaggregate.*time_col_+(?!_|proc)|window.*rowtime", re.I
)
"""Names of windows by event time, normalised: `Window(TumblingEventTimeWindows(10000), EventTimeTrigger, …)` of the
DataStream API, `WindowAggregate(window=[TUMBLE(time_col=[ts], …)])` of SQL. Source: Flink's WindowOperatorBuilder and
table planner.
"""
SHORT_NAME = re.compile(r"(?<![a-z])(?:global|group)?window_?(?:aggregate|join|rank|deduplicate)_\d", re.I)
"""Names of SQL's windows since Flink 1.15, normalised, as `GlobalWindowAggregate[6]`, without their kind of time.
Source: table.exec.simplify-operator-name-enabled.
"""
METRICS = ("numRecordsIn", "numRecordsOut", "currentInputWatermark")
ASSIGNS = "watermarkassigner"
"""The operator of SQL that assigns watermarks: with it in the job, windows of a short name are by event time."""


def measure(evidence: Evidence) -> Measured:
    """Records in and out of each window by event time.

    Reads   metric_sample (numRecordsIn, numRecordsOut, currentInputWatermark), vertex, edge.
    Gives   one signal per task whose name, or an operator of it, shows such a window and that writes to another task.
    Empty   NotMeasured without metrics.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("silent_windows", "metric-scrapes", "no file holds metrics")
        return
    series = metric_series(evidence)
    cluster = cluster_of(evidence)
    seen: set[VertexKey] = set()
    for operators in (False, True):
        by_metric = [series.by_vertex(metric, operators=operators) for metric in METRICS]
        for vertex in sorted(set(by_metric[0]) - seen, key=repr):
            name = series.name_of(vertex) or ""
            graph = job_graph(cluster, vertex[0], {vertex[1]: name})
            assigned = _assigns_watermarks(series, graph)
            read, written, gauges = (
                [
                    each
                    for each in of_metric.get(vertex, [])
                    if _is_by_event_time(each.operator or graph.name(vertex[1]), assigned)
                ]
                for of_metric in by_metric
            )
            if not read or not gauges or (not operators and graph.position(vertex[1]) not in ("middle", None)):
                continue
            seen.add(vertex)
            facts: dict[str, FactValue] = {
                "records_in": _counted(read),
                "records_out": _counted(written),
                "has_watermark": any(gauge.known for gauge in gauges),
                "observed_ms": _observed_ms(read),
            }
            yield Signal(
                key="silent_windows",
                subject=cluster.vertex_subject(*vertex, name=name or None),
                facts=known_facts(facts),
                citations=tuple(gauge.cite(gauge.points[-1]) for gauge in gauges if gauge.points)[:4],
                citation_count=sum(len(gauge.points) for gauge in gauges),
            )


def _is_by_event_time(name: str, assigned: bool) -> bool:
    """Whether a task or operator of this name is a window by event time.

    assigned  whether the job has an operator of SQL that assigns watermarks
    """
    printed = normalised(name)
    return EVENT_TIME.search(printed) is not None or (assigned and SHORT_NAME.search(printed) is not None)


def _assigns_watermarks(series: MetricSeries, graph: JobGraph) -> bool:
    names = [*graph.names.values()]
    names += [each.operator or each.vertex or "" for each in series.of(METRICS[0]) if each.job_id == graph.job_id]
    return any(ASSIGNS in name.lower() for name in names)


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
        },
        measure=measure,
    ),
)
