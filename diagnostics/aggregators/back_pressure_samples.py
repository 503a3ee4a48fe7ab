"""Back pressure of subtasks in REST answers, newest first."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_SAMPLES = 100_000
"""Samples kept, the newest. Our choice: a job of 500 subtasks, asked each minute for three hours."""

AGGREGATOR = first_rows_aggregator(
    "back_pressure_samples",
    "back_pressure",
    ("ts_ms", "job_id", "vertex_id", "subtask", "level", "back_pressured_ratio", "busy_ratio"),
    partial(with_known, columns=("vertex_id", "subtask")),
    order=(("ts_ms", "descending"), *CITATION_ORDER),
    most=MOST_SAMPLES,
)
