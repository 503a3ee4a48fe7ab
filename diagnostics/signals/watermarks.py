"""Watermark lag of each task, whether the watermark advances, and which subtask holds it back."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, only_one
from diagnostics.notation.flink_values import END_OF_INPUT
from diagnostics.reconstruction.events.watermark_progress import (
    FEWEST_MOMENTS,
    STILL_MS,
    Moments,
    Standstill,
    growth_between,
    lag_course,
    slowest_of,
    standstill,
    still_since,
)
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.job.planner_names import PROGRAM_FACTS, program_facts
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Point, Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

HOUR_MS = 3_600_000
ZONE_TOLERANCE_MS = 300_000
"""Bound and delay that are taken off a time zone's whole hours. Our choice: five minutes."""
MOST_HOURS_OF_A_ZONE = 14
"""The largest offset from UTC. Source: tz database, Pacific/Kiritimati."""
PASSED = ("numRecordsIn", "numRecordsOut")
SHOWN_POINTS = 6


def measure(evidence: Evidence) -> Measured:
    """Watermark of each task: of its input, or for a source the one that its last operator emits.

    Reads   metric_sample (currentInputWatermark, currentOutputWatermark, numRecordsIn, numRecordsOut).
    Gives   one signal per task in which a subtask has had a watermark.
    Units   milliseconds; lag is wall clock minus watermark, negative when ahead of the wall clock.
    Empty   NotMeasured without metrics, or when no task has ever had a watermark (a job without event time).
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("watermarks", "metric-scrapes", "no file holds metrics")
        return
    series = metric_series(evidence)
    cluster = cluster_of(evidence)
    gauges = _gauges(series)
    for vertex in sorted(gauges, key=repr):
        signal = _signal(vertex, gauges, series, cluster)
        yield replace(signal, facts=known_facts({**signal.facts, **program_facts(evidence, vertex[0])}))
    if not gauges:
        yield NotMeasured("watermarks", "metric-scrapes", "no metric shows a watermark")


def _gauges(series: MetricSeries) -> Mapping[VertexKey, list[Series]]:
    """Vertex -> one watermark gauge per subtask; vertices without any watermark are left out."""
    gauges_by_vertex: dict[VertexKey, list[Series]] = {}
    for vertex, gauges in series.by_vertex("currentInputWatermark", operators=False).items():
        if any(gauge.known for gauge in gauges):
            gauges_by_vertex[vertex] = gauges
    for vertex, gauges in series.by_vertex("currentOutputWatermark", operators=True).items():
        by_operator: dict[str | None, list[Series]] = defaultdict(list)
        for gauge in gauges:
            by_operator[gauge.operator].append(gauge)
        telling = [siblings for siblings in by_operator.values() if any(gauge.known for gauge in siblings)]
        if vertex not in gauges_by_vertex and telling:
            gauges_by_vertex[vertex] = max(
                telling, key=lambda siblings: (sum(len(each.known) for each in siblings), repr(siblings[0].operator))
            )
    return gauges_by_vertex


def _signal(
    vertex: VertexKey, gauges_of_all: Mapping[VertexKey, list[Series]], series: MetricSeries, cluster: Cluster
) -> Signal:
    gauges = gauges_of_all[vertex]
    courses = {gauge.subtask: _moments(gauge.known) for gauge in gauges if gauge.subtask is not None}
    with_watermark = {subtask: course for subtask, course in courses.items() if course}
    at_end = {each.subtask for each in gauges if any((point.value or 0.0) >= END_OF_INPUT for point in each.known)}
    without = sorted(set(courses) - set(with_watermark) - at_end)
    slowest = slowest_of(with_watermark)
    facts: dict[str, FactValue] = {
        "metric": gauges[0].metric,
        "task": gauges[0].vertex or cluster.vertex_subject(*vertex).vertex,
        "subtasks": len(courses),
        "without_watermark": list(without) or None,
        "without_watermark_count": len(without),
        "samples": len(slowest),
        "first_in_graph": _is_first(vertex, gauges_of_all, cluster),
        "created_in": _created_in(vertex, gauges_of_all, cluster),
    }
    course = lag_course(slowest)
    if course:
        facts |= {
            "lag_first_ms": course.first_ms,
            "lag_last_ms": course.last_ms,
            "lag_min_ms": course.lowest_ms,
            "lag_median_ms": course.median_ms,
            "lag_max_ms": course.highest_ms,
            "lag_growth_ms": course.last_ms - course.first_ms,
        }
        if course.lowest_ms < 0:
            ahead = [moment for moment, watermark in slowest if watermark > moment]
            facts |= {"ahead_max_ms": -course.lowest_ms, "ahead_from_ms": min(ahead), "ahead_samples": len(ahead)}
            facts["ahead_ratio"] = len(ahead) / len(slowest)
            facts["ahead_hours"] = _whole_hours(-course.highest_ms, -course.lowest_ms)
        if course.last_ms < 0:
            facts["ahead_ms"] = -course.last_ms
    elif slowest:
        facts["lag_last_ms"] = slowest[-1][0] - slowest[-1][1]
    facts |= _spread_facts(vertex, with_watermark, series) | _at_maximum(vertex, gauges, series)
    if without:
        facts["blocks_downstream"] = _blocks(vertex, gauges_of_all, series, cluster)
    still = standstill(slowest)
    facts["stalled"] = False if still is None and len(slowest) >= FEWEST_MOMENTS else None
    if still:
        facts |= _still_facts(vertex, still, series, cluster)
    shown = _shown(gauges, slowest)
    return Signal(
        key="watermarks",
        subject=cluster.vertex_subject(*vertex, name=gauges[0].vertex),
        facts=known_facts(facts),
        citations=tuple(gauge.cite(point) for gauge, point in shown),
        citation_count=sum(len(gauge.points) for gauge in gauges),
        window=(slowest[0][0], slowest[-1][0]) if slowest else None,
    )


def _moments(points: Iterable[Point]) -> Moments:
    return [
        (point.ts_ms, point.value)
        for point in points
        if point.ts_ms is not None and point.value is not None and point.value < END_OF_INPUT
    ]


def _whole_hours(lowest_ms: float, highest_ms: float) -> int | None:
    """The hours by which a watermark is ahead if it is so by whole ones, less a bound and a delay of minutes."""
    hours = math.ceil(highest_ms / HOUR_MS)
    is_whole = (
        hours * HOUR_MS - highest_ms <= ZONE_TOLERANCE_MS and hours * HOUR_MS - lowest_ms <= 2 * ZONE_TOLERANCE_MS
    )
    return hours if is_whole and 1 <= hours <= MOST_HOURS_OF_A_ZONE else None


def _is_first(vertex: VertexKey, gauges: Mapping[VertexKey, list[Series]], cluster: Cluster) -> bool:
    """Whether the task is a source. Without a job graph, a task with only an output watermark counts as one; without
    sources, any.
    """
    if any(place[0] == vertex[0] for place in cluster.inputs):
        return not any(above in gauges for above in cluster.upstream(vertex))
    sources = {
        place
        for place, found in gauges.items()
        if place[0] == vertex[0] and found[0].metric == "currentOutputWatermark"
    }
    return not sources or vertex in sources


def _created_in(vertex: VertexKey, gauges: Mapping[VertexKey, list[Series]], cluster: Cluster) -> str | None:
    """The id of the only task that creates this task's watermark; None where several do, or none is known."""
    created = [
        each for each in (vertex, *cluster.upstream(vertex)) if each in gauges and _is_first(each, gauges, cluster)
    ]
    place = only_one(created)
    return place[1] if place else None


def _blocks(
    vertex: VertexKey, gauges: Mapping[VertexKey, list[Series]], series: MetricSeries, cluster: Cluster
) -> bool | None:
    """Whether no downstream task has a watermark: one subtask without a watermark blocks all of them unless it is idle.

    Without a job graph every other task of the job that reports an input watermark, of its own or of an operator,
    counts as downstream.
    """
    if any(place[0] == vertex[0] for place in cluster.inputs):
        below = [place for place in cluster.tasks if vertex in cluster.upstream(place)]
        return not any(place in gauges for place in below) if below else None
    reported = {
        place: found
        for operators in (True, False)
        for place, found in series.by_vertex("currentInputWatermark", operators=operators).items()
        if place[0] == vertex[0] and place != vertex
    }
    known = any(place in gauges or any(each.known for each in found) for place, found in reported.items())
    return not known if reported else None


def _spread_facts(vertex: VertexKey, courses: Mapping[int, Moments], series: MetricSeries) -> dict[str, FactValue]:
    """Distance between the subtasks' watermarks at the end, the slowest subtask, and whether it still processes
    records.
    """
    if len(courses) < 2:
        return {}
    last = {subtask: course[-1][1] for subtask, course in courses.items()}
    slow = min(last, key=lambda subtask: (last[subtask], subtask))
    since, until = still_since(courses[slow]), courses[slow][-1][0]
    facts: dict[str, FactValue] = {
        "spread_ms": max(last.values()) - last[slow],
        "slowest_subtask": slow,
        "slowest_still_ms": until - since,
    }
    passed: dict[int | None, float] = defaultdict(float)
    for each in _counters(vertex, series):
        passed[each.subtask] = max(passed[each.subtask], growth_between(_moments(each.known), since, until))
    if slow in passed:
        facts |= {
            "slowest_records": round(passed[slow]),
            "slowest_idle": not passed[slow] and until - since >= STILL_MS,
        }
        if total := sum(passed.values()):
            facts["slowest_share_ratio"] = passed[slow] * len(passed) / total
    return facts


def _counters(vertex: VertexKey, series: MetricSeries) -> list[Series]:
    """The counters of records of a task; those of its operators where nothing is read of the task itself."""
    for operators in (False, True):
        if found := [each for name in PASSED for each in series.by_vertex(name, operators=operators).get(vertex, [])]:
            return found
    return []


def _at_maximum(vertex: VertexKey, gauges: Iterable[Series], series: MetricSeries) -> dict[str, FactValue]:
    """Since when a subtask's watermark is MAX_WATERMARK, and its records since then.

    A source that ended emits MAX_WATERMARK and no more records; after a time stamp far in the future, records continue.
    """
    counters = _counters(vertex, series)
    ends: list[tuple[int, int]] = []
    for gauge in gauges:
        high = [point.ts_ms for point in gauge.known if point.ts_ms and (point.value or 0.0) >= END_OF_INPUT]
        if not high:
            continue
        own = [_moments(each.known) for each in counters if each.subtask == gauge.subtask]
        grown = [growth_between(course, high[0], course[-1][0]) for course in own if course]
        ends.append((round(max(grown, default=0.0)), high[0]))
    if not ends:
        return {}
    records, since = max(ends)
    return {"maximum_from_ms": since, "maximum_records": records}


def _still_facts(vertex: VertexKey, still: Standstill, series: MetricSeries, cluster: Cluster) -> dict[str, FactValue]:
    """Facts of a watermark that does not advance; counted only while records flow, because an idle job has none to
    advance.
    """
    end = still.start_ms + still.length_ms
    grown: dict[tuple[VertexKey, str | None, str], float] = defaultdict(float)
    for place in (vertex, *cluster.upstream(vertex)):
        for each in _counters(place, series):
            of_whom = (place, each.operator, each.metric)
            grown[of_whom] += growth_between(_moments(each.known), still.start_ms, end)
    records = max(grown.values(), default=0.0)
    return {
        "stalled": records > 0,
        "stalled_ms": still.length_ms,
        "stalled_from_ms": still.start_ms,
        "stalled_at_end": still.at_end,
        "stalled_records": round(records),
        "usual_step_ms": still.usual_step_ms,
    }


def _shown(gauges: list[Series], slowest: Moments) -> list[tuple[Series, Point]]:
    """Samples of the slowest subtask spread over time, and the first unknown value of a subtask without a watermark."""
    telling = [gauge for gauge in gauges if gauge.known]
    held = min(telling, key=lambda gauge: (gauge.known[-1].value or 0, gauge.subtask or 0))
    points = held.known
    step = max(1, (len(points) - 1) // (SHOWN_POINTS - 1)) if len(points) > 1 else 1
    shown = [(held, point) for point in (points[-1], *points[:-1:step])][:SHOWN_POINTS]
    shown += [(gauge, gauge.points[-1]) for gauge in gauges if not gauge.known and gauge.points][:2]
    return shown


SIGNALS = (
    SignalDefinition(
        key="watermarks",
        level="vertex",
        facts={
            "metric": "the gauge that was followed",
            "task": "task whose watermark it is",
            **PROGRAM_FACTS,
            "subtasks": "subtasks whose gauge is known",
            "samples": "moments at which every subtask's watermark is known",
            "first_in_graph": "whether the watermark is created in this task, because no upstream task has one",
            "created_in": "id of the only task that creates the watermark",
            "without_watermark": "subtasks that never had a watermark while others had",
            "without_watermark_count": "subtasks that never had a watermark, not even the one that ends the input",
            "lag_first_ms": "median lag in the first quarter of the samples, ms",
            "lag_last_ms": "median lag in the last quarter of the samples, ms",
            "lag_min_ms": "lowest lag, ms; negative is ahead of the wall clock",
            "lag_median_ms": "median lag, ms",
            "lag_max_ms": "highest lag, ms",
            "lag_growth_ms": "last minus first lag, ms",
            "ahead_ms": "lead of the watermark over the wall clock at the end, ms; unknown when it is not",
            "ahead_max_ms": "largest lead of the watermark over the wall clock, ms; unknown when it never was ahead",
            "ahead_from_ms": "first sample at which it was ahead, epoch ms",
            "ahead_samples": "samples at which it was ahead",
            "ahead_hours": "whole hours by which it was ahead all the time, within minutes",
            "ahead_ratio": "part of the samples at which the watermark was ahead of the wall clock, 0 to 1",
            "spread_ms": "distance between the subtasks' last watermarks, ms",
            "slowest_subtask": "index of the subtask whose last watermark is lowest",
            "slowest_still_ms": "time for which the slowest subtask's watermark has not advanced at the end, ms",
            "slowest_records": "records that passed that subtask meanwhile",
            "slowest_share_ratio": "records of the subtask with the slowest watermark, as a multiple of the even share",
            "slowest_idle": "whether no record passed the slowest subtask while its watermark did not advance",
            "maximum_from_ms": "time since which some subtask's watermark is the highest that Flink has, epoch ms",
            "maximum_records": "records that passed that subtask since its watermark is at the maximum",
            "blocks_downstream": "whether no task below a subtask without watermark has one",
            "stalled": "whether the watermark did not advance while records flowed",
            "stalled_ms": "longest time without progress of the watermark, ms",
            "stalled_from_ms": "when that began, epoch ms",
            "stalled_at_end": "whether the watermark did not advance at the last sample",
            "stalled_records": "records that passed the task or those above it while the watermark did not advance",
            "usual_step_ms": "typical time between two moves, ms",
        },
        measure=measure,
    ),
)
