"""What a database's own log tells of queries that take long, those that read apart from those that write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import functions as sf

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.arithmetic import highest
from diagnostics.signal import FactValue, Measured, NotMeasured, Signal, SignalDefinition, Subject

READS = ("SELECT", "WITH", "SHOW", "CALL", "FETCH", "EXECUTE")
WRITES = ("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "COPY", "LOAD", "COMMIT")
MOST_STATEMENTS = 2_000
"""Different statements that are read, those that took most time in all first. Our choice: an application has dozens."""
STATEMENT_CHARACTERS = 160
MOST_CITED = 3


def measure(evidence: Evidence) -> Measured:
    """The statements that take most of a database's time.

    Reads   slow_query. One Spark job, none without it.
    Gives   one signal of the case.
    Units   milliseconds.
    Empty   NotMeasured without a database's log.
    """
    if not evidence.has("slow_query"):
        yield NotMeasured("slow_queries", "database-log", "no database's log of slow queries was given")
        return
    keys = ["system", "kind", "statement"]
    place = sf.struct("file_id", "line", "last_line", "pointer", "ts_ms", "duration_ms")
    rows = (
        evidence["slow_query"]
        .groupBy(*keys)
        .agg(
            sf.count("*").alias("queries"),
            sf.expr("percentile_approx(duration_ms, 0.5)").alias("usual_ms"),
            sf.max("duration_ms").alias("longest_ms"),
            sf.sum("duration_ms").alias("in_all_ms"),
            sf.sum("lock_ms").alias("locked_ms"),
            sf.sum("rows_examined").alias("examined"),
            sf.sum("rows_sent").alias("sent"),
            sf.min("ts_ms").alias("from_ms"),
            sf.max("ts_ms").alias("until_ms"),
            sf.max_by(place, "duration_ms").alias("place"),
        )
        .orderBy(sf.desc("in_all_ms"), *keys)
        .limit(MOST_STATEMENTS)
        .collect()
    )
    reads = [row for row in rows if row.kind in READS]
    writes = [row for row in rows if row.kind in WRITES]
    facts: dict[str, FactValue] = {
        "system": rows[0].system,
        "queries": sum(row.queries for row in rows),
        **_of(reads, "read"),
        **_of(writes, "write"),
    }
    shown = [*reads[:MOST_CITED], *writes[:MOST_CITED]] or rows[:MOST_CITED]
    stamps = [stamp for row in rows for stamp in (row.from_ms, row.until_ms) if stamp is not None]
    yield Signal(
        "slow_queries",
        Subject(),
        {name: value for name, value in facts.items() if value is not None},
        tuple(_cite(row) for row in shown),
        citation_count=sum(row.queries for row in rows),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _of(rows: Sequence[Any], name: str) -> Mapping[str, FactValue]:
    """The facts of the statements of one kind; the one that took most time in all speaks for them."""
    if not rows:
        return {}
    first = rows[0]
    return {
        f"{name}_queries": sum(row.queries for row in rows),
        f"{name}_usual_ms": first.usual_ms,
        f"{name}_longest_ms": highest(row.longest_ms for row in rows),
        f"{name}_statement": first.statement[:STATEMENT_CHARACTERS] if first.statement else None,
        f"{name}_lock_ratio": min(first.locked_ms / first.in_all_ms, 1.0)
        if first.locked_ms and first.in_all_ms
        else None,
        f"{name}_rows_ratio": first.examined / max(first.sent or 0, first.queries) if first.examined else None,
    }


def _cite(row: Any) -> Citation:
    what = row.statement[:300] if row.statement else "a query"
    text = f"{what}: {row.queries} times, usually {row.usual_ms:.15g} ms, at most {row.longest_ms:.15g} ms"
    return Citation.of(row.place, "log", text, name="duration_ms", value=row.longest_ms)


def _facts(name: str, what: str) -> dict[str, str]:
    return {
        f"{name}_queries": f"queries that {what}",
        f"{name}_usual_ms": f"usual duration of the statement that took most of the time of those that {what}, ms",
        f"{name}_longest_ms": f"longest duration of all that {what}, ms",
        f"{name}_statement": "that statement, its values replaced by ?",
        f"{name}_lock_ratio": "part of its time in which it waited for locks, 0 to 1",
        f"{name}_rows_ratio": "rows that were examined for each row of its result, or for each query without one",
    }


FACTS: Mapping[str, str] = {
    "system": "PostgreSQL or MySQL",
    "queries": "queries that the log tells of",
    **_facts("read", "read"),
    **_facts("write", "write"),
}

SIGNALS = (SignalDefinition("slow_queries", "case", FACTS, measure),)
