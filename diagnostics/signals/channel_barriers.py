"""The input channel whose barrier comes last, from DEBUG logs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.checkpoints.channel_barriers import Arrivals, Channel, barrier_arrivals
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

MOST_CITED = 4


def measure(evidence: Evidence) -> Measured:
    """How far apart the barriers arrive at the subtask where that is longest, and on which channel the last one.

    Reads   log_record (DEBUG records of the barrier handlers), vertex, edge.
    Gives   one signal for each job whose subtasks logged barriers of two channels or more.
    Units   milliseconds; channels, inputs and subtasks from 0, as in Flink's logs.
    Empty   NotMeasured without such records: Flink writes them at level DEBUG.
    """
    arrivals = barrier_arrivals(evidence)
    if not arrivals:
        yield NotMeasured("channel_barriers", "barrier-logs", "no log has the DEBUG records about barriers by channel")
        return
    cluster = cluster_of(evidence)
    only_job = only_one(cluster.job_names)
    by_job: dict[str | None, list[Arrivals]] = defaultdict(list)
    for each in arrivals:
        by_job[each.job_id or only_job].append(each)
    for job_id, of_job in sorted(by_job.items(), key=lambda item: repr(item[0])):
        yield _signal(job_id, of_job, cluster)


def _signal(job_id: str | None, arrivals: Sequence[Arrivals], cluster: Cluster) -> Signal:
    by_subtask: dict[tuple[str, int], list[Arrivals]] = defaultdict(list)
    for each in arrivals:
        by_subtask[each.task, each.subtask].append(each)
    spreads = {place: median(each.spread_ms for each in seen) for place, seen in by_subtask.items()}
    worst = max(sorted(spreads), key=lambda place: spreads[place])
    longest = max(by_subtask[worst], key=lambda each: each.spread_ms)
    counts = Counter(each.last for each in by_subtask[worst])
    (gate, index), often = max(counts.items(), key=lambda item: (item[1], item[0] == longest.last))
    facts: dict[str, FactValue] = {
        "checkpoints": len(by_subtask[worst]),
        "task": worst[0],
        "subtask": worst[1],
        "channels": len(longest.at),
        "spread_ms": spreads[worst],
        "spread_max_ms": longest.spread_ms,
        "spread_checkpoint": longest.number,
        "last_input": gate,
        "last_channel": index,
        "last_share_ratio": often / len(by_subtask[worst]),
        **_upstream(cluster, job_id, longest, (gate, index)),
    }
    cited = sorted(by_subtask[worst], key=lambda each: -each.spread_ms)[:MOST_CITED]
    return Signal(
        "channel_barriers",
        Subject(job=job_id),
        known_facts(facts),
        tuple(each.last_citation for each in cited),
        citation_count=len(arrivals),
    )


def _upstream(cluster: Cluster, job_id: str | None, arrivals: Arrivals, last: Channel) -> dict[str, FactValue]:
    """The subtask upstream that sends to a channel: of the same number, where one task sends from all its subtasks."""
    graph = job_graph(cluster, job_id)
    named = [vertex for job, vertex in cluster.tasks if job == job_id and graph.name(vertex) == arrivals.task]
    above = graph.above(named[0]) if len(named) == 1 and graph.edges_known else ()
    if len(above) != 1 or graph.parallelism.get(above[0]) != len(arrivals.at):
        return {}
    return {"last_upstream_vertex": graph.name(above[0]), "last_upstream_subtask": last[1]}


FACTS = {
    "checkpoints": "checkpoints whose barriers that subtask logged by channel",
    "task": "task with the subtask whose barriers arrive furthest apart",
    "subtask": "subtask whose barriers arrive furthest apart",
    "channels": "input channels of the subtask",
    "spread_ms": "usual time from its first to its last barrier",
    "spread_max_ms": "longest such time",
    "spread_checkpoint": "checkpoint of that",
    "last_input": "input whose barrier comes last most often",
    "last_channel": "channel of that input",
    "last_share_ratio": "share of the checkpoints in which it is the last",
    "last_upstream_vertex": "task that sends to it",
    "last_upstream_subtask": "subtask that sends to it, where all subtasks send to all",
}

SIGNALS = (SignalDefinition("channel_barriers", "job", FACTS, measure),)
