"""Back pressure: the task that causes it, how long it lasted and how strong it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from diagnostics.aggregators import jobs, pool_usage
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.onset import END_FACTS, ONSET_FACTS, Onset, end_facts, ended_ms, onset, onset_facts
from diagnostics.arithmetic.quantiles import highest, known, middle
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.declared_tables import DeclaredTables, declared_tables
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.intake_of_tasks import least_input_ratio, stands_still
from diagnostics.reconstruction.load.pressed_time import (
    FEWEST_MOMENTS,
    course_of,
    lasted_ms,
    moments_of,
    pressed_since,
    pressed_span,
    pressed_spans,
    run_ms,
    widest_gap_ms,
    window_of,
)
from diagnostics.reconstruction.load.pressure_origin import OriginMoment, origins
from diagnostics.reconstruction.load.task_rates import HeldTime, held_times
from diagnostics.reconstruction.load.timeline import MOMENT_MS, Moment, Timeline, load_timelines, printed_names
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.load_levels import FULLY_BUSY, LOW_MOST, OK_MOST, pressure_level
from diagnostics.vocabulary.operators_at_limit import look_up_relief_of, relief_of, spread_of

AS_HARD = 0.8
"""Usual ratios are medians over the moments whose back pressure is at least this share of the highest. Our choice."""
START_MS = 120_000
"""Back pressure that begins within this time of the job's start may be a backlog being processed. Our choice."""
CALM_MS = 60_000
"""How long back pressure must have ended to count as a processed backlog. Our choice: a minute, the period that REST's
gauges average over.
"""


def measure(evidence: Evidence) -> Measured:
    """Back pressure of each job and task, and each task that causes back pressure upstream.

    Reads   metric_sample (times, else buffer pools), back_pressure, vertex, edge, subtask (accumulated times).
    Gives   `back_pressure.job` per job, `back_pressure.vertex` per task, `back_pressure.origin` per task that causes
            it.
    Units   ratios of time 0 to 1; milliseconds.
    Empty   NotMeasured without any busy or back-pressured ratio.
    """
    timelines = load_timelines(evidence)
    if not timelines:
        for key in ("back_pressure.job", "back_pressure.origin", "back_pressure.vertex"):
            yield NotMeasured(key, "back-pressure", "no file shows how busy or back-pressured the tasks are")
        return
    cluster = cluster_of(evidence)
    accumulated = held_times(evidence)
    starts = _starts(evidence)
    for job_id in sorted(timelines, key=str):
        timeline = timelines[job_id]
        graph = job_graph(cluster, job_id, printed_names(evidence, timeline))
        held = origins(timeline, graph)
        yield _job_signal(job_id, timeline, graph, accumulated, sorted(held))
        for vertex in sorted(timeline):
            yield _vertex_signal(job_id, vertex, timeline, graph, cluster)
        for vertex in sorted(held):
            origin = _origin_signal(job_id, vertex, held[vertex], timeline, graph, cluster, accumulated)
            catch_up = _is_catch_up(held[vertex], timeline, starts.get(job_id or ""))
            acts = _acts(graph, vertex, declared_tables(evidence))
            facts = {
                **origin.facts,
                **acts,
                "catch_up": catch_up,
                "stands_still": stands_still(evidence, job_id, vertex),
                "least_input_ratio": least_input_ratio(evidence, job_id, vertex),
            }
            yield replace(origin, facts=known_facts(facts))


def _acts(graph: JobGraph, vertex: str, tables: DeclaredTables) -> dict[str, FactValue]:
    """What gives the task room, by its name and by the tables that the job's SQL declares."""
    name = graph.name(vertex)
    look_up = look_up_relief_of(name, tables.connectors, tables.looked_up) if graph.named_look_up(vertex) else None
    return known_facts({"relief": relief_of(name, tables.connectors), "look_up_relief": look_up})


def _subtasks_of(vertex: str, graph: JobGraph, timeline: Timeline) -> int | None:
    """The number of subtasks of a task, from the job graph or the subtasks that were seen."""
    seen = [len(each.busy or each.back_pressured) for each in timeline.get(vertex, ())]
    return graph.parallelism.get(vertex) or max(seen, default=0) or None


def _starts(evidence: Evidence) -> Mapping[str, int]:
    """Job -> its earliest start in REST answers, in epoch ms."""
    found: dict[str, int] = {}
    for row in named_rows(evidence.answer(jobs.AGGREGATOR)):
        if row.start_ms is not None and row.start_ms > 0:
            found[row.job_id] = min(row.start_ms, found.get(row.job_id, row.start_ms))
    return found


def _is_catch_up(held: Sequence[OriginMoment], timeline: Timeline, start_ms: int | None) -> bool:
    """Whether the back pressure began with the job, paused never, and ended well before the last moment: a backlog was
    processed.
    """
    high = [each.ts_ms for each in held if each.upstream_ratio > LOW_MOST]
    if start_ms is None or not high or high[0] - start_ms > START_MS:
        return False
    longest_gap = max((later - earlier for earlier, later in pairwise(high)), default=0)
    if longest_gap > widest_gap_ms(timeline):
        return False
    after = [ts_ms for ts_ms in course_of(timeline) if ts_ms > high[-1]]
    return len(after) >= FEWEST_MOMENTS and after[-1] - high[-1] >= CALM_MS


def _origin_signal(
    job_id: str | None,
    vertex: str,
    held: Sequence[OriginMoment],
    timeline: Timeline,
    graph: JobGraph,
    cluster: Cluster,
    accumulated: Mapping[tuple[str | None, str], HeldTime],
) -> Signal:
    high = [each for each in held if each.upstream_ratio > LOW_MOST]
    lasting = high or list(held)
    hardest = max(each.upstream_ratio for each in lasting)
    chosen = [each for each in lasting if each.upstream_ratio >= AS_HARD * hardest]
    spans = {each.ts_ms: pressed_span(each.upstream_load) for each in lasting}
    everything = moments_of(timeline)
    at = {each.ts_ms for each in chosen}
    worst = max(chosen, key=lambda each: (round(each.upstream_ratio, 2), each.own.busy_max or 0.0, each.ts_ms))
    above_reading = worst.upstream_load.most_held
    above = [each for each in graph.all_above(vertex) if each in timeline]
    pressed = [each for each in above if _typical(timeline[each], at, "held_max", OK_MOST) is not None]
    facts: dict[str, FactValue] = {
        "position": graph.position(vertex),
        "named_look_up": graph.named_look_up(vertex),
        "chained_sink": graph.has_chained_sink(vertex),
        "spread": spread_of(graph.name(vertex)),
        "graph_known": graph.edges_known,
        "graph_derived": graph.edges_derived,
        "parallelism": graph.parallelism.get(vertex) or len(worst.own.busy or worst.own.back_pressured) or None,
        "upstream_parallelism": highest(_subtasks_of(each, graph, timeline) for each in graph.above(vertex)),
        "busy_known": worst.own.busy_max is not None,
        "by_pools": above_reading is not None and str(above_reading.citation.name).endswith(pool_usage.OUT),
        "busy_max_ratio": middle(each.own.busy_max for each in chosen),
        "busy_min_ratio": middle(each.own.busy_min for each in chosen),
        "busy_median_ratio": middle(each.own.busy_median for each in chosen),
        "back_pressured_ratio": middle(each.own.held_max for each in chosen),
        "upstream_ratio": middle(each.upstream_ratio for each in chosen),
        "upstream_max_ratio": worst.upstream_ratio,
        "upstream_vertex": graph.name(worst.upstream_vertex),
        "upstream_vertices": [graph.name(each) for each in reversed(pressed)],
        "upstream_count": len(above),
        "pressed_count": len(pressed),
        "source_ratio": _source_ratio(timeline, graph, vertex, at),
        "downstream_busy_ratio": middle(each.below_busy for each in chosen),
        "level": "high" if high else "low",
        "moments": len(everything),
        "origin_moments": len(lasting),
        "share_ratio": len(lasting) / len(everything),
        "lasted_ms": lasted_ms(
            spans, timeline, [accumulated[job_id, each] for each in above if (job_id, each) in accumulated]
        ),
    }
    if worst.ts_ms >= 0:
        course = _origin_course(timeline[vertex], spans.keys(), course_of(timeline))
        end_ms = _origin_end_ms(course, above, timeline)
        until = [(ts_ms, beyond) for ts_ms, beyond in course if end_ms is None or ts_ms < end_ms]
        within = {ts_ms: span for ts_ms, span in spans.items() if end_ms is None or ts_ms < end_ms}
        facts |= _began(onset(until), pressed_since(within, timeline)) | end_facts(end_ms)
    busy = worst.own.busiest
    citations = [reading.citation for reading in (busy, above_reading, worst.own.most_held) if reading]
    citations += [
        reading.citation
        for each in above
        for moment in timeline[each]
        if moment.ts_ms == worst.ts_ms and (reading := moment.most_held) is not None
    ]
    return Signal(
        "back_pressure.origin",
        _subject(cluster, graph, job_id, vertex),
        known_facts(facts),
        tuple(dict.fromkeys(citations)),
        citation_count=len(lasting),
        window=window_of(each.ts_ms for each in lasting),
    )


def _began(began: Onset | None, held: Onset | None) -> dict[str, FactValue]:
    """When a task had no time left or held others back, and when it held them back: not the same while records queue.

    began  of `_origin_course`, by moments
    """
    if began is None or held is None:
        return {}
    began_ms = began.ts_ms if held.ts_ms - began.ts_ms >= MOMENT_MS else held.ts_ms
    return {
        **onset_facts(Onset(began_ms, began.at_start)),
        "held_since_ms": held.ts_ms,
        "held_since_at_start": held.at_start,
        "queued_ms": held.ts_ms - began_ms,
    }


def _origin_course(own: Sequence[Moment], beyond: Set[int], everything: Sequence[int]) -> list[tuple[int, bool]]:
    """When a task holds others back: it is busy all the time before the buffers in front of it are full.

    beyond  the moments in which a task upstream is back-pressured for it
    """
    busy = {each.ts_ms: each.busy_median for each in own if each.busy_median is not None}
    full = {ts_ms for ts_ms, ratio in busy.items() if ratio >= FULLY_BUSY}
    looked = [ts_ms for ts_ms in everything if not busy or ts_ms in busy or ts_ms in beyond]
    return [(ts_ms, ts_ms in beyond or ts_ms in full) for ts_ms in looked]


def _origin_end_ms(course: Sequence[tuple[int, bool]], above: Sequence[str], timeline: Timeline) -> int | None:
    """When a task no longer holds others back; None where tasks upstream still wait, or are not seen until the end.

    A single moment at the very end is a burst, as long as nothing shows that it lasts.
    """
    is_burst = len(course) > 1 and course[-1][1] and not course[-2][1]
    seen = course[:-1] if is_burst else course
    end_ms = ended_ms(seen)
    last_ms = seen[-1][0] if seen else 0
    waits = [
        each for vertex in above for each in timeline[vertex] if end_ms is not None and end_ms <= each.ts_ms <= last_ms
    ]
    return end_ms if waits and all((each.held_max or 0.0) <= LOW_MOST for each in waits) else None


def _subject(cluster: Cluster, graph: JobGraph, job_id: str | None, vertex: str) -> Subject:
    if (job_id, vertex) in cluster.tasks:
        return cluster.vertex_subject(job_id, vertex)
    return Subject(job=job_id, vertex=graph.name(vertex), vertex_id=vertex if len(vertex) == 32 else None)


def _typical(moments: Sequence[Moment], at: set[int], name: str, least: float) -> float | None:
    """Median of the field `name` over the moments in `at`; None when it is not above `least`."""
    values = known(getattr(moment, name) for moment in moments if moment.ts_ms in at)
    typical = middle(values)
    return typical if typical is not None and typical > least else None


def _source_ratio(timeline: Timeline, graph: JobGraph, vertex: str, at: set[int]) -> float | None:
    sources = [each for each in graph.all_above(vertex) if each in timeline and graph.position(each) == "source"]
    return highest(_typical(timeline[each], at, "held_max", -1.0) for each in sources)


def _job_signal(
    job_id: str | None,
    timeline: Timeline,
    graph: JobGraph,
    accumulated: Mapping[tuple[str | None, str], HeldTime],
    held: Sequence[str],
) -> Signal:
    """The job's back pressure over all its tasks: the worst task, the share of time and the duration."""
    moments = moments_of(timeline)
    worst_by_moment: dict[int, tuple[float, str]] = {}
    spans = pressed_spans(timeline)
    for vertex, vertex_moments in timeline.items():
        for each in vertex_moments:
            if each.held_max is not None:
                former = worst_by_moment.get(each.ts_ms, (0.0, vertex))
                worst_by_moment[each.ts_ms] = max(former, (each.held_max, vertex))
    facts: dict[str, FactValue] = {"moments": len(moments), "tasks": len(timeline), "origins": len(held)}
    busy_of = {vertex: middle(each.busy_max for each in seen) for vertex, seen in timeline.items()}
    if busy := [(value, vertex) for vertex, value in busy_of.items() if value]:
        facts |= {"busy_ratio": max(busy)[0], "busy_vertex": graph.name(max(busy)[1])}
    unknown = sorted(vertex for vertex, value in busy_of.items() if value is None)
    facts |= {"unmeasured_vertex": graph.name(unknown[0])} if unknown else {}
    citations: list[Citation] = []
    if worst_by_moment:
        ratio, vertex = max(worst_by_moment.values())
        facts |= {
            "worst_ratio": ratio,
            "worst_vertex": graph.name(vertex),
            "typical_ratio": middle(each[0] for each in worst_by_moment.values()),
            "last_ratio": worst_by_moment[max(worst_by_moment)][0],
            "level": pressure_level(ratio).lower(),
            "high_moments": len(spans),
            "high_share_ratio": len(spans) / len(moments),
            "high_lasted_ms": run_ms(spans, timeline),
        }
        readings = [moment.most_held for moment in timeline[vertex] if moment.most_held]
        citations = [reading.citation for reading in sorted(readings, key=lambda each: -each.ratio)[:3]]
    if dense := highest(each.dense_ms for (job, _), each in accumulated.items() if job == job_id):
        facts["accumulated_ms"] = dense
    return Signal("back_pressure.job", Subject(job=job_id), facts, tuple(citations), len(moments), window_of(moments))


def _vertex_signal(job_id: str | None, vertex: str, timeline: Timeline, graph: JobGraph, cluster: Cluster) -> Signal:
    """Usual and highest ratios of one task, whether or not it takes part in back pressure."""
    moments = timeline[vertex]
    facts: dict[str, FactValue] = {
        "position": graph.position(vertex),
        "busy_ratio": middle(each.busy_max for each in moments),
        "busy_highest_ratio": highest(each.busy_max for each in moments),
        "busy_min_ratio": middle(each.busy_min for each in moments),
        "back_pressured_ratio": middle(each.held_max for each in moments),
        "back_pressured_highest_ratio": highest(each.held_max for each in moments),
        "moments": len(moments),
    }
    readings = [reading for each in moments for reading in (each.busiest, each.most_held) if reading]
    citations = [each.citation for each in sorted(readings, key=lambda each: -each.ratio)[:3]]
    return Signal(
        "back_pressure.vertex",
        _subject(cluster, graph, job_id, vertex),
        known_facts(facts),
        tuple(citations),
        len(moments),
    )


ORIGIN_FACTS = {
    "position": "position of the task in the job graph: source, middle, sink or whole job (by the name without a "
    "graph)",
    "named_look_up": "whether its name is that of a look-up join",
    "chained_sink": "whether the task's name has other operators before the sink of its chain",
    "relief": "act that gives an operator of this name, or of this table, room",
    "look_up_relief": "act that makes look-ups of the job's dimension table quick",
    "stands_still": "whether it took no record in any reading of its rate",
    "spread": "act that evens out the subtasks of the operator that holds others back",
    "graph_known": "whether the edges of the job graph are known",
    "graph_derived": "whether the edges of the job graph were derived from names and record counts, since no file "
    "shows them",
    "parallelism": "number of subtasks",
    "upstream_parallelism": "most subtasks of a task directly above it",
    "busy_known": "whether Flink reports its busy time (legacy sources have none)",
    "by_pools": "whether full output buffers show that the tasks above wait, since nothing measures the time",
    "least_input_ratio": "use of the input buffers of its subtask with the emptiest ones, median",
    "busy_max_ratio": "median busy time of the task's busiest subtask while the task held others back",
    "busy_min_ratio": "median busy time of the task's least busy subtask while the task held others back",
    "busy_median_ratio": "median busy time of the task's middle subtask while the task held others back",
    "back_pressured_ratio": "its own back-pressured time then",
    **ONSET_FACTS,
    **END_FACTS,
    "held_since_ms": "since when tasks upstream were back-pressured for it, epoch ms",
    "held_since_at_start": "whether they were so at the first look already",
    "queued_ms": "time for which the task was fully busy before tasks upstream were held back; records queued then",
    "upstream_ratio": "back-pressured time of the worst upstream task; median while this one held it back",
    "upstream_max_ratio": "the highest of it",
    "upstream_vertex": "that task",
    "upstream_vertices": "the back-pressured tasks above, from the source on",
    "upstream_count": "tasks above it whose back pressure is known",
    "pressed_count": "how many of them were back-pressured",
    "source_ratio": "back-pressured time of the source above it",
    "downstream_busy_ratio": "busy time of the busiest downstream task",
    "level": "high or low",
    "moments": "moments at which the job was looked at",
    "origin_moments": "at how many of them it held others back",
    "share_ratio": "their share",
    "lasted_ms": "time for which the task held others back without a break; absent when the samples do not show it",
    "catch_up": "whether it began with the job and was over well before the end, as a backlog that is worked off",
}
JOB_FACTS = {
    "moments": "moments at which the job was looked at",
    "tasks": "tasks whose readings are known",
    "origins": "tasks that held others back at some moment",
    "busy_ratio": "usual busy time of the busiest task",
    "busy_vertex": "that task",
    "unmeasured_vertex": "a task without a busy time, as a legacy source and what is chained to it",
    "worst_ratio": "highest back-pressured time of any subtask",
    "worst_vertex": "of which task",
    "typical_ratio": "usual back-pressured time of the worst task",
    "last_ratio": "back-pressured time of the worst task when last seen",
    "level": "ok, low or high, of the highest",
    "high_moments": "at how many moments it was high",
    "high_share_ratio": "share of the moments at which back pressure was high, 0 to 1",
    "high_lasted_ms": "longest time for which back pressure was high without a break",
    "accumulated_ms": "most back-pressured time that a task accumulated between two answers, if a good part of it",
}
VERTEX_FACTS = {
    "position": "source, middle, sink or whole job",
    "busy_ratio": "usual busy time of the busiest subtask",
    "busy_highest_ratio": "highest busy time of a subtask",
    "busy_min_ratio": "usual busy time of the least busy subtask",
    "back_pressured_ratio": "usual back-pressured time of the worst subtask",
    "back_pressured_highest_ratio": "highest back-pressured time of a subtask",
    "moments": "moments at which it was looked at",
}

SIGNALS = (
    SignalDefinition("back_pressure.origin", "vertex", ORIGIN_FACTS, measure),
    SignalDefinition("back_pressure.job", "job", JOB_FACTS, measure),
    SignalDefinition("back_pressure.vertex", "vertex", VERTEX_FACTS, measure),
)
