"""CPU time and age of the threads in thread dumps, in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

if TYPE_CHECKING:
    import pyarrow as pa

MOST_TIMES = 200_000
"""Rows kept. Our choice: twenty dumps of twenty processes with five hundred threads."""

COLUMNS = ("ts_ms", "kind", "thread", "vertex", "subtask", "parallelism", "cpu_ms", "elapsed_ms")


def _known(times: pa.Table) -> pa.Table:
    return with_known(times, ("cpu_ms", "elapsed_ms"))


AGGREGATOR = first_rows_aggregator(
    "thread_times",
    "thread_time",
    COLUMNS,
    _known,
    order=(("elapsed_ms", "ascending"), *CITATION_ORDER),
    most=MOST_TIMES,
)
