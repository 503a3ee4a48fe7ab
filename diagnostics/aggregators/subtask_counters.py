"""Counters of each subtask in REST answers, newest first."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_ANSWERS = 100_000
"""Answers about subtasks kept, the newest. Our choice: a job of 5,000 subtasks, polled twenty times."""

AGGREGATOR = first_rows_aggregator(
    "subtask_counters",
    "subtask",
    (
        "ts_ms",
        "job_id",
        "vertex_id",
        "subtask",
        "attempt",
        "status",
        "task_manager",
        "host",
        "start_ms",
        "duration_ms",
        "read_records",
        "write_records",
        "read_bytes",
        "busy_ms",
        "back_pressured_ms",
    ),
    partial(with_known, columns=("vertex_id", "subtask")),
    order=(
        ("ts_ms", "descending"),
        ("job_id", "ascending"),
        ("vertex_id", "ascending"),
        ("subtask", "ascending"),
        *CITATION_ORDER,
    ),
    most=MOST_ANSWERS,
)
