"""Calls and names in a job's source, in the order of the files and lines; those of one line by their kind and name."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator

MOST_CALLS = 5_000
"""Calls kept. Our choice: a job has a few dozen."""

AGGREGATOR = first_rows_aggregator(
    "code_calls",
    "code_call",
    ("kind", "name"),
    lambda rows: rows,
    order=(*CITATION_ORDER, ("kind", "ascending"), ("name", "ascending")),
    most=MOST_CALLS,
)
