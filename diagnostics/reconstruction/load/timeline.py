"""Busy and back-pressured ratios of each task over time, from REST answers and metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from diagnostics.aggregators import back_pressure_samples, pool_usage, pressure_levels
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.counted_time import MOSTLY_COUNTED_MS
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.vocabulary.load_levels import LEAST_OF_LEVEL, LOW_MOST
from diagnostics.wording.cited_text import BACK_PRESSURED_SHARE, BUSY_SHARE, cited_text, sample_text
from diagnostics.wording.phrase import percent

MOMENT_MS = 10_000
"""Readings within this time count as one point in time. Source: Flink refreshes these gauges every 5 s, and its REST
API fetches them every 10 s (metrics.fetcher.update-interval)."""
UNDATED_MS = -MOMENT_MS
"""The moment of a reading without a time, as of Prometheus' text: it belongs to no course in time."""
FULL_OUT = 0.99
"""Use of an output pool at which a task cannot hand on what it has. Source: Flink documentation, "Monitoring Back
Pressure" and the blog post "How to identify the source of backpressure" (100 %); our choice for rounded values."""
BUSY, BACK_PRESSURED = "busyTimeMsPerSecond", "backPressuredTimeMsPerSecond"


@dataclass(frozen=True, slots=True)
class Reading:
    """One ratio of one subtask, with its citation and the time that it covers, epoch ms.

    since_ms  of a counter: as long before `until_ms` as it counted, so that back pressure is never older than measured
    """

    ratio: float
    citation: Citation
    since_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Moment:
    """One task at one time: the ratios (0 to 1) of its subtasks; empty when unknown (legacy sources have no busy time).

    busiest, most_held  the readings with the highest busy and back-pressured ratio
    held_ms             the time that its readings of back pressure above LOW cover, epoch ms; None without such
    """

    ts_ms: int
    busy: tuple[float, ...] = ()
    back_pressured: tuple[float, ...] = ()
    busiest: Reading | None = None
    most_held: Reading | None = None
    held_ms: tuple[int, int] | None = None

    @property
    def busy_max(self) -> float | None:
        """The busiest subtask's ratio."""
        return max(self.busy, default=None)

    @property
    def busy_min(self) -> float | None:
        """The least busy subtask's ratio."""
        return min(self.busy, default=None)

    @property
    def busy_median(self) -> float | None:
        """The middle subtask's ratio."""
        return median(self.busy) if self.busy else None

    @property
    def held_max(self) -> float | None:
        """The most back-pressured subtask's ratio."""
        return max(self.back_pressured, default=None)


Timeline = Mapping[str, Sequence[Moment]]
"""Task id (or name) -> its moments in time order."""


@read_once
def load_timelines(evidence: Evidence) -> Mapping[str | None, Timeline]:
    """The timeline of each job, computed once for each Evidence.

    Reads   metric_sample (busy and back-pressured time) and back_pressure, which hold the same gauges. Without these,
            which Flink has since 1.13, the levels of back pressure, else full output pools.
    """
    return _read(evidence)


def _read(evidence: Evidence) -> Mapping[str | None, Timeline]:
    jobs = cluster_of(evidence).job_names
    only_job = only_one(jobs)
    by_task: dict[tuple[str | None, str], dict[int, _Moment]] = defaultdict(lambda: defaultdict(_Moment))
    readings = [*_scraped(evidence), *_asked(evidence)]
    readings = readings or [*_levels(evidence)] or [*_pools(evidence)]
    for job_id, vertex, ts_ms, subtask, metric, reading in readings:
        by_task[job_id or only_job, vertex][ts_ms // MOMENT_MS].add(metric, subtask, reading)
    timelines: dict[str | None, dict[str, Sequence[Moment]]] = defaultdict(dict)
    for (job_id, vertex), moments in sorted(by_task.items(), key=lambda item: repr(item[0])):
        timelines[job_id][vertex] = [moments[slot].at(slot * MOMENT_MS) for slot in sorted(moments)]
    return timelines


def was_looked_at(evidence: Evidence, window: tuple[int, int] | None) -> bool:
    """Whether anybody looked at the load of tasks within a time, in epoch ms.

    A look before a trouble, or after a restart, says nothing of it. One without a time counts, and so does each where
    the window is unknown.

    Reads   as `load_timelines`.
    """
    looks = {
        each.ts_ms for timeline in load_timelines(evidence).values() for seen in timeline.values() for each in seen
    }
    if window is None:
        return bool(looks)
    return any(ts_ms < 0 or window[0] - MOMENT_MS <= ts_ms <= window[1] for ts_ms in looks)


def printed_names(evidence: Evidence, timeline: Timeline) -> Mapping[str, str]:
    """Task -> its name in metrics (reporters replace characters by _), or its id."""
    printed = _printed(evidence)
    return {vertex: printed.get(vertex, vertex) for vertex in timeline}


@read_once
def _printed(evidence: Evidence) -> Mapping[str, str]:
    """Task id -> name in metrics, for all jobs at once: a file can contain thousands of jobs."""
    series = metric_series(evidence)
    measured: Sequence[Any] = [each for metric in (BUSY, BACK_PRESSURED) for each in series.of(metric)]
    measured = measured or named_rows(evidence.answer(pool_usage.AGGREGATOR))
    return {each.vertex_id: each.vertex for each in measured if each.vertex_id and each.vertex}


TaskReading = tuple[str | None, str, int, int, str, Reading]
"""(job, task, epoch ms, subtask, metric, reading)."""


def _scraped(evidence: Evidence) -> Iterator[TaskReading]:
    series = metric_series(evidence)
    for metric in (BUSY, BACK_PRESSURED):
        for (job_id, vertex), gauges in series.by_vertex(metric, operators=False).items():
            for gauge in gauges:
                for point in gauge.known:
                    if point.value is not None and gauge.subtask is not None and 0 <= point.value <= 1000:
                        ratio, until_ms = point.value / 1000, UNDATED_MS if point.ts_ms is None else point.ts_ms
                        counted = gauge.counted.get(until_ms)
                        length_ms = round(ratio * counted.span_ms) if counted else MOMENT_MS
                        reading = Reading(ratio, gauge.cite(point), until_ms - length_ms, until_ms)
                        yield job_id, vertex, until_ms, gauge.subtask, metric, reading


def _asked(evidence: Evidence) -> Iterator[TaskReading]:
    """The gauges in REST answers, where the counters of the same time have not shown most of it already."""
    counted = _counted_moments(evidence)
    for row in named_rows(evidence.answer(back_pressure_samples.AGGREGATOR)):
        ts_ms = row.ts_ms if row.ts_ms is not None else -(row.file_id + 1) * MOMENT_MS
        for metric, value in ((BUSY, row.busy_ratio), (BACK_PRESSURED, row.back_pressured_ratio)):
            known = counted.get((row.vertex_id, row.subtask, metric), ())
            if value is not None and not any(each <= ts_ms <= each + MOSTLY_COUNTED_MS for each in known):
                reading = Reading(value, _cite(row, metric, value), ts_ms - MOMENT_MS, ts_ms)
                yield row.job_id, row.vertex_id, ts_ms, row.subtask, metric, reading


def _levels(evidence: Evidence) -> Iterator[TaskReading]:
    """The levels of tasks where nothing shows a ratio. Those without a time are of one look, as they were copied."""
    for row in named_rows(evidence.answer(pressure_levels.AGGREGATOR)):
        ts_ms = UNDATED_MS if row.ts_ms is None else row.ts_ms
        least = LEAST_OF_LEVEL[row.level]
        citation = Citation.of(
            row, "rest", f"backpressure-level: {row.level}", name="backpressure-level", value=row.level
        )
        yield row.job_id, row.vertex_id, ts_ms, 0, BACK_PRESSURED, Reading(least, citation, ts_ms - MOMENT_MS, ts_ms)


def _pools(evidence: Evidence) -> Iterator[TaskReading]:
    """What the buffer pools show where nothing measures time: a task whose output pool is full waits for the next one,
    at that moment all of the time.

    A task with input pools alone hands nothing on, so that nothing holds it back.
    """
    rows = [row for row in named_rows(evidence.answer(pool_usage.AGGREGATOR)) if row.subtask is not None]
    handing_on = {_task(row) for row in rows if pool_usage.pool_of(row.metric) == "out"}
    for row in rows:
        pool, task = pool_usage.pool_of(row.metric), _task(row)
        if pool == "out" or (pool == "in" and task not in handing_on):
            held = 1.0 if pool == "out" and row.value >= FULL_OUT else 0.0
            text = sample_text(row.metric, row.subtask, row.vertex, f"{row.value:.15g}")
            citation = Citation.of(row, "metric", text, name=row.metric, value=row.value)
            ts_ms = UNDATED_MS if row.ts_ms is None else row.ts_ms
            yield *task, ts_ms, row.subtask, BACK_PRESSURED, Reading(held, citation, ts_ms - MOMENT_MS, ts_ms)


def _task(row: Any) -> tuple[str | None, str]:
    return row.job_id, row.vertex_id or row.vertex


def _counted_moments(evidence: Evidence) -> Mapping[tuple[str | None, int | None, str], Collection[int]]:
    """Task, subtask and gauge -> the moments at which its counter gave it a value."""
    series = metric_series(evidence)
    return {
        (each.vertex_id, each.subtask, metric): each.counted
        for metric in (BUSY, BACK_PRESSURED)
        for each in series.of(metric)
        if each.counted and each.operator is None
    }


def _cite(row: Any, metric: str, value: float) -> Citation:
    return Citation.of(
        row,
        "rest",
        cited_text(
            BUSY_SHARE if metric == BUSY else BACK_PRESSURED_SHARE,
            subtask=row.subtask,
            share=percent(value),
            level=row.level,
        ),
        name="busyRatio" if metric == BUSY else "ratio",
        value=value,
    )


class _Moment:
    """Collects the readings of one point in time by subtask."""

    def __init__(self) -> None:
        self.readings: dict[str, dict[int, list[Reading]]] = {
            BUSY: defaultdict(list),
            BACK_PRESSURED: defaultdict(list),
        }

    def add(self, metric: str, subtask: int, reading: Reading) -> None:
        self.readings[metric][subtask].append(reading)

    def at(self, ts_ms: int) -> Moment:
        """The collected readings as a Moment: the mean of each subtask's readings."""
        means = {
            metric: tuple(fmean(each.ratio for each in by_subtask[subtask]) for subtask in sorted(by_subtask))
            for metric, by_subtask in self.readings.items()
        }
        highest = {metric: _highest(by_subtask.values()) for metric, by_subtask in self.readings.items()}
        return Moment(
            ts_ms,
            means[BUSY],
            means[BACK_PRESSURED],
            highest[BUSY],
            highest[BACK_PRESSURED],
            _held_ms(self.readings[BACK_PRESSURED].values()),
        )


def _held_ms(readings: Iterable[list[Reading]]) -> tuple[int, int] | None:
    held = [each for by_subtask in readings for each in by_subtask if each.ratio > LOW_MOST]
    return (min(each.since_ms for each in held), max(each.until_ms for each in held)) if held else None


def _highest(readings: Iterable[list[Reading]]) -> Reading | None:
    flat = [each for by_subtask in readings for each in by_subtask]
    return max(flat, key=lambda each: (round(each.ratio, 2), each.citation.kind == "rest")) if flat else None
