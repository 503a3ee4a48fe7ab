"""Log records about failed checkpoints: declines, failed snapshots, and jobs that failed because of them."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import event_records_aggregator

MOST_RECORDS = 5_000
"""Records kept, the earliest. Our choice: 1,000 failed checkpoints of five declining subtasks."""

MOST_CHARACTERS = 600
"""Characters kept of a message. Our choice: the execution and the reason are within these."""

EVENTS = (
    "jm.ckpt.decline",
    "jm.ckpt.failed",
    "jm.ckpt.discarding.v110",
    "jm.ckpt.trigger_failed.v110",
    "jm.ckpt.trigger_failed.v114",
    "jm.ckpt.triggering_failed",
    "tm.ckpt.async.failed",
    "tm.ckpt.async.materialize",
    "tm.ckpt.perform_failed",
    "tm.ckpt.snapshot_failed",
)
THRESHOLD = "Exceeded checkpoint tolerable failure threshold"
CAUSES = (
    "Could not perform checkpoint ",
    "Could not complete snapshot ",
    "Could not materialize checkpoint ",
    "lignment timed out",
    "expired before completing",
    THRESHOLD,
)
"""Texts of an exception chain that indicate a failed checkpoint."""

AGGREGATOR = event_records_aggregator(
    "checkpoint_failure_records",
    (
        *("ts_ms", "event", "job_id", "process", "checkpoint_id", "vertex", "subtask", "task_manager", "reason"),
        *("exception_class", "exception_message", "root_cause_class", "root_cause_message", "root_cause_frame"),
        *("user_frame", "thrown_in", "own_frames", "causes", "frames"),
    ),
    events=EVENTS,
    causes=CAUSES,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
)
