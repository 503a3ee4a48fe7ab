"""Evidence table `database_statement`: one statement as a view of the database itself shows it."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "database_statement",
    "one statement as a view of the database shows it: running at that moment, or summed up over all its calls",
    (
        Column("ts_ms", "long", "time that the file states, epoch milliseconds UTC"),
        Column("look", "long", "number of the printed table within the file: each is one look at the database"),
        Column("system", "string", "PostgreSQL or MySQL"),
        Column("state", "string", "active or idle for a session; summed for the sum of all calls"),
        Column("waits_for", "string", "what the session waits for, as the database calls it: `Lock: tuple`; else null"),
        Column("kind", "string", "first word of the statement in upper case: SELECT, INSERT, UPDATE, ..."),
        Column("statement", "string", "the statement with its values replaced by ?, at most 500 characters"),
        Column("duration_ms", "double", "how long a session has been running it; the mean of summed calls"),
        Column("calls", "long", "number of summed calls; else null"),
    ),
)
