"""Bytes free on file systems and volumes over time, from exporters beside Flink's."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples
from diagnostics.arithmetic.thinning import thin_samples, unthinned
from diagnostics.notation.metric_name import FREE_SPACE

MOST_POINTS = 100_000
"""Samples kept unreduced; with more, the last one per time slot. Our choice: a hundred file systems for a day."""

SERIES = ("metric", "labels", "file_id")
"""Columns that identify a series within a file: the labels name the host and the mount point, or the volume."""

_KEEP = partial(thin_samples, series=SERIES, most=MOST_POINTS)

AGGREGATOR = Aggregator(
    name="free_space",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(unthinned(single_samples(rows, FREE_SPACE.__contains__))),
    merge=_KEEP,
    finish=in_order,
)
