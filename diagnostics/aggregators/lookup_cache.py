"""Metrics of look-up caches: extremes of each series."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.extremes import extreme_samples
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SERIES = 20_000
"""Series kept. Our choice: 5,000 subtasks with all three metrics."""

HITS, MISSES, RATE = "cache.hitCount", "cache.missCount", "lookupCacheHitRate"
"""Source: Flink documentation, Metrics (lookup)."""

SERIES = ("job_id", "vertex_id", "vertex", "operator", "subtask", "metric")


def _task_samples(samples: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    chosen = single_samples(samples, (HITS, MISSES, RATE).__contains__)
    of_task = pc.or_(chosen["vertex_id"].is_valid(), chosen["vertex"].is_valid())
    return chosen.filter(pc.and_(of_task, chosen["value"].is_valid()))


_KEEP = partial(extreme_samples, series=SERIES, most=MOST_SERIES)

AGGREGATOR = Aggregator(
    name="lookup_cache",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(_task_samples(rows)),
    merge=_KEEP,
    finish=in_order,
)
