"""Failures of jobs and tasks in REST answers, earliest first."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.evidence.tables.failure import TABLE

MOST_FAILURES = 2_000
"""Failures kept, the earliest. Our choice, as for the log records of a kind."""

AGGREGATOR = first_rows_aggregator(
    "failures",
    "failure",
    tuple(column.name for column in TABLE.own_columns),
    lambda failures: failures,
    order=(("ts_ms", "ascending"), *CITATION_ORDER),
    most=MOST_FAILURES,
)
