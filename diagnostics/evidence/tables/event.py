"""Evidence table `event`: one input event of the job."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "event",
    "one input event of the job",
    (
        Column("key", "string", "key or device"),
        Column("event_ms", "long", "event time"),
        Column("arrival_ms", "long", "arrival (ingest) time"),
        Column("partition", "string", "partition of the source"),
    ),
    happened=None,
)
