"""DEBUG records about single subtasks' parts of checkpoints."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, event_records_aggregator

MOST_RECORDS = 100_000
"""Records kept, those of the latest checkpoints. Our choice: 20 checkpoints of 1,000 subtasks, five each."""

MOST_CHARACTERS = 600
"""Characters kept of a message. Our choice: the durations are within these."""

SYNCHRONOUS = ("tm.ckpt.sync.done.v110", "tm.ckpt.sync.done.v112", "tm.ckpt.sync.done")
STARTED = ("tm.ckpt.start", "tm.ckpt.start.v113", "tm.ckpt.async.start")
ASYNCHRONOUS, ACKNOWLEDGED, LATE = "tm.ckpt.async.done", "jm.ckpt.ack", "jm.ckpt.late_ack"
EVENTS = (*SYNCHRONOUS, *STARTED, ASYNCHRONOUS, ACKNOWLEDGED, LATE)

AGGREGATOR = event_records_aggregator(
    "checkpoint_part_records",
    ("ts_ms", "event", "job_id", "vertex", "subtask", "checkpoint_id", "duration_ms"),
    events=EVENTS,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
    order=(("checkpoint_id", "descending"), ("ts_ms", "ascending"), *CITATION_ORDER),
)
