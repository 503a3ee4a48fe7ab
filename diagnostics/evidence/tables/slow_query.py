"""Evidence table `slow_query`: one slow query in the log of a database."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "slow_query",
    "one slow query in the log of a database",
    (
        Column("ts_ms", "long", "when it ended, epoch milliseconds UTC"),
        Column("system", "string", "PostgreSQL or MySQL"),
        Column("kind", "string", "first word of the statement in upper case: SELECT, INSERT, UPDATE, ..."),
        Column("statement", "string", "the statement with its values replaced by ?, at most 500 characters"),
        Column("duration_ms", "double", "how long it took"),
        Column("lock_ms", "double", "how long of that it waited for locks"),
        Column("rows_sent", "long", "rows of the result"),
        Column("rows_examined", "long", "rows that were read for it"),
    ),
)
