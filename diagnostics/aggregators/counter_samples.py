"""Samples of every counter; rates are computed from all of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators import gauge_slots
from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order
from diagnostics.arithmetic.thinning import thin_samples, unthinned

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SAMPLES = 500_000
"""Samples kept unreduced; with more, the last one per time slot, whose growth is the growth since the slot before. Our
choice: 35 MB.
"""

COUNTED = (*gauge_slots.SERIES, "subtask", "file_id")
"""Columns that identify one counter: a subtask's, from one file."""


def _dated(samples: pa.Table) -> pa.Table:
    return unthinned(gauge_slots.dated_samples(samples, counters=True).drop_columns(["labels"]))


_KEEP = partial(thin_samples, series=COUNTED, most=MOST_SAMPLES)

AGGREGATOR = Aggregator(
    name="counter_samples",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(_dated(rows)),
    merge=_KEEP,
    finish=in_order,
)
