"""Evidence table `checkpoint`: one checkpoint or savepoint as REST reports it at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "checkpoint",
    "one checkpoint or savepoint as REST reports it at one time",
    (
        Column("ts_ms", "long", "when REST was asked, null if not known"),
        Column("job_id", "string", "32 hex digits"),
        Column("checkpoint_id", "long", "number"),
        Column("status", "string", "COMPLETED, FAILED or IN_PROGRESS"),
        Column("is_savepoint", "boolean", "triggered by a user"),
        Column("checkpoint_type", "string", "CHECKPOINT, UNALIGNED_CHECKPOINT, SAVEPOINT, ..."),
        Column("trigger_ms", "long", "trigger time"),
        Column("latest_ack_ms", "long", "latest acknowledgement"),
        Column("end_to_end_ms", "double", "end to end duration"),
        Column("checkpointed_bytes", "double", "bytes written by this checkpoint (checkpointed_size)"),
        Column("state_bytes", "double", "full state size"),
        Column("processed_bytes", "double", "bytes processed during alignment"),
        Column("persisted_bytes", "double", "in-flight data written by an unaligned checkpoint"),
        Column("num_subtasks", "int", "subtasks that must acknowledge"),
        Column("num_acknowledged", "int", "subtasks that did"),
        Column("failure_ms", "long", "when it failed"),
        Column("failure_message", "string", "why it failed"),
        Column("external_path", "string", "where it lies"),
    ),
    happened="trigger_ms",
)
