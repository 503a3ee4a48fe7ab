"""Failures in REST answers whose exceptions concern a checkpoint, earliest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.aggregators.checkpoint_failure_records import CAUSES, MOST_RECORDS
from diagnostics.arithmetic.row_choice import contains_any
from diagnostics.evidence.tables.failure import TABLE

if TYPE_CHECKING:
    import pyarrow as pa


def _chosen(failures: pa.Table) -> pa.Table:
    return failures.filter(contains_any(failures["causes"], CAUSES))


AGGREGATOR = first_rows_aggregator(
    "checkpoint_failures",
    "failure",
    tuple(column.name for column in TABLE.own_columns),
    _chosen,
    order=(("ts_ms", "ascending"), *CITATION_ORDER),
    most=MOST_RECORDS,
)
