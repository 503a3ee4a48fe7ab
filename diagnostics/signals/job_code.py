"""Calls in the source of the job: where it partitions by key, and where it waits for an outside system; its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.aggregators import code_calls
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

MOST_LISTED = 5
KINDS: Mapping[str, str] = {
    "key-by": "key_by",
    "blocking": "blocking",
    "asynchronous": "asynchronous",
    "sink": "sinks",
    "state-backend": "state_backend",
    "previous-result": "previous_result",
}
"""Kind of a call -> fact."""
NAMES: Mapping[str, str] = {
    "state-class": "state_class",
    "state-name": "state_name",
    "state-types": "state_types",
    "key-part": "key_part",
    "keyed-function": "keyed_function",
    "event-type": "event_type",
    "event-time": "event_time",
}
"""Kind of a name -> fact."""
ONE_OF: Mapping[str, str] = {
    "state-name": "state-class",
    "state-types": "state-class",
    "key-part": "key-by",
    "keyed-function": "key-by",
    "event-time": "event-type",
}
"""Kind of a name -> the kind that it belongs to. With two of that kind nobody can say to which."""


def measure(evidence: Evidence) -> Measured:
    """The calls of each kind with their lines; they are hints, for a source may hold more than this job.

    Reads   code_call.
    Gives   one signal of the case.
    Empty   NotMeasured without source code that has such calls.
    """
    rows = [{**row, "ts_ms": None} for row in evidence.answer(code_calls.AGGREGATOR).to_pylist()]
    if not rows:
        yield NotMeasured("job_code", "configuration", "no source of the job was given")
        return
    facts: dict[str, FactValue] = {}
    for kind, fact in KINDS.items():
        of_kind = [row for row in rows if row["kind"] == kind]
        facts[f"{fact}_calls"] = len(of_kind)
        facts[fact] = _listed(of_kind)
    facts |= {fact: _only(rows, kind) for kind, fact in NAMES.items()}
    cited = [row for row in rows if row["kind"] in ("blocking", "key-by")] or rows
    places = tuple(
        Citation.cite_row(row, "config", row["name"], name=row["name"], value=None) for row in cited[:MOST_LISTED]
    )
    yield Signal("job_code", Subject(), known_facts(facts), places, citation_count=len(rows))


def _only(rows: Sequence[Mapping[str, Any]], kind: str) -> FactValue:
    """The name of this kind where the source has one, and one of what it belongs to."""
    owners = {(row["name"], row["line"]) for row in rows if row["kind"] == ONE_OF.get(kind, kind)}
    names = {row["name"] for row in rows if row["kind"] == kind}
    return names.pop() if len(names) == 1 and len(owners) == 1 else None


def _listed(rows: Sequence[Mapping[str, Any]]) -> FactValue:
    """The first calls as `executeQuery (line 83)`."""
    return [f"{row['name']} (line {row['line']})" for row in rows[:MOST_LISTED]] or None


FACTS: Mapping[str, str] = {
    "key_by_calls": "calls that partition records by a key",
    "key_by": "the first of them with their lines",
    "blocking_calls": "calls that wait for an outside system, by their names",
    "blocking": "the first of them with their lines",
    "asynchronous_calls": "calls of asynchronous I/O",
    "asynchronous": "the first of them with their lines",
    "sinks_calls": "calls that attach a sink",
    "sinks": "the first of them with their lines",
    "state_backend_calls": "calls that set the state backend",
    "state_backend": "the first of them with their lines",
    "previous_result_calls": "reads of a state that a result is computed from before the state is written",
    "previous_result": "the first of them with their lines",
    "state_class": "class of the only state descriptor",
    "state_name": "name of the only state",
    "state_types": "types that its descriptor is given",
    "key_part": "what the only call that partitions by key takes of a record",
    "keyed_function": "function behind that call",
    "event_type": "type of the events that watermarks are made of",
    "event_time": "where such an event has its time",
}

SIGNALS = (SignalDefinition("job_code", "case", FACTS, measure),)
