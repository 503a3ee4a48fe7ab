"""Slow queries in a database's own log, reads apart from writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from diagnostics.aggregators import slow_queries
from diagnostics.arithmetic.quantiles import highest
from diagnostics.arithmetic.value_classes import Spread
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.failures.fault import job_of_vertex
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import LOOK_UP_NAME
from diagnostics.reconstruction.job.task_start import task_starts
from diagnostics.reconstruction.load.timeline import was_looked_at
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

    Reads   slow_query.
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
    }
    shown = [*reads[:MOST_CITED], *writes[:MOST_CITED]] or statements[:MOST_CITED]
    yield Signal(
        "slow_queries",
        Subject(),
        known_facts(facts),
        tuple(_cite(each) for each in shown),
        citation_count=sum(each.samples for each in statements),
        window=_span(statements),
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


def measure_look_up(evidence: Evidence) -> Measured:
    """How much of the time of the only look-up join the reads take in the database.

    Reads   slow_query, log_record (which tasks are look-up joins by the planner's name, their job and their subtasks),
            and as `was_looked_at`.
    Gives   one signal of the job that has the look-up join; none where several tasks could have asked, or where no file
            shows whose task it is.
    Units   ratio of time 0 to 1.
    Empty   NotMeasured without a database's log.
    """
    statements = evidence.answer(slow_queries.AGGREGATOR)
    if not statements:
        yield NotMeasured("slow_queries.look_up", "database-log", "no database's log of slow queries was given")
        return
    reads = sorted((each for each in statements if each.key[1] in READS), key=lambda each: -each.total)
    cluster = cluster_of(evidence)
    subtasks: dict[tuple[str | None, str], set[int]] = {}
    for start in task_starts(evidence):
        if LOOK_UP_NAME in start.vertex.lower():
            job_id = start.job_id or job_of_vertex(start.vertex, cluster)
            subtasks.setdefault((job_id, start.vertex), set()).add(start.subtask)
    place = only_one(subtasks)
    if place is None or not reads or (place[0] is None and len(cluster.job_names) > 1):
        return
    (job_id, task), known = place, subtasks[place]
    span = _span(reads)
    span_ms = span[1] - span[0] if span else 0
    share = sum(each.total for each in reads) / (span_ms * len(known)) if span_ms >= LEAST_SPAN_MS else None
    facts: dict[str, FactValue] = {
        "task": task,
        "subtasks": len(known),
        "ratio": min(share, 1.0) if share else None,
        "load_seen": was_looked_at(evidence, span),
    }
    places = tuple(_cite(each) for each in reads[:MOST_CITED])
    yield Signal("slow_queries.look_up", Subject(job=job_id), known_facts(facts), places, window=span)


def _span(statements: Iterable[Spread]) -> tuple[int, int] | None:
    """From the first to the last of their times; None where no time is known."""
    stamps = [each.totals[name] for each in statements for name in ("from_ms", "until_ms")]
    known = [round(stamp) for stamp in stamps if stamp is not None]
    return (min(known), max(known)) if known else None


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
}

LOOK_UP_FACTS: Mapping[str, str] = {
    "task": "task that is a look-up join by its name in Flink's logs, the only one of all jobs",
    "subtasks": "subtasks of this look-up join",
    "ratio": "part of the time of these subtasks that the reads take in the database, 0 to 1",
    "load_seen": "whether a file shows how busy or back-pressured tasks were during these reads",
}

SIGNALS = (
    SignalDefinition("slow_queries", "case", FACTS, measure),
    SignalDefinition("slow_queries.look_up", "job", LOOK_UP_FACTS, measure_look_up),
)
