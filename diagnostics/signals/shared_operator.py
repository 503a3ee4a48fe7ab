"""Quick inputs that wait at a task which aligns them with slow ones, although it is not busy itself."""

from __future__ import annotations

from statistics import fmean

from diagnostics.arithmetic.quantiles import highest
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.parts import Part, checkpoint_parts
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.timeline import Timeline, load_timelines, printed_names
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts


def measure(evidence: Evidence) -> Measured:
    """For each task with several inputs, its most and its least back-pressured direct upstream task.

    Reads   metric_sample and back_pressure (the load), subtask_checkpoint (alignment), vertex, edge.
    Gives   one signal for each task with two or more upstream tasks whose back pressure is known.
    Units   ratios: means over the recording of the subtask that has most; milliseconds.
    Empty   NotMeasured without back pressure over time; nothing for a job without known edges.
    """
    loads = load_timelines(evidence)
    if not loads:
        yield NotMeasured("shared_operator", "metric-scrapes", "no file shows back pressure over time")
        return
    cluster = cluster_of(evidence)
    for job_id, timeline in sorted(loads.items(), key=lambda item: str(item[0])):
        graph = job_graph(cluster, job_id, printed_names(evidence, timeline))
        parts = [part for part in checkpoint_parts(evidence) if part.job_id in (job_id, None)]
        for vertex in sorted(graph.names) if graph.edges_known else ():
            signal = _signal(job_id, vertex, graph, timeline, parts)
            if signal is not None:
                yield signal


def _signal(job_id: str | None, vertex: str, graph: JobGraph, timeline: Timeline, parts: list[Part]) -> Signal | None:
    held = {each: ratio for each in graph.above(vertex) if (ratio := _mean_held(timeline, each)) is not None}
    if len(held) < 2:
        return None
    quick, slow = max(held, key=lambda each: (held[each], each)), min(held, key=lambda each: (held[each], each))
    slowest = [at for part in parts if part.vertex_id == vertex and (at := part.by_phase.get("alignment"))]
    facts: dict[str, FactValue] = {
        "quick_vertex": graph.name(quick),
        "quick_held_ratio": held[quick],
        "slow_vertex": graph.name(slow),
        "slow_held_ratio": held[slow],
        "own_busy_ratio": _mean_busy(timeline, vertex),
        "own_held_ratio": _mean_held(timeline, vertex),
        "alignment_ms": highest(at.alignment_ms for at in slowest),
        "aligned_checkpoints": len(slowest) or None,
    }
    readings = [moment.most_held for moment in timeline.get(quick, ()) if moment.most_held is not None]
    worst = max(readings, key=lambda each: each.ratio)
    return Signal(
        "shared_operator",
        Subject(job=job_id, vertex=graph.name(vertex), vertex_id=vertex),
        known_facts(facts),
        (worst.citation,),
        citation_count=len(readings),
    )


def _mean_held(timeline: Timeline, vertex: str) -> float | None:
    known = [moment.held_max for moment in timeline.get(vertex, ()) if moment.held_max is not None]
    return fmean(known) if known else None


def _mean_busy(timeline: Timeline, vertex: str) -> float | None:
    known = [moment.busy_max for moment in timeline.get(vertex, ()) if moment.busy_max is not None]
    return fmean(known) if known else None


FACTS = {
    "quick_vertex": "the direct upstream task that waits most",
    "quick_held_ratio": "back-pressured share of the time of the input that waits most",
    "slow_vertex": "the direct upstream task that waits least",
    "slow_held_ratio": "back-pressured share of the time of the input that waits least",
    "own_busy_ratio": "busy share of the time of the shared task itself",
    "own_held_ratio": "back-pressured share of the time of the shared task itself",
    "alignment_ms": "longest alignment of the shared task in a checkpoint",
    "aligned_checkpoints": "checkpoints in which its alignment is known",
}

SIGNALS = (SignalDefinition("shared_operator", "vertex", FACTS, measure),)
