"""Statements in a database's own views: what its sessions run and wait for, and what most of its time went to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from diagnostics.aggregators import database_statements
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import CALLED, RUNNING, cited_text

Row = Mapping[str, Any]

LOCKS = ("Lock: ", "LWLock: ", "Waiting for ", "Locked", "User lock", "System lock")
"""Beginnings of what a session waits for that are locks of the database.
Source: PostgreSQL documentation, Wait Event Types; MySQL Reference Manual, General Thread States."""
STATEMENT_CHARACTERS = 160
MOST_CITED = 4


def measure(evidence: Evidence) -> Measured:
    """The sessions that were running something, what they wait for, and the statement with the most time of all.

    A database is often looked at several times: the look at which most sessions ran a statement counts, and of sums,
    which grow from look to look, the last one.

    Reads   database_statement.
    Gives   one signal of the case.
    Units   milliseconds; a session's duration is that up to the moment of the look, not that of the whole statement.
    Empty   NotMeasured without a view of a database.
    """
    rows = evidence.answer(database_statements.AGGREGATOR).to_pylist()
    if not rows:
        yield NotMeasured("database_sessions", "database-log", "no view of a database's sessions was given")
        return
    seen = _busiest([row for row in rows if row["state"] != "summed"])
    active = [row for row in seen if row["state"] == "active"]
    summed = _last([row for row in rows if row["state"] == "summed" and row["calls"]])
    facts: dict[str, FactValue] = {"system": rows[0]["system"], **_running(seen, active), **_most_time(summed)}
    facts["looks"] = len(_looks(rows))
    shown = [*active[:MOST_CITED], *sorted(summed, key=_total, reverse=True)[:MOST_CITED]]
    yield Signal(
        "database_sessions",
        Subject(),
        known_facts(facts),
        tuple(map(_cite, shown)),
        citation_count=len(active) + len(summed),
    )


def _looks(rows: Iterable[Row]) -> Sequence[Sequence[Row]]:
    """The rows of each look, that is of each table that a file prints."""
    looks: dict[tuple[int, int | None], list[Row]] = defaultdict(list)
    for row in rows:
        looks[row["file_id"], row["look"]].append(row)
    return list(looks.values())


def _busiest(sessions: Sequence[Row]) -> Sequence[Row]:
    """The look at which most sessions were running a statement."""
    return max(_looks(sessions), key=lambda look: sum(row["state"] == "active" for row in look), default=())


def _last(summed: Sequence[Row]) -> Sequence[Row]:
    """The look with most calls: the counters only grow."""
    return max(_looks(summed), key=lambda look: sum(row["calls"] for row in look), default=())


def _running(sessions: Sequence[Row], active: Sequence[Row]) -> Mapping[str, FactValue]:
    if not sessions:
        return {}
    waits = Counter(row["waits_for"] for row in active if row["waits_for"])
    texts = Counter(row["statement"] for row in active if row["statement"])
    return {
        "sessions": len(sessions),
        "active": len(active),
        "waiting": waits.total(),
        "waits_for": waits.most_common(1)[0][0] if waits else None,
        "waits_for_sessions": waits.most_common(1)[0][1] if waits else None,
        "waits_for_ratio": waits.most_common(1)[0][1] / len(active) if waits else None,
        "waiting_for_locks": sum(1 for row in active if (row["waits_for"] or "").startswith(LOCKS)),
        "statement": texts.most_common(1)[0][0][:STATEMENT_CHARACTERS] if texts else None,
        "statement_sessions": texts.most_common(1)[0][1] if texts else None,
        "longest_ms": max((row["duration_ms"] for row in active if row["duration_ms"] is not None), default=None),
    }


def _most_time(summed: Sequence[Row]) -> Mapping[str, FactValue]:
    if not summed:
        return {}
    first = max(summed, key=_total)
    text = first["statement"]
    return {
        "costly_statement": text[:STATEMENT_CHARACTERS] if text else None,
        "costly_calls": first["calls"],
        "costly_mean_ms": first["duration_ms"],
        "costly_share_ratio": _total(first) / whole if (whole := sum(map(_total, summed))) else None,
    }


def _total(row: Row) -> float:
    return float(row["calls"]) * float(row["duration_ms"] or 0.0)


def _cite(row: Row) -> Citation:
    duration = row["duration_ms"] if row["duration_ms"] is not None else 0.0
    statement, took = row["statement"] or "?", f"{duration:.15g}"
    is_sum = row["state"] == "summed"
    said = (
        cited_text(CALLED, statement=statement, count=row["calls"], usual=took)
        if is_sum
        else cited_text(RUNNING, statement=statement, waited=took)
    )
    return Citation.cite_row(row, "metric", said, name="duration_ms", value=row["duration_ms"])


FACTS: Mapping[str, str] = {
    "system": "PostgreSQL or MySQL",
    "looks": "how often somebody looked; of several the one at which most sessions were running a statement counts",
    "sessions": "sessions of clients, without the one that asked",
    "active": "sessions that were running a statement",
    "waiting": "running sessions that waited for something inside of the database",
    "waits_for": "most frequent wait of the sessions, as the database calls it",
    "waits_for_sessions": "running sessions that have the most frequent wait",
    "waits_for_ratio": "part of the running sessions that have the most frequent wait, 0 to 1",
    "waiting_for_locks": "running sessions that waited for a lock",
    "statement": "statement that most running sessions ran, its values replaced by ?",
    "statement_sessions": "sessions that ran it",
    "longest_ms": "longest time that a session had been running its statement, ms",
    "costly_statement": "statement with the most time of all calls, its values replaced by ?",
    "costly_calls": "its calls since the statistics began",
    "costly_mean_ms": "mean duration of its calls, ms",
    "costly_share_ratio": "its part of the time of all listed statements, 0 to 1",
}

SIGNALS = (SignalDefinition("database_sessions", "case", FACTS, measure),)
