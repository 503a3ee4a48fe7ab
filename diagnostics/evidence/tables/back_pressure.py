"""Evidence table `back_pressure`: the back pressure of one subtask, or of a vertex as a whole, at one time."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "back_pressure",
    "the back pressure of one subtask, or of a vertex where subtask is null, at one time",
    (
        Column("ts_ms", "long", "when it was sampled"),
        Column("job_id", "string", "32 hex digits"),
        Column("vertex_id", "string", "32 hex digits"),
        Column("subtask", "int", "index from 0; null for the vertex as a whole"),
        Column("attempt", "int", "attempt number"),
        Column("level", "string", "ok, low or high"),
        Column("back_pressured_ratio", "double", "0 to 1"),
        Column("busy_ratio", "double", "0 to 1; null for legacy sources (Flink gives NaN)"),
        Column("idle_ratio", "double", "0 to 1"),
    ),
)
