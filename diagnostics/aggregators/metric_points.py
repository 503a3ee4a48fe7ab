"""Samples of the metrics in `vocabulary/followed_metrics.yaml`, which signals and charts read over time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples
from diagnostics.arithmetic.thinning import thin_samples, unthinned
from diagnostics.vocabulary.followed_metrics import is_followed

if TYPE_CHECKING:
    import pyarrow as pa

MOST_POINTS = 300_000
"""Samples kept unreduced; with more, the last one per time slot. Our choice: 30 MB."""

SERIES = ("metric", "job_id", "vertex_id", "vertex", "operator", "subtask", "task_manager", "host", "file_id")
"""Columns that identify a series within a file. The host is that of a process whose series name nothing else, as those
of a JobManager: two of them, of two clusters or of one that has a standby, are two series.
"""


def _samples(rows: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    samples = single_samples(rows, is_followed)
    named = [samples[name].is_valid() for name in ("job_id", "vertex_id", "vertex", "task_manager")]
    host = samples["host"]
    is_named = pc.or_(pc.or_(named[0], named[1]), pc.or_(named[2], named[3]))
    only = pc.if_else(is_named, pa.scalar(None, pa.string()), host.cast(pa.string()))
    return samples.set_column(samples.schema.get_field_index("host"), "host", only.cast(host.type))


_KEEP = partial(thin_samples, series=SERIES, most=MOST_POINTS)

AGGREGATOR = Aggregator(
    name="metric_points",
    table="metric_sample",
    columns=(*SAMPLE_COLUMNS, "host"),
    reduce=lambda rows: _KEEP(unthinned(_samples(rows))),
    merge=_KEEP,
    finish=in_order,
)
