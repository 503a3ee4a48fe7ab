"""Checkpoints in REST answers, latest first."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_ANSWERS = 100_000
"""Answers about checkpoints kept, the latest. Our choice: about 60 MB."""

AGGREGATOR = first_rows_aggregator(
    "checkpoints",
    "checkpoint",
    (
        "ts_ms",
        "job_id",
        "checkpoint_id",
        "status",
        "is_savepoint",
        "checkpoint_type",
        "trigger_ms",
        "latest_ack_ms",
        "end_to_end_ms",
        "checkpointed_bytes",
        "state_bytes",
        "processed_bytes",
        "persisted_bytes",
        "num_subtasks",
        "num_acknowledged",
        "failure_ms",
        "failure_message",
        "external_path",
    ),
    partial(with_known, columns=("checkpoint_id",)),
    order=(("checkpoint_id", "descending"), ("ts_ms", "descending"), *CITATION_ORDER),
    most=MOST_ANSWERS,
)
