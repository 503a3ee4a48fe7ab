"""Usual usage of each task's network buffer pools, in the subtask with the fullest pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from diagnostics.aggregators import pool_usage
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.onset import ended_ms, onset
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.cluster import VertexKey
from diagnostics.reconstruction.load.pressed_time import FEWEST_MOMENTS, LASTS_MS
from diagnostics.reconstruction.load.timeline import FULL_OUT

FULL = 0.8
"""Use from which a pool counts as full. Source: the bound of the rule on full pools (bp.buffer-pools)."""


@dataclass(frozen=True, slots=True)
class PoolUse:
    """One pool (`in`, `out`, `floating`, `exclusive`) of one subtask.

    usual    median of its readings: 0 empty, 1 full, above 1 with overdraft buffers
    highest  the row of the first sample of its highest value
    """

    usual: float
    highest: Any


@dataclass(frozen=True, slots=True)
class FullTime:
    """A stretch of time, epoch ms, in which a pool stayed full; `until_ms` is None where it was full to the end."""

    since_ms: int
    until_ms: int | None

    def has(self, ts_ms: int | None) -> bool:
        """Whether a moment is within it."""
        return ts_ms is not None and self.since_ms <= ts_ms and (self.until_ms is None or ts_ms < self.until_ms)


@dataclass(frozen=True, slots=True)
class TaskPools:
    """The pools of the subtask of a task that has the fullest input or output pool.

    full        where that pool filled in the course of the evidence: from when on it stayed full, and until when.
                Medians are of that time, because one over empty and full is the use of neither.
    course      the readings of that pool: epoch ms, use
    fullest_out use of the fullest output pool of any subtask of the task
    """

    uses: Mapping[str, PoolUse]
    course: Sequence[tuple[int, float]]
    full: FullTime | None
    fullest_out: float | None

    def usual(self, pool: str) -> float | None:
        """The usual use of a pool; None where it is not known."""
        return self.uses[pool].usual if pool in self.uses else None

    @property
    def subtask(self) -> int | None:
        """The subtask, where the metrics name it."""
        subtask: int | None = next(iter(self.uses.values())).highest.subtask
        return subtask


Readings = Mapping[str, Sequence[Any]]
"""Pool -> the readings of one subtask."""


@read_once
def pools_of_tasks(evidence: Evidence) -> Mapping[VertexKey, TaskPools]:
    """The pools of all tasks by (job, vertex id or name), sorted, computed once for each Evidence.

    Reads   metric_sample (`buffers.*` or `Shuffle.Netty.*.Buffers.*`).
    """
    tasks: dict[VertexKey, list[Readings]] = defaultdict(list)
    for (job_id, vertex, _), readings in _readings_of_subtasks(evidence).items():
        tasks[job_id, vertex].append(readings)
    return {task: _fullest(tasks[task]) for task in sorted(tasks, key=repr)}


def _readings_of_subtasks(evidence: Evidence) -> Mapping[tuple[Any, ...], Readings]:
    """(job, task, subtask) -> its readings; of several sources of a pool the one with most: each has its own delay, and
    a few looks of REST say nothing beside a gauge that was scraped all the time.
    """
    series: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(pool_usage.AGGREGATOR)):
        series[tuple(getattr(row, name) for name in pool_usage.SERIES)].append(row)
    subtasks: dict[tuple[Any, ...], dict[str, Sequence[Any]]] = defaultdict(dict)
    for key in sorted(series, key=lambda key: (-len(series[key]), *((name is not None, name) for name in key))):
        row, pool = series[key][0], pool_usage.pool_of(series[key][0].metric)
        if pool:
            subtasks[row.job_id, row.vertex_id or row.vertex, row.subtask].setdefault(pool, series[key])
    return subtasks


@read_once
def held_by_full_pools(evidence: Evidence) -> Mapping[VertexKey, Mapping[int, Mapping[int, float]]]:
    """Task -> subtask -> epoch ms -> 1 where its output pool was full, so that it waited at that moment, else 0.

    Reads   metric_sample, for releases that measure no back-pressured time (before Flink 1.13).
    """
    held: dict[VertexKey, dict[int, Mapping[int, float]]] = defaultdict(dict)
    for (job_id, vertex, subtask), readings in _readings_of_subtasks(evidence).items():
        if subtask is not None and "out" in readings:
            held[job_id, vertex][subtask] = {
                row.ts_ms or 0: 1.0 if row.value >= FULL_OUT else 0.0 for row in readings["out"]
            }
    return held


@read_once
def usual_inputs(evidence: Evidence) -> Mapping[VertexKey, Mapping[int, float]]:
    """Task -> subtask -> usual use of its input pool, the median of the readings: 0 empty, 1 full."""
    used: dict[VertexKey, dict[int, float]] = defaultdict(dict)
    for (job_id, vertex, subtask), readings in _readings_of_subtasks(evidence).items():
        if subtask is not None and "in" in readings:
            used[job_id, vertex][subtask] = median(row.value for row in readings["in"])
    return used


def _fullest(subtasks: Sequence[Readings]) -> TaskPools:
    """The pools of the subtask with the fullest input or output pool; of several the one whose other pool is fuller."""
    of_subtasks = [_pools_of(each) for each in subtasks]

    def fullness(pools: TaskPools) -> tuple[float, float]:
        both = [pools.usual("in") or 0.0, pools.usual("out") or 0.0]
        return max(both), sum(both)

    outs = [use for each in of_subtasks if (use := each.usual("out")) is not None]
    chosen = max(of_subtasks, key=fullness)
    return TaskPools(chosen.uses, chosen.course, chosen.full, max(outs, default=None))


def _pools_of(readings: Readings) -> TaskPools:
    """The pools of one subtask, by descending use."""
    spans = {pool: _full_time(rows) for pool, rows in readings.items()}
    fullest = max(
        (pool for pool in readings if pool in ("in", "out")) if {"in", "out"} & readings.keys() else readings,
        key=lambda pool: median(row.value for row in _within(readings[pool], spans[pool])),
    )
    full = spans[fullest]
    uses = {pool: _use_of(_within(rows, full) or rows) for pool, rows in readings.items()}
    course = [(row.ts_ms, row.value) for row in readings[fullest] if row.ts_ms is not None]
    ordered = dict(sorted(uses.items(), key=lambda item: (-item[1].usual, item[0])))
    return TaskPools(ordered, course, full, None)


def _full_time(rows: Sequence[Any]) -> FullTime | None:
    """When a pool filled and how long it stayed full; None where it was so for a moment only, or from the start."""
    course = [(row.ts_ms, row.value >= FULL) for row in rows if row.ts_ms is not None]
    found = onset(course)
    if found is None or found.at_start:
        return None
    full = FullTime(found.ts_ms, ended_ms(course))
    within = [ts_ms for ts_ms, _ in course if full.has(ts_ms)]
    return full if len(within) >= FEWEST_MOMENTS and max(within) - found.ts_ms >= LASTS_MS else None


def _within(rows: Sequence[Any], full: FullTime | None) -> list[Any]:
    return [row for row in rows if full is None or full.has(row.ts_ms)]


def _use_of(rows: Sequence[Any]) -> PoolUse:
    return PoolUse(median(row.value for row in rows), max(rows, key=lambda row: row.value))
