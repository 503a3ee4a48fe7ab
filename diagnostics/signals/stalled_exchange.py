"""Exchanges between tasks through which nothing gets: those before wait for room, those behind wait for records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from diagnostics.arithmetic.quantiles import lowest
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.pressed_time import lasted_ms, pressed_span
from diagnostics.reconstruction.load.task_rates import held_times, task_rates
from diagnostics.reconstruction.load.timeline import Moment, Timeline, load_timelines, printed_names
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

AT_REST = 0.05
"""Busy or back-pressured share up to which a task only waits for records. Our choice: what the gauges and the barriers
of checkpoints add."""
HELD = 0.95
"""Back-pressured share from which a task does nothing but wait for room. Our choice: the rest is what the gauge misses.
"""


def measure(evidence: Evidence) -> Measured:
    """Tasks that have nothing to do at the last look while all subtasks upstream wait until they can hand on records.

    A slow task is busy, and one that waits for a barrier has an upstream task that is not held. Where both sides wait,
    the exchange between them does.

    Reads   metric_sample and back_pressure (busy and back-pressured time), vertex, edge, subtask (records read).
    Gives   one signal per such task.
    Units   ratios of time 0 to 1; milliseconds; records a second.
    Empty   NotMeasured without any busy and back-pressured ratio.
    """
    timelines = load_timelines(evidence)
    if not timelines:
        yield NotMeasured("stalled_exchange", "back-pressure", "no file shows how busy or back-pressured the tasks are")
        return
    cluster = cluster_of(evidence)
    for job, timeline in sorted(timelines.items(), key=lambda item: str(item[0])):
        graph = job_graph(cluster, job, printed_names(evidence, timeline))
        for vertex in sorted(timeline):
            above = graph.above(vertex)
            if run := _stalled(timeline, vertex, above):
                yield _signal(evidence, cluster, graph, timeline, vertex, run)


def _stalled(timeline: Timeline, vertex: str, above: Sequence[str]) -> Sequence[Mapping[str, Moment]]:
    """The last moments, of the task and those upstream, in which nothing got from them to it; newest first."""
    by_time = {task: {each.ts_ms: each for each in timeline.get(task, ())} for task in (vertex, *above)}
    looked = sorted(set.intersection(*(set(each) for each in by_time.values())), reverse=True)
    run = []
    for ts_ms in looked if above else ():
        now = {task: moments[ts_ms] for task, moments in by_time.items()}
        if not _waits(now[vertex]) or not all(_is_held(now[task]) for task in above):
            break
        run.append(now)
    return run


def _waits(moment: Moment) -> bool:
    return bool(moment.busy) and max((*moment.busy, *moment.back_pressured)) <= AT_REST


def _is_held(moment: Moment) -> bool:
    return bool(moment.back_pressured) and min(moment.back_pressured) >= HELD


def _signal(
    evidence: Evidence,
    cluster: Cluster,
    graph: JobGraph,
    timeline: Timeline,
    vertex: str,
    run: Sequence[Mapping[str, Moment]],
) -> Signal:
    job, above = graph.job_id, graph.above(vertex)
    last = run[0]
    held = [last[each] for each in above]
    spans = {each.ts_ms: pressed_span(each) for now in run for task, each in now.items() if task != vertex}
    times = [held_times(evidence)[job, each] for each in above if (job, each) in held_times(evidence)]
    facts: dict[str, FactValue] = {
        "upstream_vertices": [graph.name(each) for each in above],
        "upstream_ratio": min(ratio for each in held for ratio in each.back_pressured),
        "busy_ratio": max(last[vertex].busy),
        "subtasks": len(last[vertex].busy),
        "moments": len(run),
        "lasted_ms": lasted_ms(spans, timeline, times),
        "records_per_s": _records_per_s(evidence, job, vertex),
        "task_managers": _task_managers(cluster, job, (vertex, *above)),
    }
    readings = [last[vertex].busiest, *(each.most_held for each in held)]
    return Signal(
        "stalled_exchange",
        cluster.vertex_subject(job, vertex, name=graph.name(vertex)),
        known_facts(facts),
        tuple(each.citation for each in readings if each),
        citation_count=len(run),
    )


def _records_per_s(evidence: Evidence, job: str | None, vertex: str) -> float | None:
    """Records that the task read at last: the lower of what its counters show, whose last interval may begin before the
    trouble, and its gauges of the rate, which are of the last minute.
    """
    rate = task_rates(evidence).get((job, vertex))
    gauges = metric_series(evidence).by_vertex("numRecordsInPerSecond", operators=False).get((job, vertex), ())
    last = [each.known[-1].value or 0.0 for each in gauges if each.known]
    return lowest([rate.latest_per_s if rate else None, sum(last) if last else None])


def _task_managers(cluster: Cluster, job: str | None, vertices: Sequence[str]) -> int | None:
    return len(set(_homes(cluster, job, vertices))) or None


def _homes(cluster: Cluster, job: str | None, vertices: Sequence[str]) -> Iterator[str]:
    for (of_job, vertex, _), home in cluster.homes.items():
        if of_job == job and vertex in vertices:
            yield home


FACTS = {
    "upstream_vertices": "tasks directly upstream",
    "upstream_ratio": "least back-pressured ratio of a subtask of these, 0 to 1",
    "busy_ratio": "busy ratio of the busiest subtask behind them, 0 to 1",
    "subtasks": "subtasks of the task that were seen",
    "moments": "looks in a row, up to the last one, that show it",
    "lasted_ms": "time for which the tasks upstream have waited, ms",
    "records_per_s": "records that the task read at last, per second",
    "task_managers": "TaskManagers on which these tasks run",
}

SIGNALS = (SignalDefinition("stalled_exchange", "vertex", FACTS, measure),)
