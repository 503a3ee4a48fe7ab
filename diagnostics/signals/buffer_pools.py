"""How full the buffer pools of each task are: output, input, floating and exclusive, and the output pool above it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row
from pyspark.sql import functions as sf

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.cluster import VertexKey, cluster_of, normalised
from diagnostics.reconstruction.job_graph import JobGraph, job_graph
from diagnostics.reconstruction.series import BUFFER_POOLS, few_samples, grouped, last_part, mappings, of_metrics
from diagnostics.signal import FactValue, Measured, NotMeasured, Signal, SignalDefinition, Subject

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

MOST_ROWS = 50_000
"""Subtasks' pools that are told apart by Spark. Our choice: 5,000 subtasks, all pools in both groups of metrics."""

KEYS = ("job_id", "vertex_id", "vertex", "subtask", "metric")

Usage = Mapping[str, float]


def measure(evidence: Evidence) -> Measured:
    """The usual use of each task's pools, in its fullest subtask.

    Reads   metric_sample (`buffers.*` or `Shuffle.Netty.*.Buffers.*`). One Spark job where its rows are many.
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
        vertex, pool = (row.job_id, row.vertex_id or normalised(row.vertex)), BUFFER_POOLS[last_part(row.metric)]
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
    return last_part(metric) in BUFFER_POOLS


def _rows(evidence: Evidence) -> Sequence[Any]:
    """The median of each pool of each subtask, with the place of one of its highest readings, the largest first."""
    few = few_samples(evidence)
    return _medians_by_spark(evidence["metric_sample"]) if few is None else _medians(of_metrics(few, _is_of_pool))


def _medians(samples: pa.Table) -> Sequence[Row]:
    of_task = (row for row in mappings(samples) if row["vertex_id"] is not None or row["vertex"] is not None)
    found = []
    for key, told in grouped(of_task, KEYS).items():
        usual = median(sample["value"] for sample in told)
        highest = max(reversed(told), key=lambda sample: sample["value"])
        found.append(Row(**dict(zip(KEYS, key, strict=True)), usual=usual, place=Row(**highest)))
    return sorted(found, key=lambda row: (-row.usual, *((row[name] is not None, row[name]) for name in KEYS)))


def _medians_by_spark(samples: DataFrame) -> Sequence[Row]:
    named = " OR ".join(f"endswith(metric, '.{name}')" for name in BUFFER_POOLS)
    place = sf.struct("file_id", "line", "last_line", "pointer", "ts_ms", "value")
    return (
        samples.where(
            f"({named}) AND value IS NOT NULL AND aggregate IS NULL AND coalesce(vertex_id, vertex) IS NOT NULL"
        )
        .groupBy(*KEYS)
        .agg(sf.median("value").alias("usual"), sf.max_by(place, "value").alias("place"))
        .orderBy(sf.desc("usual"), *KEYS)
        .limit(MOST_ROWS)
        .collect()
    )


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
