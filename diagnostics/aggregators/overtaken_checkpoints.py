"""Records of subtasks that skipped a checkpoint, because the barrier of the next one came before it was complete."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import event_records_aggregator

MOST_RECORDS = 20_000
"""Records kept, the earliest. Our choice: 100 checkpoints that 200 subtasks skip."""

MOST_CHARACTERS = 600
"""Characters kept of a message. Our choice: the name of the task and both numbers are within these."""

EVENTS = ("tm.barrier.skip", "tm.barrier.skip.v111")

AGGREGATOR = event_records_aggregator(
    "overtaken_checkpoints",
    ("ts_ms", "event", "job_id", "vertex", "subtask", "checkpoint_id"),
    events=EVENTS,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
)
