"""Jobs in REST answers, newest first."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_JOBS = 20_000
"""Answers about jobs kept, the newest. Our choice: a job polled every minute for two weeks."""

AGGREGATOR = first_rows_aggregator(
    "jobs",
    "job",
    ("ts_ms", "job_id", "name", "state", "start_ms", "end_ms", "flink_version"),
    partial(with_known, columns=("job_id",)),
    order=(("ts_ms", "descending"), ("job_id", "ascending"), *CITATION_ORDER),
    most=MOST_JOBS,
)
