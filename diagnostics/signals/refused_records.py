"""Records that a sink counts as not taken by its system, although the job runs on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostics.arithmetic.quantiles import highest, known, ratio
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.declared_tables import declared_tables
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series, increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.operators_at_limit import entry_of

ERRORS = ("numRecordsSendErrors", "numRecordsOutErrors")
"""One counter of a sink by its two names. Source: Flink's InternalSinkWriterMetricGroup."""
SENT = "numRecordsSend"


def measure(evidence: Evidence) -> Measured:
    """Growth of the counter of errors of each sink that counts any.

    Reads   metric_sample (numRecordsSendErrors, numRecordsOutErrors, numRecordsSend).
    Gives   one signal per task whose counter is above zero.
    Empty   NotMeasured without such a counter.
    """
    series = metric_series(evidence)
    cluster, tables = cluster_of(evidence), declared_tables(evidence)
    counters: dict[VertexKey, list[Sequence[Series]]] = {}
    for operators in (False, True):
        for metric in ERRORS:
            for vertex, found in series.by_vertex(metric, operators=operators).items():
                counters.setdefault(vertex, []).append(found)
    if not counters:
        yield NotMeasured("refused_records", "vertex-metrics", "no metric counts records that a sink could not send")
        return
    sent = {operators: series.by_vertex(SENT, operators=operators) for operators in (False, True)}
    for vertex, each in sorted(counters.items(), key=lambda item: repr(item[0])):
        most = max(each, key=_highest)
        if not _highest(most):
            continue
        written = [one for by_vertex in sent.values() for one in by_vertex.get(vertex, ())]
        name = job_graph(cluster, vertex[0], {vertex[1]: series.name_of(vertex) or ""}).name(vertex[1])
        entry = entry_of(name, tables.connectors)
        grown = _grown(most)
        facts: dict[str, FactValue] = {
            "records": round(_highest(most)),
            "grown": round(grown),
            "sent_ratio": ratio(grown, _grown(written)) if written else None,
            "act": entry.refused if entry else None,
            "lost": entry.loses if entry else False,
        }
        yield Signal(
            "refused_records",
            cluster.vertex_subject(*vertex, name=name),
            known_facts(facts),
            tuple(one.cite(one.points[-1]) for one in most if one.points)[:4],
            citation_count=sum(len(one.points) for one in most),
        )


def _highest(counters: Sequence[Series]) -> float:
    return sum(highest(known(point.value for point in each.points)) or 0.0 for each in counters)


def _grown(counters: Sequence[Series]) -> float:
    return sum(increase(each.points) for each in counters)


FACTS: Mapping[str, str] = {
    "records": "records that the sink has counted as not taken",
    "grown": "records that it counted as not taken while it was observed",
    "sent_ratio": "share of refused records in those that it sent while it was observed",
    "act": "act for records that a sink of this connector counts as not taken",
    "lost": "whether this connector's sink does not write a refused record again",
}

SIGNALS = (SignalDefinition(key="refused_records", level="vertex", facts=FACTS, measure=measure),)
