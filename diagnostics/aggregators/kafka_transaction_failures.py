"""Failures in REST answers with exceptions of Kafka transactions, earliest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.aggregators.kafka_transaction_records import CLASSES, MOST_RECORDS
from diagnostics.arithmetic.row_choice import contains_any
from diagnostics.evidence.tables.failure import TABLE

if TYPE_CHECKING:
    import pyarrow as pa


def _chosen(failures: pa.Table) -> pa.Table:
    return failures.filter(contains_any(failures["causes"], CLASSES))


AGGREGATOR = first_rows_aggregator(
    "kafka_transaction_failures",
    "failure",
    tuple(column.name for column in TABLE.own_columns),
    _chosen,
    order=(("ts_ms", "ascending"), *CITATION_ORDER),
    most=MOST_RECORDS,
)
