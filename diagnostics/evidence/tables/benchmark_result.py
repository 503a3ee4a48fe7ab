"""Evidence table `benchmark_result`: one measured duration of a benchmark, such as that of one query of TPC-DS."""

from __future__ import annotations

from diagnostics.evidence.table import Column, Table

TABLE = Table(
    "benchmark_result",
    "one measured duration of a benchmark",
    (
        Column("benchmark", "string", "the query or test, from the line's first columns"),
        Column("measure", "string", "name of the column that holds the duration, without its unit"),
        Column("place", "int", "place of that column in the line, from 0"),
        Column("duration_ms", "double", "the duration"),
    ),
    happened=None,
)
