"""Evidence table `event`: one input event of the job."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "event",
    "one input event of the job",
    (
        Column("key", "word", "key or device"),
        Column("event_ms", "long", "event time"),
        Column("arrival_ms", "long", "arrival (ingest) time"),
        Column("partition", "word", "partition of the source"),
    ),
    happened=None,
)
