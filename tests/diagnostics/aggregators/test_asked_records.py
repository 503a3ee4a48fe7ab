"""An aggregator of `log_record` gets only the records that it declares: the scan of a log reads no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from diagnostics.aggregators import AGGREGATORS, BY_TABLE
from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import contains_any
from diagnostics.evidence.tables import TABLES
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.log_event import catalogue
from diagnostics.vocabulary.incident_kinds import KINDS, kinds_of
from tests.diagnostics.aggregators.test_cut_anywhere import answered, sample_rows
from tests.diagnostics.hand_made import JOB, START

QUESTIONS = BY_TABLE["log_record"]
ALARMING = ("WARN", "ERROR", "FATAL")


def records(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """These records of one line, at level INFO, with the kinds that they tell."""
    known = [
        {"level": "INFO", "ts_ms": START + line, "file_id": 0, "line": line, "last_line": line, **row}
        for line, row in enumerate(rows, 1)
    ]
    table = pa.Table.from_pylist(known, schema=TABLES["log_record"].arrow_schema())
    return table.set_column(table.schema.get_field_index("kinds"), "kinds", kinds_of(table))


STEP = f"Map (1/2)#0 ({JOB}) switched from DEPLOYING to INITIALIZING."
"""With the id of an execution as Flink prints it; examples of the catalogue shorten it."""


@cache
def catalogued() -> pa.Table:
    """The example of each event of the catalogue, as a JobManager and as a TaskManager would log it."""
    messages = {event.id: event.example for event in catalogue()} | {"task.state": STEP}
    stated = event_columns(list(messages.values()))
    named = [
        {**columns, "event": event, "message": message}
        for (event, message), columns in zip(messages.items(), stated, strict=True)
    ]
    return records([{**row, "process": process} for process in ("jobmanager", "taskmanager") for row in named])


def is_declared(aggregator: Aggregator[Any], rows: pa.Table) -> pa.ChunkedArray:
    """The records that one of its events or texts names."""
    named = pc.is_in(
        rows["event"], pa.array([each.id for each in catalogue() if aggregator.asks_for(each.id)], pa.string())
    )
    return pc.or_(named, contains_any(rows["message"], aggregator.texts)) if aggregator.texts else named


def is_read_anyway(rows: pa.Table) -> pa.ChunkedArray:
    """From WARN on, with further lines, an exception, or the cause of a failure without its class."""
    alarming = pc.is_in(rows["level"], pa.array(ALARMING))
    thrown = pc.or_(rows["exception_class"].is_valid(), rows["exception_message"].is_valid())
    return pc.or_(alarming, pc.or_(rows["continuation"].is_valid(), thrown))


def answer(aggregator: Aggregator[Any], rows: pa.Table) -> Any:
    return answered(aggregator, aggregator.reduce_rows(rows))


@pytest.mark.parametrize("aggregator", QUESTIONS, ids=lambda each: each.name)
def test_events_that_are_not_declared_change_no_answer(aggregator: Aggregator[Any]) -> None:
    rows = catalogued()
    others = rows.filter(pc.invert(is_declared(aggregator, rows)))
    assert others.num_rows
    assert answer(aggregator, others) == answer(aggregator, rows.slice(0, 0))


@pytest.mark.parametrize("aggregator", QUESTIONS, ids=lambda each: each.name)
def test_records_of_samples_that_are_not_declared_change_no_answer(aggregator: Aggregator[Any]) -> None:
    rows = sample_rows()["log_record"]
    read = rows.filter(pc.or_(is_declared(aggregator, rows), is_read_anyway(rows)))
    assert read.num_rows < rows.num_rows
    assert answer(aggregator, read) == answer(aggregator, rows)


@pytest.mark.parametrize("aggregator", [each for each in QUESTIONS if each.events], ids=lambda each: each.name)
def test_a_declaration_that_is_missing_is_noticed(aggregator: Aggregator[Any]) -> None:
    silent = replace(aggregator, events=(), texts=())
    rows = catalogued()
    others = rows.filter(pc.invert(is_declared(silent, rows)))
    assert answer(silent, others) != answer(silent, rows.slice(0, 0))


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_every_declared_event_is_in_the_catalogue(aggregator: Aggregator[Any]) -> None:
    known = [event.id for event in catalogue()]
    assert [
        each for each in aggregator.events if not any(map(replace(aggregator, events=(each,)).asks_for, known))
    ] == []


def test_only_questions_to_logs_declare_events_and_texts() -> None:
    assert {each.table for each in AGGREGATORS.values() if each.events or each.texts} == {"log_record"}


def test_each_kind_of_event_is_recognised_by_a_text_an_event_or_an_exception() -> None:
    assert [kind for kind, told in KINDS.items() if told.marks is None] == []
