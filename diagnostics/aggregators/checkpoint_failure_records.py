"""Log records that tell why a checkpoint failed: declines, snapshots that threw, a job that gave up for it."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import event_records_aggregator

MOST_RECORDS = 5_000
"""Records that are kept, the earliest. Our choice: 1,000 failed checkpoints of five declining subtasks."""

MOST_CHARACTERS = 600
"""Of a message. Our choice: the execution and the reason that it names stand before."""

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
    THRESHOLD,
)
"""Texts of a chain of exceptions that tell of a checkpoint that failed."""

AGGREGATOR = event_records_aggregator(
    "checkpoint_failure_records",
    (
        *("ts_ms", "event", "job_id", "process", "checkpoint_id", "vertex", "subtask", "task_manager", "reason"),
        *("exception_class", "exception_message", "root_cause_class", "root_cause_message", "root_cause_frame"),
        *("user_frame", "thrown_in", "own_frames", "causes"),
    ),
    events=EVENTS,
    causes=CAUSES,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
)
