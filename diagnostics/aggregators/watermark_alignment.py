"""Drift of aligned watermarks, and paused time of splits."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples
from diagnostics.arithmetic.thinning import thin_samples, unthinned

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SAMPLES = 300_000
"""Samples kept unreduced; with more, the last one per time slot. Our choice: 1,000 splits, 300 times."""

DRIFT, PAUSED = "watermarkAlignmentDrift", "watermark.pausedTimeMsPerSecond"
"""The drift is a subtask's distance from the slowest of its group. Source: Flink documentation, Metrics (event
time).
"""

LARGEST_MS = 1e15
"""Larger values are ignored, because Flink initialises the drift with the end of time. Our choice: 30,000 years."""

SERIES = ("job_id", "vertex_id", "vertex", "operator", "subtask", "metric", "labels")


def _task_samples(samples: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    chosen = single_samples(samples, (DRIFT, PAUSED).__contains__)
    of_task = pc.or_(chosen["vertex_id"].is_valid(), chosen["vertex"].is_valid())
    return unthinned(chosen.filter(pc.and_(of_task, pc.less(pc.abs(chosen["value"]), LARGEST_MS))))


_KEEP = partial(thin_samples, series=SERIES, most=MOST_SAMPLES)

AGGREGATOR = Aggregator(
    name="watermark_alignment",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(_task_samples(rows)),
    merge=_KEEP,
    finish=in_order,
)
