"""Tasks of job graphs in REST answers, newest first."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_VERTICES = 20_000
"""Answers about tasks kept, the newest. Our choice: a graph of 50 tasks, polled 400 times."""

AGGREGATOR = first_rows_aggregator(
    "vertices",
    "vertex",
    ("ts_ms", "job_id", "vertex_id", "name", "parallelism", "max_parallelism", "status"),
    partial(with_known, columns=("vertex_id",)),
    order=(("ts_ms", "descending"), ("job_id", "ascending"), ("vertex_id", "ascending"), *CITATION_ORDER),
    most=MOST_VERTICES,
)
