"""Evidence table `code_call`: one call in a job's source that a runbook points to."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "code_call",
    "one call in a job's source that partitions records, waits for an outside system, or asks one asynchronously",
    (
        Column("kind", "string", "key-by, blocking, asynchronous, sink, state-backend or previous-result"),
        Column("name", "string", "name of the method"),
    ),
    happened=None,
)
