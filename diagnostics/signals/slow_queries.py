"""Slow queries in a database's own log, reads apart from writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from diagnostics.aggregators import slow_queries
from diagnostics.arithmetic.quantiles import highest
from diagnostics.arithmetic.value_classes import Spread
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.job.graph import LOOK_UP_NAME
from diagnostics.reconstruction.job.task_start import task_starts
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import QUERIES, cited_text

READS = ("SELECT", "WITH", "SHOW", "CALL", "FETCH", "EXECUTE")
WRITES = ("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "COPY", "LOAD", "COMMIT")
STATEMENT_CHARACTERS = 160
MOST_CITED = 3
LEAST_SPAN_MS = 10_000.0
"""Time that the reads cover, below which their share says nothing. Our choice: a checkpoint interval."""
OF_FUNCTION = re.compile(r"\bFROM\s+([\w.\"]{1,100})\s*\(", re.IGNORECASE)
"""A statement that reads from a function, whose name is the group. Source: PostgreSQL documentation, Table
Functions."""


def measure(evidence: Evidence) -> Measured:
    """The statements that use most of a database's time.

    Reads   slow_query, log_record (which tasks are look-up joins by the planner's name, and their subtasks).
    Gives   one signal of the case.
    Units   milliseconds.
    Empty   NotMeasured without a database's log.
    """
    statements = evidence.answer(slow_queries.AGGREGATOR)
    if not statements:
        yield NotMeasured("slow_queries", "database-log", "no database's log of slow queries was given")
        return
    statements = sorted(statements, key=lambda each: -each.total)
    reads = [each for each in statements if each.key[1] in READS]
    writes = [each for each in statements if each.key[1] in WRITES]
    facts: dict[str, FactValue] = {
        "system": statements[0].key[0],
        "queries": sum(each.samples for each in statements),
        **_of(reads, "read"),
        **_of(writes, "write"),
        **_look_up_share(evidence, reads),
    }
    shown = [*reads[:MOST_CITED], *writes[:MOST_CITED]] or statements[:MOST_CITED]
    stamps = [each.totals[name] for each in statements for name in ("from_ms", "until_ms")]
    known = [stamp for stamp in stamps if stamp is not None]
    yield Signal(
        "slow_queries",
        Subject(),
        known_facts(facts),
        tuple(_cite(each) for each in shown),
        citation_count=sum(each.samples for each in statements),
        window=(min(known), max(known)) if known else None,
    )


def _of(statements: Sequence[Spread], name: str) -> Mapping[str, FactValue]:
    """Facts of the statements of one kind, represented by the one with the most total time."""
    if not statements:
        return {}
    first = statements[0]
    text, totals = first.key[2], first.totals
    locked_ms = (totals["locked_us"] or 0.0) / 1000
    return {
        f"{name}_queries": sum(each.samples for each in statements),
        f"{name}_usual_ms": first.median,
        f"{name}_longest_ms": highest(each.most for each in statements),
        f"{name}_statement": text[:STATEMENT_CHARACTERS] if text else None,
        f"{name}_function": hit[1] if (hit := OF_FUNCTION.search(text or "")) else None,
        f"{name}_lock_ratio": min(locked_ms / first.total, 1.0) if locked_ms and first.total else None,
        f"{name}_rows_ratio": totals["examined"] / max(totals["sent"] or 0, first.samples)
        if totals["examined"]
        else None,
    }


def _look_up_share(evidence: Evidence, reads: Sequence[Spread]) -> Mapping[str, FactValue]:
    """The look-up join that the logs name, and the part of its subtasks' time that the reads take in the database."""
    subtasks: dict[str, set[int]] = {}
    for each in task_starts(evidence):
        if LOOK_UP_NAME in each.vertex.lower():
            subtasks.setdefault(each.vertex, set()).add(each.subtask)
    if len(subtasks) != 1 or not reads:
        return {}
    ((name, known),) = subtasks.items()
    stamps = [each.totals[end] for each in reads for end in ("from_ms", "until_ms") if each.totals[end] is not None]
    span_ms = max(stamps) - min(stamps) if stamps else 0
    share = sum(each.total for each in reads) / (span_ms * len(known)) if span_ms >= LEAST_SPAN_MS else None
    return {"look_up_task": name, "look_up_subtasks": len(known), "look_up_ratio": min(share, 1.0) if share else None}


def _cite(statement: Spread) -> Citation:
    text = statement.key[2][:300] if statement.key[2] else "a query"
    times = {"usual": f"{statement.median:.15g}", "most": f"{statement.most:.15g}"}
    cited = cited_text(QUERIES, statement=text, count=statement.samples, **times)
    return Citation.of(statement.place, "log", cited, name="duration_ms", value=statement.most)


def _facts(name: str, what: str) -> dict[str, str]:
    return {
        f"{name}_queries": f"queries that {what}",
        f"{name}_usual_ms": f"median duration of the statement with most time of those that {what}, ms",
        f"{name}_longest_ms": f"longest duration of all that {what}, ms",
        f"{name}_statement": f"statement with most time of those that {what}, its values replaced by ?",
        f"{name}_function": f"function that the statement that {what} reads from, in place of a table",
        f"{name}_lock_ratio": f"part of the time of the statement that {what} in which it waited for locks, 0 to 1",
        f"{name}_rows_ratio": f"rows examined by the statement that {what}, for each row of its result or for each "
        "query without one",
    }


FACTS: Mapping[str, str] = {
    "system": "PostgreSQL or MySQL",
    "queries": "slow queries in the log",
    **_facts("read", "read"),
    **_facts("write", "write"),
    "look_up_task": "task that is a look-up join by its name in Flink's logs, if it is the only one",
    "look_up_subtasks": "its subtasks",
    "look_up_ratio": "part of the time of these subtasks that the reads take in the database, 0 to 1",
}

SIGNALS = (SignalDefinition("slow_queries", "case", FACTS, measure),)
