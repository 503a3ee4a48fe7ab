"""How full the buffer pools of each task are: output, input, floating and exclusive, and the output pool above it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import functions as sf

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.cluster import VertexKey, cluster_of, normalised
from diagnostics.reconstruction.job_graph import JobGraph, job_graph
from diagnostics.signal import FactValue, Measured, NotMeasured, Signal, SignalDefinition, Subject

POOLS: Mapping[str, str] = {
    "outPoolUsage": "out",
    "inPoolUsage": "in",
    "inputFloatingBuffersUsage": "floating",
    "inputExclusiveBuffersUsage": "exclusive",
}
"""Last part of the metric's name in its older and newer group -> pool. Source: reference/metrics.csv (buffers)."""
MOST_ROWS = 50_000
"""Subtasks' pools that are read. Our choice: 5,000 subtasks, all pools in both groups of metrics."""

Usage = Mapping[str, float]


def measure(evidence: Evidence) -> Measured:
    """The usual use of each task's pools, in its fullest subtask.

    Reads   metric_sample (`buffers.*` or `Shuffle.Netty.*.Buffers.*`). One Spark job.
    Gives   one signal for each task with a known pool.
    Units   ratios: 0 empty, 1 full; an output pool with overdraft buffers can pass 1.
    Empty   NotMeasured without such metrics.
    """
    rows = _rows(evidence) if evidence.may_have("metric_sample", "metric", _is_of_pool) else ()
    if not rows:
        yield NotMeasured("buffer_pools", "vertex-metrics", "no metric tells how full the buffer pools are")
        return
    cluster = cluster_of(evidence)
    usage: dict[VertexKey, dict[str, float]] = defaultdict(dict)
    fullest: dict[VertexKey, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        vertex, pool = (row.job_id, row.vertex_id or normalised(row.vertex)), POOLS[row.metric.rpartition(".")[2]]
        if row.usual > usage[vertex].get(pool, -1.0):
            usage[vertex][pool], fullest[vertex][pool] = row.usual, row
    names = {place: next(row.vertex for row in found.values()) for place, found in fullest.items()}
    for vertex in sorted(usage, key=repr):
        of_job = {place[1]: name or place[1] for place, name in names.items() if place[0] == vertex[0]}
        graph = job_graph(cluster, vertex[0], of_job)
        above = graph.above(vertex[1]) if graph.edges_known else ()
        upstream = {each: usage[vertex[0], each]["out"] for each in above if "out" in usage.get((vertex[0], each), {})}
        yield _signal(vertex, graph, usage[vertex], upstream, fullest[vertex])


def _is_of_pool(metric: str) -> bool:
    return metric.rpartition(".")[2] in POOLS


def _rows(evidence: Evidence) -> Sequence[Any]:
    """The median of each pool of each subtask, with the place of one of its highest readings."""
    named = " OR ".join(f"endswith(metric, '.{name}')" for name in POOLS)
    keys = ["job_id", "vertex_id", "vertex", "subtask", "metric"]
    place = sf.struct("file_id", "line", "last_line", "pointer", "ts_ms", "value")
    chosen: list[Any] = (
        evidence["metric_sample"]
        .where(f"({named}) AND value IS NOT NULL AND aggregate IS NULL AND coalesce(vertex_id, vertex) IS NOT NULL")
        .groupBy(*keys)
        .agg(sf.median("value").alias("usual"), sf.max_by(place, "value").alias("place"))
        .orderBy(sf.desc("usual"), *keys)
        .limit(MOST_ROWS)
        .collect()
    )
    return chosen


def _signal(vertex: VertexKey, graph: JobGraph, usage: Usage, upstream: Usage, fullest: Mapping[str, Any]) -> Signal:
    facts: dict[str, FactValue] = {f"{pool}_ratio": ratio for pool, ratio in usage.items()}
    facts["fullest_subtask"] = fullest["in" if "in" in fullest else next(iter(fullest))].subtask
    if upstream:
        worst = max(sorted(upstream), key=lambda each: upstream[each])
        facts |= {"upstream_out_ratio": upstream[worst], "upstream_vertex": graph.name(worst)}
    return Signal(
        "buffer_pools",
        Subject(job=vertex[0], vertex=graph.name(vertex[1]), vertex_id=vertex[1]),
        {fact: value for fact, value in facts.items() if value is not None},
        tuple(_cite(fullest[pool]) for pool in sorted(fullest)),
        citation_count=len(fullest),
    )


def _cite(row: Any) -> Citation:
    text = f"{row.metric} of subtask {row.subtask} of {row.vertex or row.vertex_id}: {row.place.value:.3g}"
    return Citation.of(row.place, "metric", text, name=row.metric, value=row.place.value)


FACTS = {
    "out_ratio": "use of the output pool",
    "in_ratio": "use of the input pool: exclusive and floating buffers, before Flink 1.9 the floating ones alone",
    "floating_ratio": "use of the floating input buffers, which all channels share",
    "exclusive_ratio": "use of the exclusive input buffers, two to each channel",
    "upstream_out_ratio": "use of the fullest output pool of a task right above",
    "upstream_vertex": "that task",
    "fullest_subtask": "the subtask with the fullest input pool",
}

SIGNALS = (SignalDefinition("buffer_pools", "vertex", FACTS, measure),)
