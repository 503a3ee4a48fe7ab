"""Subtasks' parts of checkpoints in REST answers, latest checkpoints first."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_ANSWERS = 200_000
"""Answers about subtasks kept, the latest checkpoints. Our choice: 20 checkpoints of 10,000 each."""

AGGREGATOR = first_rows_aggregator(
    "subtask_checkpoints",
    "subtask_checkpoint",
    (
        "ts_ms",
        "job_id",
        "checkpoint_id",
        "vertex_id",
        "subtask",
        "ack_ms",
        "end_to_end_ms",
        "checkpointed_bytes",
        "state_bytes",
        "sync_ms",
        "async_ms",
        "alignment_ms",
        "start_delay_ms",
        "processed_bytes",
        "persisted_bytes",
        "unaligned",
    ),
    partial(with_known, columns=("checkpoint_id", "vertex_id", "subtask")),
    order=(
        ("checkpoint_id", "descending"),
        ("job_id", "ascending"),
        ("vertex_id", "ascending"),
        ("subtask", "ascending"),
        *CITATION_ORDER,
    ),
    most=MOST_ANSWERS,
)
