"""Samples of the metrics in `vocabulary/followed_metrics.yaml`, which signals and charts read over time."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples
from diagnostics.arithmetic.thinning import thin_samples, unthinned
from diagnostics.vocabulary.followed_metrics import is_followed

MOST_POINTS = 300_000
"""Samples kept unreduced; with more, the last one per time slot. Our choice: 30 MB."""

SERIES = ("metric", "job_id", "vertex_id", "vertex", "operator", "subtask", "task_manager", "file_id")
"""Columns that identify a series within a file."""


_KEEP = partial(thin_samples, series=SERIES, most=MOST_POINTS)

AGGREGATOR = Aggregator(
    name="metric_points",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(unthinned(single_samples(rows, is_followed))),
    merge=_KEEP,
    finish=in_order,
)
