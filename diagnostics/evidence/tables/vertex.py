"""Evidence table `vertex`: one task (chain) of a job graph at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "vertex",
    "one task (chain) of a job graph at one time",
    (
        Column("ts_ms", "long", "when this was true"),
        Column("job_id", "string", "32 hex digits"),
        Column("vertex_id", "string", "32 hex digits"),
        Column("name", "string", "task name"),
        Column("parallelism", "int", "number of subtasks"),
        Column("max_parallelism", "int", "number of key groups"),
        Column("status", "string", "RUNNING, FAILED, ..."),
    ),
)
