"""Evidence table `code_call`: one call in a job's source that a runbook points to."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "code_call",
    "one call in a job's source that partitions records or waits for an outside system, or one name that it uses",
    (
        Column(
            "kind",
            "string",
            "of a call key-by, blocking, asynchronous, sink, state-backend, state-removal, previous-result or "
            "former-retention, -tolerance or -producer; call-of-a-sign of a known bug; statement-trap of a "
            "statement; watermark-without-idleness; else of a name",
        ),
        Column(
            "name",
            "string",
            "name of the method, or the name itself; of a call that is quoted, the call; of a trap its id and words; "
            "of a table `name connector`",
        ),
    ),
    happened=None,
)
