"""What is known of a table's columns without asking Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics import table_contents
from diagnostics.format import Rows
from diagnostics.reading.stored_table import TableWriter
from diagnostics.shared_folder import SharedFolder
from diagnostics.table_contents import Contents

RECORDS = [
    {"message": "a", "event": "task.state", "level": "INFO"},
    {"message": "b", "event": "jm.ckpt.complete", "level": "INFO"},
    {"message": "c", "level": "WARN"},
]


@pytest.fixture
def contents(tmp_path: Path) -> Contents:
    """As a task noted them that wrote RECORDS, on their way through Spark."""
    with TableWriter(SharedFolder.at(tmp_path), 0) as writer:
        writer.add(Rows("log_record", RECORDS), 0, 0, None)
    return Contents(list(writer.contents.told().items()))


def test_a_value_that_a_row_has_may_be_there(contents: Contents) -> None:
    assert contents.may_have("log_record", "event", ("task.failed", "task.state"))


def test_a_value_that_no_row_has_is_not_there(contents: Contents) -> None:
    assert not contents.may_have("log_record", "event", ("task.failed",))


def test_values_can_be_told_by_what_they_are_like(contents: Contents) -> None:
    assert contents.may_have("log_record", "event", lambda event: event.startswith("jm.ckpt."))
    assert not contents.may_have("log_record", "event", lambda event: event.startswith("zk."))


def test_a_column_without_any_value_is_empty(contents: Contents) -> None:
    assert not contents.may_have("log_record", "causes")


def test_of_other_columns_it_is_only_known_that_they_have_values(contents: Contents) -> None:
    assert contents.may_have("log_record", "message", ("no record says this",))


def test_a_table_that_nobody_wrote_has_nothing(contents: Contents) -> None:
    assert not contents.may_have("metric_sample", "metric")


def test_what_two_tasks_noted_is_known_together(contents: Contents) -> None:
    contents.add([("log_record.event", ["zk.suspended"])])
    assert contents.may_have("log_record", "event", ("zk.suspended",))
    assert contents.may_have("log_record", "event", ("task.state",))


def test_too_many_values_may_be_anything(monkeypatch: pytest.MonkeyPatch, contents: Contents) -> None:
    monkeypatch.setattr(table_contents, "MOST_WORDS", 2)
    contents.add([("log_record.event", ["zk.suspended"])])
    assert contents.may_have("log_record", "event", ("task.failed",))


def test_what_one_task_had_too_much_of_stays_unknown(contents: Contents) -> None:
    contents.add([("log_record.event", None)])
    contents.add([("log_record.event", ["zk.suspended"])])
    assert contents.may_have("log_record", "event", ("task.failed",))
