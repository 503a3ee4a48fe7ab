"""Whether watermark alignment holds splits and subtasks of a source back, and how far they have drifted apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import functions as sf

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.cluster import VertexKey, cluster_of, normalised
from diagnostics.reconstruction.job_graph import job_graph
from diagnostics.signal import FactValue, Measured, NotMeasured, Signal, SignalDefinition, Subject

DRIFT, PAUSED = "watermarkAlignmentDrift", "watermark.pausedTimeMsPerSecond"
"""Source: reference/metrics.csv (event time). The drift is that of a subtask from the slowest of its group."""
MOST_ROWS = 20_000


def measure(evidence: Evidence) -> Measured:
    """The drift of each source's subtasks and how long their splits are paused.

    Reads   metric_sample (`watermarkAlignmentDrift` since Flink 1.15, paused time of splits since 2.1). One Spark job.
    Gives   one signal for each source whose watermarks are aligned.
    Units   milliseconds; ratios of time 0 to 1.
    Empty   NotMeasured without such metrics: a source without alignment reports none that grows.
    """
    by_vertex: dict[VertexKey, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in _rows(evidence) if evidence.may_have("metric_sample", "metric", (DRIFT, PAUSED)) else ():
        by_vertex[row.job_id, row.vertex_id or normalised(row.vertex)][row.metric].append(row)
    if not by_vertex:
        yield NotMeasured("watermark_alignment", "metric-scrapes", "no metric tells of aligned watermarks")
        return
    cluster = cluster_of(evidence)
    for vertex in sorted(by_vertex, key=repr):
        told = by_vertex[vertex]
        names = [row.vertex for rows in told.values() for row in rows if row.vertex]
        graph = job_graph(cluster, vertex[0], {vertex[1]: names[0]} if names else None)
        shown = [max(rows, key=lambda row: row.usual) for rows in told.values()]
        yield Signal(
            "watermark_alignment",
            Subject(job=vertex[0], vertex=graph.name(vertex[1]), vertex_id=vertex[1]),
            _facts(told),
            tuple(_cite(row) for row in shown),
            citation_count=sum(len(rows) for rows in told.values()),
        )


def _rows(evidence: Evidence) -> Sequence[Any]:
    """The median of each gauge of each subtask and split."""
    keys = ["job_id", "vertex_id", "vertex", "operator", "subtask", "metric", "labels"]
    place = sf.struct("file_id", "line", "last_line", "pointer", "ts_ms", "value")
    chosen: list[Any] = (
        evidence["metric_sample"]
        .where(sf.col("metric").isin(DRIFT, PAUSED))
        .where("value IS NOT NULL AND abs(value) < 1e15 AND aggregate IS NULL")
        .where("coalesce(vertex_id, vertex) IS NOT NULL")
        .groupBy(*keys)
        .agg(sf.median("value").alias("usual"), sf.max_by(place, "value").alias("place"))
        .orderBy(*keys)
        .limit(MOST_ROWS)
        .collect()
    )
    return chosen


def _facts(told: Mapping[str, Sequence[Any]]) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {}
    if drifts := [row.usual for row in told.get(DRIFT, ())]:
        slowest = min(told[DRIFT], key=lambda row: row.usual)
        facts |= {"drift_max_ms": max(drifts), "drift_min_ms": min(drifts), "slowest_subtask": slowest.subtask}
    if paused := [row.usual / 1000 for row in told.get(PAUSED, ())]:
        facts |= {
            "splits": len(paused),
            "paused_splits": sum(share > 0 for share in paused),
            "paused_ratio": max(paused),
            "paused_min_ratio": min(paused),
        }
    return {name: value for name, value in facts.items() if value is not None}


def _cite(row: Any) -> Citation:
    text = f"{row.metric} of subtask {row.subtask} of {row.operator or row.vertex} = {row.place.value:.15g}"
    return Citation.of(row.place, "metric", text, name=row.metric, value=row.place.value)


FACTS = {
    "drift_max_ms": "usual drift of the subtask that is furthest ahead of its group",
    "drift_min_ms": "usual drift of the slowest subtask",
    "slowest_subtask": "that subtask",
    "splits": "splits whose paused time is known",
    "paused_splits": "how many of them are usually paused for some time",
    "paused_ratio": "usual part of the time in which the most paused split is paused",
    "paused_min_ratio": "the same of the least paused one: the one that the others wait for",
}

SIGNALS = (SignalDefinition("watermark_alignment", "vertex", FACTS, measure),)
