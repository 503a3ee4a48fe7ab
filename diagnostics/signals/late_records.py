"""Records dropped because they arrived after their window had closed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from diagnostics.arithmetic.rate_change import RateChange, rate_change
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.events.totals import event_totals
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.job.planner_names import PROGRAM_FACTS, program_facts
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series, increase, without_old_answers
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

SHOWN = 8
JUMP = 2.0
"""A rate that grows by this factor makes the mean over the whole time misleading. Our choice, as in the rule."""

ALL_GIVEN = 0.9
"""From this part of the records read on, the events given may be all of them: their file ends at another time than the
metrics. Our choice."""


def measure(evidence: Evidence) -> Measured:
    """Dropped late records of each task, by subtask and over time.

    Reads   metric_sample (numLateRecordsDropped of operators, numRecordsIn of tasks), event (their number).
    Gives   one signal per task with a window operator, also when nothing was dropped.
    Empty   NotMeasured without the metric.
    """
    series = metric_series(evidence)
    counters = series.by_vertex("numLateRecordsDropped", operators=True) or series.by_vertex(
        "numLateRecordsDropped", operators=False
    )
    if not counters:
        yield NotMeasured("late_records", "metric-scrapes", "no metric shows how many late records were dropped")
        return
    cluster, events = cluster_of(evidence), event_totals(evidence).timed
    for vertex in sorted(counters, key=repr):
        signal = _signal(vertex, counters[vertex], series, cluster, events)
        yield replace(signal, facts=known_facts({**signal.facts, **program_facts(evidence, vertex[0])}))


def _signal(
    vertex: VertexKey, counters: Sequence[Series], series: MetricSeries, cluster: Cluster, events: int
) -> Signal:
    reporting = {counter.subtask for counter in counters}
    of_task = series.by_vertex("numRecordsIn", operators=False).get(vertex, [])
    readers = [each for each in of_task if each.subtask in reporting]
    until = _last_common_moment(counters, readers)
    dropped: dict[int, float] = defaultdict(float)
    for counter in counters:
        if counter.subtask is not None and (last := _last_value(counter, until)) is not None:
            dropped[counter.subtask] += last
    read = {each.subtask: last for each in readers if (last := _last_value(each, until)) is not None}
    total, whole = sum(dropped.values()), sum(read.values())
    facts: dict[str, FactValue] = {
        "vertex_id": vertex[1],
        "dropped": round(total),
        "dropped_by_subtask": [round(dropped[subtask]) for subtask in sorted(dropped)],
        "subtasks": len(dropped),
        "window_operators": len({counter.operator for counter in counters}),
    }
    if len(read) == len(dropped) and whole > 0:
        facts |= {"records_in": round(whole), "dropped_ratio": min(total / whole, 1.0)}
        if 0 < events < ALL_GIVEN * whole:
            facts["events_given_ratio"] = events / whole
    change = rate_change(_summed(counters))
    facts |= _over_time(counters, change)
    facts |= _jump(counters, readers if len(read) == len(dropped) else (), change)
    shown = sorted(counters, key=lambda each: -(each.known[-1].value or 0.0 if each.known else 0.0))
    citations = [each.cite(each.known[-1]) for each in shown if each.known]
    citations += [each.cite(each.known[0]) for each in shown if len(each.known) > 1]
    stamps = [point.ts_ms for counter in counters for point in counter.points if point.ts_ms is not None]
    subject = cluster.vertex_subject(*vertex, name=counters[0].vertex)
    return Signal(
        key="late_records",
        subject=subject,
        facts=known_facts({**facts, "vertex": subject.vertex}),
        citations=tuple(citations)[:SHOWN],
        citation_count=sum(len(each.points) for each in counters),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _last_common_moment(counters: Sequence[Series], readers: Sequence[Series]) -> int | None:
    """The last moment that both counters cover; files of one upload can end at different times."""
    ends = [
        max(stamps)
        for group in (counters, readers)
        if (stamps := [point.ts_ms for each in group for point in each.known if point.ts_ms is not None])
    ]
    return min(ends) if ends else None


def _last_value(counter: Series, until_ms: int | None) -> float | None:
    """The counter's last value up to a moment, of the attempt running then."""
    points = [point for point in counter.known if until_ms is None or (point.ts_ms or 0) <= until_ms]
    return points[-1].value if points else None


def _over_time(counters: Sequence[Series], change: RateChange | None) -> dict[str, FactValue]:
    """Growth summed over subtasks: rate over the whole time, and before and after its largest change."""
    summed = _summed(counters)
    if len(summed) < 2:
        return {}
    first, last = summed[0], summed[-1]
    grown = sum(increase(counter.points) for counter in counters)
    facts: dict[str, FactValue] = {"dropped_in_window": round(grown)}
    if last[0] > first[0]:
        facts["dropped_per_s"] = grown * 1000 / (last[0] - first[0])
    if change and change.before_per_s > 0:
        facts["rate_jump_ratio"] = change.after_per_s / change.before_per_s
    if change and _is_jump(change):
        facts |= {
            "rate_before_per_s": change.before_per_s,
            "rate_after_per_s": change.after_per_s,
            "changed_at_ms": change.at_ms,
            "changed_after_ms": change.at_ms - first[0],
        }
    return facts


def _is_jump(change: RateChange) -> bool:
    """Whether the rate rose or fell by a factor of JUMP at its largest change, which a steady rate has as well."""
    low, high = sorted((change.before_per_s, change.after_per_s))
    return high > 0 and high >= JUMP * low


def _jump(counters: Sequence[Series], readers: Sequence[Series], change: RateChange | None) -> dict[str, FactValue]:
    """How many records are dropped since the rate jumped, and the part of the input that they are, before and since;
    nothing without a jump, and no part without an input.
    """
    if change is None or change.after_per_s == 0 or change.after_per_s < JUMP * change.before_per_s:
        return {}
    facts: dict[str, FactValue] = {"dropped_since_jump": round(_grown(counters, change.at_ms, None))}
    before, since = _share(counters, readers, None, change.until_ms), _share(counters, readers, change.from_ms, None)
    if before is None or since is None:
        return facts
    return facts | {"dropped_before_ratio": before, "dropped_since_ratio": since}


def _share(
    counters: Sequence[Series], readers: Sequence[Series], since_ms: int | None, until_ms: int | None
) -> float | None:
    """Dropped records as a part of those read in a stretch of time; None where none was read."""
    read = _grown(readers, since_ms, until_ms)
    return min(_grown(counters, since_ms, until_ms) / read, 1.0) if read > 0 else None


def _grown(series: Sequence[Series], since_ms: int | None, until_ms: int | None) -> float:
    """What counters grew by in a stretch of time, together."""
    return sum(
        increase(
            [
                point
                for point in counter.known
                if point.ts_ms is not None
                and (since_ms is None or point.ts_ms >= since_ms)
                and (until_ms is None or point.ts_ms <= until_ms)
            ]
        )
        for counter in series
    )


def _summed(counters: Sequence[Series]) -> list[tuple[int, float]]:
    """(epoch ms, sum over the subtasks), at moments with values of all subtasks."""
    by_moment: Mapping[int, list[float]] = defaultdict(list)
    for counter in counters:
        for point in without_old_answers(counter.points):
            by_moment[point.ts_ms or 0].append(point.value or 0.0)
    return [(moment, sum(values)) for moment, values in sorted(by_moment.items()) if len(values) == len(counters)]


SIGNALS = (
    SignalDefinition(
        key="late_records",
        level="vertex",
        facts={
            "vertex_id": "id of the task that drops them",
            "vertex": "its name",
            **PROGRAM_FACTS,
            "dropped": "late records dropped since the attempt began, all subtasks",
            "dropped_by_subtask": "the same by subtask",
            "subtasks": "subtasks that report it",
            "window_operators": "operators of the task that report it",
            "records_in": "records the task has read since the attempt began",
            "events_given_ratio": "events given, as a part of the records read; unknown where they may be all of them",
            "dropped_ratio": "late records dropped as part of the records read, 0 to 1",
            "dropped_since_jump": "late records dropped since the rate jumped",
            "dropped_before_ratio": "late records dropped as part of the records read before the rate jumped",
            "dropped_since_ratio": "the same since the rate jumped",
            "dropped_in_window": "dropped during the samples",
            "dropped_per_s": "mean rate of late records during the samples, 1/s",
            "rate_before_per_s": "rate before it jumped or fell, 1/s",
            "rate_after_per_s": "rate after it jumped or fell, 1/s",
            "changed_at_ms": "when it changed, epoch ms",
            "changed_after_ms": "how long after the first sample it changed, ms",
            "rate_jump_ratio": "rate of late records after it changed most, divided by the rate before",
        },
        measure=measure,
    ),
)
