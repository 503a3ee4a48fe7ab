"""Evidence table `subtask`: one subtask at one time, counters since the attempt began."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "subtask",
    "one subtask at one time, counters since the attempt began",
    (
        Column("ts_ms", "long", "when this was true"),
        Column("job_id", "string", "32 hex digits"),
        Column("vertex_id", "string", "32 hex digits"),
        Column("subtask", "int", "index from 0"),
        Column("attempt", "int", "attempt number"),
        Column("status", "string", "RUNNING, FAILED, ..."),
        Column("task_manager", "string", "resource id"),
        Column("host", "string", "host or endpoint"),
        Column("start_ms", "long", "start of the attempt"),
        Column("duration_ms", "long", "how long the attempt has run"),
        Column("read_records", "long", "records in"),
        Column("write_records", "long", "records out"),
        Column("read_bytes", "long", "bytes in"),
        Column("write_bytes", "long", "bytes out"),
        Column("busy_ms", "double", "accumulated busy time"),
        Column("back_pressured_ms", "double", "accumulated back-pressured time"),
        Column("idle_ms", "double", "accumulated idle time"),
    ),
)
