"""Evidence table `job`: one job at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "job",
    "one job at one time",
    (
        Column("ts_ms", "long", "when this was true"),
        Column("job_id", "string", "32 hex digits"),
        Column("name", "string", "job name"),
        Column("state", "string", "RUNNING, FAILING, FAILED, RESTARTING, ..."),
        Column("start_ms", "long", "start time"),
        Column("end_ms", "long", "end time, null while it runs"),
        Column("flink_version", "string", "where the document says so"),
    ),
)
