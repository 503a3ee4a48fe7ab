"""Records that tasks have read and written since their start, by REST answers about the job, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import is_any, with_known

if TYPE_CHECKING:
    import pyarrow as pa

MOST_TOTALS = 20_000
"""Counts kept, the newest. Our choice: those of a graph of 50 tasks, polled 200 times."""
COUNTED = ("numRecordsIn", "numRecordsOut")


def _choose(samples: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    summed = pc.and_(is_any(samples["metric"], COUNTED), is_any(samples["aggregate"], ("sum",)))
    return with_known(samples.filter(summed).drop_columns(["aggregate"]), ("vertex_id", "value"))


AGGREGATOR = first_rows_aggregator(
    "task_totals",
    "metric_sample",
    ("ts_ms", "job_id", "vertex_id", "metric", "aggregate", "value"),
    _choose,
    order=(("ts_ms", "descending"), ("vertex_id", "ascending"), ("metric", "ascending"), *CITATION_ORDER),
    most=MOST_TOTALS,
)
