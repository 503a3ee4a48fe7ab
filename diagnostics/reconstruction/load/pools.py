"""Usual usage of each task's network buffer pools, in the subtask with the fullest pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from diagnostics.aggregators import pool_usage
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import VertexKey


@dataclass(frozen=True, slots=True)
class PoolUse:
    """One pool (`in`, `out`, `floating`, `exclusive`) of one task.

    usual    median of the readings of the subtask with the highest one: 0 empty, 1 full, above 1 with overdraft buffers
    highest  the row of the first sample of that subtask's highest value
    course   that subtask's dated readings: epoch ms, use
    """

    usual: float
    highest: Any
    course: tuple[tuple[int, float], ...] = ()


Pools = Mapping[VertexKey, Mapping[str, PoolUse]]
"""(job, vertex id or name) -> pool -> its use."""


@read_once
def pools_of_tasks(evidence: Evidence) -> Pools:
    """The pools of all tasks, computed once for each Evidence; tasks sorted, pools by descending use.

    Reads   metric_sample (`buffers.*` or `Shuffle.Netty.*.Buffers.*`).
    """
    pools: dict[VertexKey, dict[str, PoolUse]] = defaultdict(dict)
    for each in _pools_of_subtasks(evidence):
        row = each.highest
        task, pool = (row.job_id, row.vertex_id or normalised(row.vertex)), pool_usage.pool_of(row.metric)
        if pool and (pool not in pools[task] or each.usual > pools[task][pool].usual):
            pools[task][pool] = each
    return {task: pools[task] for task in sorted(pools, key=repr)}


def _pools_of_subtasks(evidence: Evidence) -> list[PoolUse]:
    """Pools of all subtasks, highest median first."""
    readings: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(pool_usage.AGGREGATOR)):
        readings[tuple(getattr(row, name) for name in pool_usage.SERIES)].append(row)
    uses = {
        key: PoolUse(
            median(row.value for row in rows),
            max(rows, key=lambda row: row.value),
            tuple((row.ts_ms, row.value) for row in rows if row.ts_ms is not None),
        )
        for key, rows in readings.items()
    }
    order = sorted(uses, key=lambda key: (-uses[key].usual, *((name is not None, name) for name in key)))
    return [uses[key] for key in order]
