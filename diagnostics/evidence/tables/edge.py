"""Evidence table `edge`: one edge of a job graph."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "edge",
    "one edge of a job graph",
    (
        Column("job_id", "string", "32 hex digits"),
        Column("source_id", "string", "vertex id upstream"),
        Column("target_id", "string", "vertex id downstream"),
        Column("ship_strategy", "string", "HASH, FORWARD, REBALANCE, ..."),
    ),
    happened=None,
)
