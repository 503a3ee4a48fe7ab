"""Usage of the buffer pools of each subtask."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples
from diagnostics.arithmetic.thinning import thin_samples, unthinned

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SAMPLES = 300_000
"""Samples kept unreduced; with more, the last one per time slot. Our choice: 5,000 subtasks, four pools, fifteen
times.
"""

OUT = "outPoolUsage"
POOLS: Mapping[str, str] = {
    OUT: "out",
    "inPoolUsage": "in",
    "inputFloatingBuffersUsage": "floating",
    "inputExclusiveBuffersUsage": "exclusive",
}
"""Last part of a metric in its older and newer group -> pool. Source: Flink documentation, Metrics (buffers)."""

SERIES = ("job_id", "vertex_id", "vertex", "subtask", "metric")


def pool_of(metric: str) -> str | None:
    """The pool that the metric measures; None for other metrics."""
    return POOLS.get(metric.rpartition(".")[2])


def _task_samples(samples: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    chosen = single_samples(samples, lambda metric: pool_of(metric) is not None)
    of_task = pc.or_(chosen["vertex_id"].is_valid(), chosen["vertex"].is_valid())
    return unthinned(chosen.filter(pc.and_(of_task, chosen["value"].is_valid())))


_KEEP = partial(thin_samples, series=SERIES, most=MOST_SAMPLES)

AGGREGATOR = Aggregator(
    name="pool_usage",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(_task_samples(rows)),
    merge=_KEEP,
    finish=in_order,
)
