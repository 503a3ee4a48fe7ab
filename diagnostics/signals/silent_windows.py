"""Event-time windows that read records and emit nothing, because they never had a watermark."""

from __future__ import annotations

import re

from diagnostics.arithmetic.quantiles import known
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

EVENT_TIME = re.compile(
    r"eventtime(?:windows|session|trigger)|windowaggregate.*time_col_+(?!_|proc)|window.*rowtime", re.I
)
"""Names of windows by event time, normalised: `Window(TumblingEventTimeWindows(10000), EventTimeTrigger, …)` of the
DataStream API, `WindowAggregate(window=[TUMBLE(time_col=[ts], …)])` of SQL. Source: Flink's WindowOperatorBuilder and
table planner.
"""


def measure(evidence: Evidence) -> Measured:
    """Records in and out of each window by event time.

    Reads   metric_sample (numRecordsIn, numRecordsOut, currentInputWatermark), vertex, edge.
    Gives   one signal per task whose name shows such a window and that writes to another task.
    Empty   NotMeasured without metrics.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("silent_windows", "metric-scrapes", "no file holds metrics")
        return
    series = metric_series(evidence)
    cluster = cluster_of(evidence)
    watermarks = series.by_vertex("currentInputWatermark", operators=False)
    for vertex in sorted(series.by_vertex("numRecordsIn", operators=False), key=repr):
        name = series.name_of(vertex) or ""
        graph = job_graph(cluster, vertex[0], {vertex[1]: name})
        gauges = watermarks.get(vertex, [])
        if (
            not EVENT_TIME.search(normalised(graph.name(vertex[1])))
            or graph.position(vertex[1]) != "middle"
            or not gauges
        ):
            continue
        facts: dict[str, FactValue] = {
            "records_in": _counted(series, "numRecordsIn", vertex),
            "records_out": _counted(series, "numRecordsOut", vertex),
            "has_watermark": any(gauge.known for gauge in gauges),
            "observed_ms": _observed_ms(series, vertex),
        }
        yield Signal(
            key="silent_windows",
            subject=cluster.vertex_subject(*vertex, name=name or None),
            facts=known_facts(facts),
            citations=tuple(gauge.cite(gauge.points[-1]) for gauge in gauges if gauge.points)[:4],
            citation_count=sum(len(gauge.points) for gauge in gauges),
        )


def _counted(series: MetricSeries, metric: str, vertex: VertexKey) -> int | None:
    counters = series.by_vertex(metric, operators=False).get(vertex, [])
    return round(sum(increase(each.points) for each in counters)) if counters else None


def _observed_ms(series: MetricSeries, vertex: VertexKey) -> int | None:
    counters = series.by_vertex("numRecordsIn", operators=False).get(vertex, [])
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
