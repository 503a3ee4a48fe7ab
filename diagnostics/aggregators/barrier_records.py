"""DEBUG records about the arrival of barriers at the input channels of a subtask."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, event_records_aggregator

MOST_RECORDS = 100_000
"""Records kept, the latest. Our choice: ten checkpoints of 100 subtasks with 100 channels."""

MOST_CHARACTERS = 300
"""Characters kept of a message. Our choice: the channel is within these, behind the name of the task."""

BEGUN, RECEIVED_BEFORE_1_12, RECEIVED = "tm.barrier.start.v111", "tm.barrier.received.v111", "tm.barrier.received"
EVENTS = (BEGUN, RECEIVED_BEFORE_1_12, RECEIVED)

AGGREGATOR = event_records_aggregator(
    "barrier_records",
    ("ts_ms", "event", "job_id", "vertex", "subtask", "checkpoint_id"),
    events=EVENTS,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
    order=(("ts_ms", "descending"), *CITATION_ORDER),
)
