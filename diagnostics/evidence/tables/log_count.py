"""Evidence table `log_count`: number of records that each process logged per level and second."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "log_count",
    "the records of one file, second, level and process; counted from all records, whatever they tell",
    (
        Column("level", "string", "TRACE, DEBUG, INFO, WARN, ERROR or FATAL"),
        Column("process", "string", "jobmanager, taskmanager or client, read from the content"),
        Column("records", "long", "number of records"),
        Column(
            "first_ms",
            "long",
            "time of the earliest, epoch milliseconds UTC; null before the first time stamp",
        ),
        Column("last_ms", "long", "time of the latest, epoch milliseconds UTC"),
    ),
    happened="last_ms",
)
