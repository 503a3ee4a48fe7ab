"""Usage of each task's network buffer pools: output, input, floating, exclusive, and the upstream output pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.arithmetic.onset import END_FACTS, ONSET_FACTS, end_facts, ended_ms, onset, onset_facts
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.pools import FULL, TaskPools, pools_of_tasks
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import sample_text


def measure(evidence: Evidence) -> Measured:
    """Usual usage of each task's pools, all of them in the subtask with the fullest input or output pool.

    Reads   metric_sample (`buffers.*` or `Shuffle.Netty.*.Buffers.*`).
    Gives   one signal per task with a known pool; a source has no input, although Flink reports an empty pool for it.
    Units   ratios: 0 empty, 1 full; above 1 with overdraft buffers.
    Empty   NotMeasured without such metrics.
    """
    pools = pools_of_tasks(evidence)
    if not pools:
        yield NotMeasured("buffer_pools", "vertex-metrics", "no metric shows how full the buffer pools are")
        return
    cluster = cluster_of(evidence)
    names = {task: next(iter(of_task.uses.values())).highest.vertex for task, of_task in pools.items()}
    for task, of_task in pools.items():
        of_job = {place[1]: name or place[1] for place, name in names.items() if place[0] == task[0]}
        graph = job_graph(cluster, task[0], of_job)
        above = graph.above(task[1]) if graph.edges_known else ()
        upstream = {
            each: use
            for each in above
            if (task[0], each) in pools and (use := pools[task[0], each].fullest_out) is not None
        }
        yield _signal(task, graph, of_task, upstream)


def _signal(task: VertexKey, graph: JobGraph, pools: TaskPools, upstream: Mapping[str, float]) -> Signal:
    is_source = graph.edges_known and not graph.above(task[1])
    facts: dict[str, FactValue] = {
        f"{pool}_ratio": use.usual for pool, use in pools.uses.items() if pool == "out" or not is_source
    }
    facts["is_sink"] = graph.edges_known and not graph.all_below(task[1])
    facts["fullest_subtask"] = pools.subtask
    if pools.full:
        facts |= {"full_since_ms": pools.full.since_ms, "full_until_ms": pools.full.until_ms}
    if pools.course:
        facts["last_ratio"] = max(pools.course)[1]
    full = [(ts_ms, value >= FULL) for ts_ms, value in pools.course]
    facts |= onset_facts(onset(full)) | end_facts(ended_ms(full))
    if upstream:
        worst = max(sorted(upstream), key=lambda each: upstream[each])
        facts |= {"upstream_out_ratio": upstream[worst], "upstream_vertex": graph.name(worst)}
    return Signal(
        "buffer_pools",
        Subject(job=task[0], vertex=graph.name(task[1]), vertex_id=task[1]),
        known_facts(facts),
        tuple(_cite(use.highest) for use in pools.uses.values()),
        citation_count=len(pools.uses),
    )


def _cite(row: Any) -> Citation:
    text = sample_text(row.metric, row.subtask, row.vertex or row.vertex_id, f"{row.value:.3g}")
    return Citation.of(row, "metric", text, name=row.metric, value=row.value)


FACTS = {
    **ONSET_FACTS,
    **END_FACTS,
    "out_ratio": "use of the output pool",
    "in_ratio": "use of the input pool: exclusive and floating buffers, before Flink 1.9 the floating ones alone",
    "floating_ratio": "use of the floating input buffers, which all channels share",
    "exclusive_ratio": "use of the exclusive input buffers, two to each channel",
    "upstream_out_ratio": "use of the fullest output pool of a task right above",
    "upstream_vertex": "that task",
    "is_sink": "whether no task follows it, so that it has no output pool although Flink reports an empty one",
    "fullest_subtask": "the subtask with the fullest pool, whose pools these are",
    "last_ratio": "use of the fullest of these pools when it was last read",
    "full_since_ms": "time at which the fullest buffer pool filled, where that was observed; uses are medians since "
    "then",
    "full_until_ms": "time until which the fullest buffer pool stayed full, where that was observed",
}

SIGNALS = (SignalDefinition("buffer_pools", "vertex", FACTS, measure),)
