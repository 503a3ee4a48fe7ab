"""Calls in the source of the job: where it partitions by key, and where it waits for an outside system; its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.aggregators import code_calls
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.sql_tables import OF_STATEMENTS
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

MOST_LISTED = 5
KINDS: Mapping[str, str] = {
    "key-by": "key_by",
    "blocking": "blocking",
    "asynchronous": "asynchronous",
    "sink": "sinks",
    "state-backend": "state_backend",
    "previous-result": "previous_result",
    "unsaved-buffer": "unsaved_buffers",
    "source-by-clock": "sources_by_clock",
    "former-retention": "former_retention",
    "former-tolerance": "former_tolerance",
    "former-producer": "former_producer",
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
    "assigner": "assigner",
    "assigner-event": "assigner_event",
    "assigner-recorded": "assigner_recorded",
    "window": "window",
    "state-statement": "state_statement",
    "state-variable": "state_variable",
    "state-type": "state_type",
    "look-up": "look_up",
    "look-up-partition": "look_up_partition",
    "waiting-function": "look_up_function",
    "look-up-made": "look_up_made",
    "look-up-key": "look_up_key",
    "look-up-key-type": "look_up_key_type",
    "look-up-answer-type": "look_up_answer_type",
    "request": "request",
}
"""Kind of a name, or of a call that is quoted -> fact."""
ONE_OF: Mapping[str, str] = {
    "state-name": "state-class",
    "state-types": "state-class",
    "key-part": "key-by",
    "keyed-function": "key-by",
    "event-time": "event-type",
    "assigner": "event-type",
    "assigner-event": "event-type",
    "assigner-recorded": "event-type",
    "state-statement": "state-class",
    "state-variable": "state-class",
    "state-type": "state-class",
    "window": "windowing",
    "look-up": "waiting-function",
    "look-up-partition": "waiting-function",
    "look-up-made": "waiting-function",
    "look-up-key": "waiting-function",
    "look-up-key-type": "waiting-function",
    "look-up-answer-type": "waiting-function",
    "request": "sink-request",
}
"""Kind of a name -> the kind that it belongs to. With two of that kind nobody can say to which."""


def measure(evidence: Evidence) -> Measured:
    """The calls of each kind with their lines; they are hints, for a source may hold more than this job.

    Reads   code_call.
    Gives   one signal of the case.
    Empty   NotMeasured without source code that has such calls.
    """
    found = evidence.answer(code_calls.AGGREGATOR).to_pylist()
    rows = [{**row, "ts_ms": None} for row in found if row["kind"] not in OF_STATEMENTS]
    if not rows:
        yield NotMeasured("job_code", "configuration", "no source of the job was given")
        return
    facts: dict[str, FactValue] = {}
    for kind, fact in KINDS.items():
        of_kind = [row for row in rows if row["kind"] == kind]
        facts[f"{fact}_calls"] = len(of_kind)
        facts[fact] = _listed(of_kind)
    facts["results_in_sequence"] = bool(facts["previous_result_calls"]) and facts["key_by_calls"] == 1
    facts["owes_by_clock"] = _owes_by_clock(rows)
    facts["makes_records"] = _makes_records(rows)
    facts |= {fact: _only(rows, kind) for kind, fact in NAMES.items()}
    if not any(row["kind"] == "state-removal" for row in rows):
        facts["kept_state"] = facts["state_name"]
    if len({row["file_id"] for row in rows}) == 1:
        facts["imports"] = list(dict.fromkeys(row["name"] for row in rows if row["kind"] == "import")) or None
    cited = [row for row in rows if row["kind"] in ("blocking", "key-by")] or rows
    places = tuple(
        Citation.cite_row(row, "config", row["name"], name=row["name"], value=None) for row in cited[:MOST_LISTED]
    )
    yield Signal("job_code", Subject(), known_facts(facts), places, citation_count=len(rows))


def _owes_by_clock(rows: Sequence[Mapping[str, Any]]) -> bool | None:
    """Whether every class that a job attaches as a source keeps what it owes in memory; None without such a class."""
    sources = {row["name"] for row in rows if row["kind"] == "source"}
    by_clock = {row["name"].partition(".")[0] for row in rows if row["kind"] == "source-by-clock"}
    return sources == by_clock if sources else None


def _makes_records(rows: Sequence[Mapping[str, Any]]) -> bool | None:
    """Whether every class that a job attaches as a source makes its records itself; None without such a class."""
    sources = {row["name"] for row in rows if row["kind"] == "source"}
    making = {row["name"] for row in rows if row["kind"] == "source-of-own-records"}
    return sources == making if sources else None


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
    "unsaved_buffers_calls": "collections of a sink that hold records and that nothing saves or writes out at a stop",
    "unsaved_buffers": "the first of them with their lines",
    "sources_by_clock_calls": "counts of sources that send what is due by the clock, in no checkpoint",
    "sources_by_clock": "the first of them with their lines",
    "former_retention_calls": "calls of enableExternalizedCheckpoints",
    "former_retention": "the first of them with their lines",
    "former_tolerance_calls": "calls of setFailOnCheckpointingErrors",
    "former_tolerance": "the first of them with their lines",
    "former_producer_calls": "constructions of FlinkKafkaProducer",
    "former_producer": "the first of them with their lines",
    "owes_by_clock": "whether each source that is a class of the code keeps a mere count of what it could not send",
    "makes_records": "whether each source that is a class of the code makes its records itself, by chance",
    "results_in_sequence": "each result of a key depends on the one before, behind the only call that partitions",
    "state_class": "class of the only state descriptor",
    "state_name": "name of the only state",
    "kept_state": "name of the only state, where no call in the code removes its entries",
    "state_types": "types that its descriptor is given",
    "key_part": "what the only call that partitions by key takes of a record",
    "keyed_function": "function behind that call",
    "event_type": "type of the events that watermarks are made of",
    "event_time": "where such an event has its time",
    "assigner": "call that takes the time stamp of an event, as the source has it",
    "assigner_event": "name of the event in it",
    "assigner_recorded": "name of the time stamp that the source of the stream gives, in it",
    "window": "the only call that gives a window, as the source has it",
    "state_statement": "statement that gets the only state, as the source has it",
    "state_variable": "variable that it is kept in",
    "state_type": "type of what the state holds",
    "look_up": "the only call that attaches a function which waits for an outside system, as the source has it",
    "look_up_partition": "call in front of it that spreads the records evenly, as the source has it",
    "look_up_function": "class of that function",
    "look_up_made": "its construction with its arguments, as the source has it",
    "look_up_key": "what its only query takes of a record",
    "look_up_key_type": "type of that",
    "look_up_answer_type": "type of the value that it takes of each row of the answer",
    "request": "the only statement of a sink that begins a request to an outside system, as the source has it",
    "imports": "classes that the only file of the source imports",
}

SIGNALS = (SignalDefinition("job_code", "case", FACTS, measure),)
