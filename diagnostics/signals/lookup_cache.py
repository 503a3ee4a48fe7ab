"""How often the cache of a look-up answers, and how often it would have to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import functions as sf

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.arithmetic import total
from diagnostics.reconstruction.cluster import cluster_of, normalised
from diagnostics.reconstruction.job_graph import job_graph
from diagnostics.signal import FactValue, Measured, NotMeasured, Signal, SignalDefinition, Subject

HITS, MISSES, RATE = "cache.hitCount", "cache.missCount", "lookupCacheHitRate"
"""Source: reference/metrics.csv (lookup)."""
FEWEST_ASKED = 100.0
"""With fewer look-ups a share says little. Our choice."""
MOST_ROWS = 20_000


def measure(evidence: Evidence) -> Measured:
    """The share of look-ups that the cache answered, for each task that counts them.

    Reads   metric_sample (`cache.hitCount`, `cache.missCount`, `lookupCacheHitRate`). One Spark job.
    Gives   one signal for each task with a look-up cache that was asked.
    Units   ratios 0 to 1; counts of look-ups.
    Empty   NotMeasured without such metrics: without a cache there are none.
    """
    by_vertex: dict[tuple[str | None, str], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in _rows(evidence) if evidence.may_have("metric_sample", "metric", (HITS, MISSES, RATE)) else ():
        by_vertex[row.job_id, row.vertex_id or normalised(row.vertex)][row.metric].append(row)
    given = 0
    cluster = cluster_of(evidence)
    for vertex in sorted(by_vertex, key=repr):
        told = by_vertex[vertex]
        facts = _facts(told)
        if not facts:
            continue
        given += 1
        names = [row.vertex for rows in told.values() for row in rows if row.vertex]
        graph = job_graph(cluster, vertex[0], {vertex[1]: names[0]} if names else None)
        rows = [row for metric in (MISSES, HITS, RATE) for row in told.get(metric, ())][:4]
        subject = Subject(job=vertex[0], vertex=graph.name(vertex[1]), vertex_id=vertex[1])
        yield Signal("lookup_cache", subject, facts, tuple(_cite(row) for row in rows), len(rows))
    if not given:
        yield NotMeasured("lookup_cache", "vertex-metrics", "no metric tells of a cache of look-ups")


def _rows(evidence: Evidence) -> Sequence[Any]:
    """How much each counter grew, and the last value of the gauge."""
    keys = ["job_id", "vertex_id", "vertex", "operator", "subtask", "metric"]
    place = sf.struct("file_id", "line", "last_line", "pointer", "ts_ms", "value")
    chosen: list[Any] = (
        evidence["metric_sample"]
        .where(sf.col("metric").isin(HITS, MISSES, RATE))
        .where("value IS NOT NULL AND aggregate IS NULL AND coalesce(vertex_id, vertex) IS NOT NULL")
        .groupBy(*keys)
        .agg(
            (sf.max("value") - sf.min("value")).alias("grown"),
            sf.max("value").alias("most"),
            sf.max_by("value", "ts_ms").alias("last"),
            sf.max_by(place, "ts_ms").alias("place"),
        )
        .orderBy(*keys)
        .limit(MOST_ROWS)
        .collect()
    )
    return chosen


def _facts(told: Mapping[str, Sequence[Any]]) -> dict[str, FactValue]:
    """From the counters' growth, of a single sample from the counts themselves, else from the gauge."""
    for amount in ("grown", "most"):
        hits, misses = (total(row[amount] for row in told.get(metric, ())) or 0.0 for metric in (HITS, MISSES))
        if hits + misses >= FEWEST_ASKED:
            return {"asked": round(hits + misses), "misses": round(misses), "hit_ratio": hits / (hits + misses)}
    rates = [row.last for row in told.get(RATE, ()) if 0 <= row.last <= 1]
    return {"hit_ratio": min(rates)} if rates else {}


def _cite(row: Any) -> Citation:
    text = f"{row.metric} of subtask {row.subtask} of {row.operator or row.vertex} = {row.place.value:.15g}"
    return Citation.of(row.place, "metric", text, name=row.metric, value=row.place.value)


FACTS = {
    "asked": "look-ups that asked the cache",
    "misses": "look-ups that it could not answer",
    "hit_ratio": "share that it answered, of all subtasks together",
}

SIGNALS = (SignalDefinition("lookup_cache", "vertex", FACTS, measure),)
