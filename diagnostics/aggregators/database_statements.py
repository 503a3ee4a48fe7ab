"""Statements that the views of a database show, those that take longest first."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator

MOST_STATEMENTS = 20_000
"""Statements kept. Our choice: two hundred looks at a hundred sessions."""

AGGREGATOR = first_rows_aggregator(
    "database_statements",
    "database_statement",
    ("ts_ms", "look", "system", "state", "waits_for", "kind", "statement", "duration_ms", "calls"),
    lambda rows: rows,
    order=(("duration_ms", "descending"), *CITATION_ORDER),
    most=MOST_STATEMENTS,
)
