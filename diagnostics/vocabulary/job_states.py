"""States of a job that decide how it is stopped, and what Flink deletes with them."""

from __future__ import annotations

ENDED = ("FAILED", "CANCELED", "FINISHED")
NOT_RUNNING = ("FAILING", "CANCELLING", "RESTARTING", "SUSPENDED", "RECONCILING", "CREATED", "INITIALIZING")
"""States of a job in which it has ended, or in which Flink takes no savepoint (`JobStatus`)."""

RETAINED = "RETAIN_ON_CANCELLATION"
DELETED_WHEN_ENDED = {
    "NO_EXTERNALIZED_CHECKPOINTS": ("FAILED", "CANCELED", "FINISHED"),
    "DELETE_ON_CANCELLATION": ("CANCELED", "FINISHED"),
    RETAINED: ("FINISHED",),
}
"""Retention -> the states of a job at whose begin Flink deletes its checkpoints. Source: Flink's
CheckpointProperties."""
