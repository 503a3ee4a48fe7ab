"""How long barriers waited in each checkpoint, beside the back pressure of the tasks that they came through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from diagnostics.arithmetic.quantiles import highest
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.parts import Answers, subtask_answers
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.timeline import MOMENT_MS, Timeline, load_timelines, printed_names
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series

START_DELAY, ALIGNMENT = "checkpointStartDelayNanos", "checkpointAlignmentTime"
"""Gauges of a subtask that keep the value of its last checkpoint, in nanoseconds. Source: Flink documentation,
Metrics."""
NANOS_PER_MS = 1e6
SAME_CHECKPOINT_MS = 10_000
"""Gauges of different subtasks that change within this time show the same checkpoint. Source: as MOMENT_MS."""


@dataclass(frozen=True, slots=True)
class BarrierWait:
    """The task of one checkpoint whose barriers waited longest.

    ts_ms     trigger of the checkpoint, epoch ms; where only gauges show it, that of the sample less the start delay
    number    id of the checkpoint; None where only gauges show it, which do not name it
    pressure  (moment, back-pressured ratio of the most back-pressured task upstream of it), in time order
    """

    ts_ms: int
    number: int | None
    vertex: str
    start_delay_ms: float
    alignment_ms: float | None
    pressure: Sequence[tuple[int, float]]

    def upstream_ratio(self, shift_ms: int = 0) -> float | None:
        """Mean back-pressured ratio upstream while the barrier was under way, or `shift_ms` before; None if unknown."""
        begin = self.ts_ms - shift_ms - MOMENT_MS
        end = self.ts_ms - shift_ms + self.start_delay_ms
        within = [ratio for moment, ratio in self.pressure if begin < moment <= end]
        return fmean(within) if within else None


@read_once
def barrier_waits(evidence: Evidence) -> Mapping[str | None, Sequence[BarrierWait]]:
    """Job -> the longest wait of each checkpoint, in time order; jobs without back-pressure samples are left out.

    Reads   subtask_checkpoint or DEBUG logs (the details of a checkpoint), or the gauges in metric_sample where they
            show more checkpoints of a job; metric_sample and back_pressure (the load), vertex, edge.
    """
    cluster = cluster_of(evidence)
    only_job = only_one(cluster.job_names)
    by_details = _by_details(subtask_answers(evidence), only_job)
    by_gauges = _by_gauges(metric_series(evidence), only_job, checkpoint_histories(evidence))
    waits_by_job: dict[str | None, Sequence[BarrierWait]] = {}
    for job_id, timeline in load_timelines(evidence).items():
        graph = job_graph(cluster, job_id, printed_names(evidence, timeline))
        waits = max(
            (_longest_waits(source.get(job_id, ()), graph, timeline) for source in (by_details, by_gauges)), key=len
        )
        if waits:
            waits_by_job[job_id] = waits
    return waits_by_job


@dataclass(frozen=True, slots=True)
class _Seen:
    """The waits of one task in one checkpoint."""

    ts_ms: int
    number: int | None
    vertex: str
    start_delay_ms: float
    alignment_ms: float | None


def _longest_waits(seen: Iterable[_Seen], graph: JobGraph, timeline: Timeline) -> list[BarrierWait]:
    """One wait for each checkpoint: that of the task with upstream tasks whose barriers waited longest."""
    pressure: dict[str, Sequence[tuple[int, float]]] = {}
    longest: dict[int, _Seen] = {}
    for wait in sorted(seen, key=lambda one: (one.ts_ms, one.vertex)):
        if wait.vertex not in pressure:
            pressure[wait.vertex] = _pressure_above(wait.vertex, graph, timeline)
        if not pressure[wait.vertex]:
            continue
        key = wait.number if wait.number is not None else _same_checkpoint(longest, wait.ts_ms)
        if key not in longest or _whole_wait(wait) > _whole_wait(longest[key]):
            longest[key] = wait
    return [
        BarrierWait(one.ts_ms, one.number, one.vertex, one.start_delay_ms, one.alignment_ms, pressure[one.vertex])
        for one in sorted(longest.values(), key=lambda one: one.ts_ms)
    ]


def _whole_wait(seen: _Seen) -> float:
    return seen.start_delay_ms + (seen.alignment_ms or 0.0)


def _same_checkpoint(known: Mapping[int, _Seen], ts_ms: int) -> int:
    """The key of a checkpoint that gauges show: its trigger, or that of one that was seen shortly before."""
    last = max(known, default=None)
    return last if last is not None and ts_ms - last <= SAME_CHECKPOINT_MS else ts_ms


def _pressure_above(vertex: str, graph: JobGraph, timeline: Timeline) -> Sequence[tuple[int, float]]:
    """Moment -> highest back-pressured ratio of the upstream tasks; empty for a source or without samples."""
    moments: dict[int, float] = {}
    for above in graph.all_above(vertex):
        for moment in timeline.get(above, ()):
            if moment.held_max is not None and moment.ts_ms >= 0:
                moments[moment.ts_ms] = max(moments.get(moment.ts_ms, 0.0), moment.held_max)
    return sorted(moments.items())


def _by_details(answers: Answers, only_job: str | None) -> Mapping[str | None, list[_Seen]]:
    by_job: dict[str | None, list[_Seen]] = defaultdict(list)
    for (job_id, number, vertex), by_subtask in answers.items():
        rows = [row for row in by_subtask.values() if row["start_delay_ms"] is not None]
        triggers = [
            row["ack_ms"] - row["end_to_end_ms"] for row in rows if row["ack_ms"] and row["end_to_end_ms"] is not None
        ]
        if triggers:
            delay = max(float(row["start_delay_ms"]) for row in rows)
            alignment = highest(row["alignment_ms"] for row in rows)
            by_job[job_id or only_job].append(_Seen(round(min(triggers)), number, vertex, delay, alignment))
    return by_job


def _by_gauges(
    series: MetricSeries, only_job: str | None, histories: Mapping[str | None, History]
) -> Mapping[str | None, list[_Seen]]:
    alignments = {
        (job_id, vertex, each.subtask): dict(_new_values(each))
        for (job_id, vertex), gauges in series.by_vertex(ALIGNMENT, operators=False).items()
        for each in gauges
    }
    by_job: dict[str | None, list[_Seen]] = defaultdict(list)
    for (job_id, vertex), gauges in series.by_vertex(START_DELAY, operators=False).items():
        for each in gauges:
            aligned = alignments.get((job_id, vertex, each.subtask), {})
            for ts_ms, nanos in _new_values(each):
                delay = nanos / NANOS_PER_MS
                alignment = aligned[ts_ms] / NANOS_PER_MS if ts_ms in aligned else None
                trigger, number = _triggered(histories.get(job_id or only_job), round(ts_ms - delay))
                by_job[job_id or only_job].append(_Seen(trigger, number, vertex, delay, alignment))
    return by_job


def _triggered(history: History | None, latest_ms: int) -> tuple[int, int | None]:
    """Trigger and id of the last checkpoint that began until then; without a history that time, and no id."""
    begun = [
        (each.start_ms, each.number)
        for each in (history.checkpoints if history else ())
        if each.start_ms is not None and each.start_ms <= latest_ms
    ]
    return max(begun, default=(latest_ms, None))


def _new_values(series: Series) -> Iterator[tuple[int, float]]:
    """The samples at which the gauge has another value than before: a checkpoint came in between."""
    for before, after in pairwise(series.known):
        if after.ts_ms is not None and after.value is not None and after.value != before.value:
            yield after.ts_ms, after.value
