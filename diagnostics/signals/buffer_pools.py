"""Usage of each task's network buffer pools: output, input, floating, exclusive, and the upstream output pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from diagnostics.aggregators import pool_usage
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

Usage = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Pool:
    """One pool of one subtask: the median of its readings, and the first sample of its highest value."""

    usual: float
    highest: Any


def measure(evidence: Evidence) -> Measured:
    """Usual usage of each task's pools, in the subtask with the fullest pool.

    Reads   metric_sample (`buffers.*` or `Shuffle.Netty.*.Buffers.*`).
    Gives   one signal per task with a known pool; a source has no input, although Flink reports an empty pool for it.
    Units   ratios: 0 empty, 1 full; above 1 with overdraft buffers.
    Empty   NotMeasured without such metrics.
    """
    pools = _pools(evidence)
    if not pools:
        yield NotMeasured("buffer_pools", "vertex-metrics", "no metric shows how full the buffer pools are")
        return
    cluster = cluster_of(evidence)
    usage: dict[VertexKey, dict[str, float]] = defaultdict(dict)
    fullest: dict[VertexKey, dict[str, Any]] = defaultdict(dict)
    for each in pools:
        row = each.highest
        vertex, pool = (row.job_id, row.vertex_id or normalised(row.vertex)), pool_usage.pool_of(row.metric)
        if pool and each.usual > usage[vertex].get(pool, -1.0):
            usage[vertex][pool], fullest[vertex][pool] = each.usual, row
    names = {place: next(row.vertex for row in found.values()) for place, found in fullest.items()}
    for vertex in sorted(usage, key=repr):
        of_job = {place[1]: name or place[1] for place, name in names.items() if place[0] == vertex[0]}
        graph = job_graph(cluster, vertex[0], of_job)
        above = graph.above(vertex[1]) if graph.edges_known else ()
        upstream = {each: usage[vertex[0], each]["out"] for each in above if "out" in usage.get((vertex[0], each), {})}
        yield _signal(vertex, graph, usage[vertex], upstream, fullest[vertex])


def _pools(evidence: Evidence) -> Sequence[_Pool]:
    """Pools of all subtasks, highest median first."""
    readings: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(pool_usage.AGGREGATOR)):
        readings[tuple(getattr(row, name) for name in pool_usage.SERIES)].append(row)
    found = {
        key: _Pool(median(row.value for row in rows), max(rows, key=lambda row: row.value))
        for key, rows in readings.items()
    }
    order = sorted(found, key=lambda key: (-found[key].usual, *((name is not None, name) for name in key)))
    return [found[key] for key in order]


def _signal(vertex: VertexKey, graph: JobGraph, usage: Usage, upstream: Usage, fullest: Mapping[str, Any]) -> Signal:
    is_source = graph.edges_known and not graph.above(vertex[1])
    facts: dict[str, FactValue] = {
        f"{pool}_ratio": ratio for pool, ratio in usage.items() if pool == "out" or not is_source
    }
    facts["fullest_subtask"] = fullest["in" if "in" in fullest else next(iter(fullest))].subtask
    if upstream:
        worst = max(sorted(upstream), key=lambda each: upstream[each])
        facts |= {"upstream_out_ratio": upstream[worst], "upstream_vertex": graph.name(worst)}
    return Signal(
        "buffer_pools",
        Subject(job=vertex[0], vertex=graph.name(vertex[1]), vertex_id=vertex[1]),
        known_facts(facts),
        tuple(_cite(fullest[pool]) for pool in sorted(fullest)),
        citation_count=len(fullest),
    )


def _cite(row: Any) -> Citation:
    text = f"{row.metric} of subtask {row.subtask} of {row.vertex or row.vertex_id}: {row.value:.3g}"
    return Citation.of(row, "metric", text, name=row.metric, value=row.value)


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
