"""What a job waits for by records that are no errors: one that repeats for minutes, or is the last word of a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.aggregators import log_ends, waiting_records
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.vocabulary.waits import waits

Row = Mapping[str, Any]

HANDLED = ("warning", "passed")
"""Who reports what something handles by trying again; any other report says more than a wait."""
LEAST_SPAN_MS = 180_000
LEAST_RECORDS = 3
"""How long, and how often, a record comes again until it shows a wait. Our choice: three minutes are longer than the
restart of a broker or server, which clients pass over.
"""
STILL_MS = 60_000
"""A wait whose last record is further from the end of its log has ended. Our choice: twice the pause between the
attempts of most clients.
"""
LAST_WORD_MS = 1_000
"""What comes within this time of the end of a log is its last word. Our choice: records of other threads."""


def measure(evidence: Evidence) -> Measured:
    """The wait that lasts until the end of a log, the longest one first, and one that decides by its record before it.

    Reads   log_record, log_count, failure, and the histories of checkpoints.
    Gives   one signal of the case, also without such a wait.
    Empty   NotMeasured without logs.
    """
    if not evidence.has_logs():
        yield NotMeasured("waits", "taskmanager-log", "no log was given")
        return
    ends = {each["file_id"]: each["last_ms"] for each in evidence.answer(log_ends.AGGREGATOR).to_pylist()}
    lasting = [
        row for row in evidence.answer(waiting_records.AGGREGATOR).to_pylist() if _lasts(row, ends[row["file_id"]] or 0)
    ]
    failed = [each for each in blamed_faults(evidence) if each.reported_by not in HANDLED]
    facts: dict[str, FactValue] = {"waiting": len(lasting), "failures": len(failed)}
    if not lasting:
        yield Signal("waits", Subject(), facts, ())
        return
    longest = max(
        lasting,
        key=lambda each: (waits()[each["wait"]].decides, each["last_ms"] - each["ts_ms"], -each["ts_ms"]),
    )
    wait = waits()[longest["wait"]]
    spans = longest["last_ms"] > longest["ts_ms"] and not wait.is_start
    facts |= {
        "wait": longest["wait"],
        "cause": wait.cause,
        "system": wait.system,
        "what": wait.what,
        "advice": wait.advice if wait.decides or wait.is_own else remedy_of(longest["message"] or "") or wait.advice,
        "decides": wait.decides,
        "said": longest["message"],
        "records": 1 if wait.is_start else longest["records"],
        "span_ms": longest["last_ms"] - longest["ts_ms"] if spans else None,
        "first_ms": longest["last_ms" if wait.is_start else "ts_ms"],
    }
    yield Signal(
        "waits",
        Subject(),
        known_facts(facts),
        tuple(Citation.cite_row(row, "log", row["message"] or "") for row in lasting[:4]),
        citation_count=sum(row["records"] for row in lasting),
        window=(min(row["ts_ms"] for row in lasting), max(row["last_ms"] for row in lasting)),
    )


def _lasts(row: Row, end_ms: int) -> bool:
    """Whether a wait came again for long and goes on at the end of its log, is its last word, or decides by itself."""
    wait, rest_ms = waits()[row["wait"]], end_ms - int(row["last_ms"])
    is_long = row["last_ms"] - row["ts_ms"] >= LEAST_SPAN_MS and row["records"] >= LEAST_RECORDS
    goes_on = is_long and rest_ms <= STILL_MS and not wait.is_start
    return goes_on or (wait.is_once and rest_ms <= LAST_WORD_MS) or wait.decides


FACTS = {
    "waiting": "waits that last until the end of a log, or that their record decides",
    "failures": "failures of tasks or jobs beside the wait, and errors in logs",
    "wait": "id of the longest wait",
    "cause": "class of what the wait is for; outside_system, misconfiguration or resource_shortage",
    "system": "the system that is waited for",
    "what": "what waits for what",
    "advice": "what ends the wait",
    "decides": "whether its record says by itself that changes are lost or that nothing comes",
    "said": "the first record of the wait",
    "records": "records of the wait",
    "span_ms": "time between the first and the last record of the wait, ms",
    "first_ms": "first record of the wait, epoch ms",
}

SIGNALS = (SignalDefinition("waits", "case", FACTS, measure),)
