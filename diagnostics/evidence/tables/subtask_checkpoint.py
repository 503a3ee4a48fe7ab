"""Evidence table `subtask_checkpoint`: one subtask's part in one checkpoint."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "subtask_checkpoint",
    "one subtask's part in one checkpoint; a subtask that never acknowledged has status pending",
    (
        Column("ts_ms", "long", "when REST was asked"),
        Column("job_id", "string", "32 hex digits"),
        Column("checkpoint_id", "long", "number"),
        Column("vertex_id", "string", "32 hex digits"),
        Column("subtask", "int", "index from 0"),
        Column("status", "string", "completed or pending_or_failed"),
        Column("ack_ms", "long", "acknowledgement time"),
        Column("end_to_end_ms", "double", "trigger to acknowledgement"),
        Column("checkpointed_bytes", "double", "bytes written"),
        Column("state_bytes", "double", "full state size"),
        Column("sync_ms", "double", "synchronous duration"),
        Column("async_ms", "double", "asynchronous duration"),
        Column("alignment_ms", "double", "alignment duration"),
        Column("start_delay_ms", "double", "barrier created to first barrier seen"),
        Column("processed_bytes", "double", "bytes processed during alignment"),
        Column("persisted_bytes", "double", "in-flight data persisted"),
        Column("unaligned", "boolean", "whether it was unaligned for this subtask"),
        Column("aborted", "boolean", "aborted before acknowledgement"),
    ),
    happened="ack_ms",
)
