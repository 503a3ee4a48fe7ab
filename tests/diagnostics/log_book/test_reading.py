"""Records in the order of time, a few at a time, and the steps between them."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from diagnostics.log_book import writing
from diagnostics.log_book.finding import find, neighbours, step
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import parse_search
from tests.diagnostics.log_book.books import LOGS, TASK, log_book, messages

AT_ONE = 1_795_222_800_000
"""2026-11-21T01:00:00Z"""
TASKMANAGER_LOG = list(LOGS)[1]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> LogBook:
    return log_book(tmp_path_factory.mktemp("book"))


def seconds(book: LogBook, places: list[int]) -> list[float]:
    return [(row["ts_ms"] - AT_ONE) / 1000 for row in book.rows(np.array(places, np.int32), ["ts_ms"])]


def test_records_of_all_files_are_in_the_order_of_time(book: LogBook) -> None:
    assert seconds(book, list(range(book.records))) == [0, 1, 2.5, 3, 3.001, 4, 5, 6]


def test_a_log_of_one_row_group_is_read_without_a_thread_of_its_own(
    book: LogBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert book.groups == 1
    monkeypatch.setattr(threading.Thread, "start", lambda _: pytest.fail("a thread was started"))
    assert len(seconds(book, [0, 1])) == 2


def test_a_time_that_goes_back_in_its_file_is_marked(book: LogBook) -> None:
    rows = book.rows(np.arange(book.records, dtype=np.int32), ["goes_back"])
    assert [row["goes_back"] for row in rows] == [False, False, False, True, False, False, False, False]


def test_a_time_range_has_both_ends(book: LogBook) -> None:
    view = find(book, parse_search(""), (AT_ONE + 1_000, AT_ONE + 3_000))
    assert seconds(book, view.slice(0, 10).tolist()) == [1, 2.5, 3]


def test_a_record_without_a_time_precedes_the_next_of_its_file(tmp_path: Path) -> None:
    logs = {"a.out": "Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n" + LOGS[TASKMANAGER_LOG], "b.log": LOGS[next(iter(LOGS))]}
    first = log_book(tmp_path, logs).rows(np.array([0, 1, 2], np.int32), ["ts_ms", "message"])
    assert [row["ts_ms"] for row in first] == [AT_ONE, None, AT_ONE + 1_000]


def test_a_line_inside_a_stack_trace_leads_to_its_record(book: LogBook) -> None:
    assert book.position_of(1, 5) == book.position_of(1, 2) == 2
    assert book.position_of(1, 999) is None


def test_a_step_leads_to_the_next_record_that_fits(book: LogBook) -> None:
    view = find(book, parse_search("level:info+"))
    checkpoint = book.conditions(parse_search("checkpoint=7"))
    assert step(book, view, 0, checkpoint, 1) == 5
    assert step(book, view, 5, checkpoint, 1) == 6
    assert step(book, view, 6, checkpoint, 1) is None
    assert step(book, view, 5, checkpoint, -1) == 0


def test_neighbours_are_of_the_same_file_or_of_all(book: LogBook) -> None:
    position = book.position_of(0, 2)
    assert position == 6
    assert neighbours(book, position, 1, same_file=True).tolist() == [0, 6, 7]
    assert neighbours(book, position, 1, same_file=False).tolist() == [5, 6, 7]


def test_a_file_whose_clock_is_moved_changes_its_place(book: LogBook) -> None:
    view = find(book, parse_search(""), shifts={1: 10_000})
    assert seconds(book, view.slice(0, 4).tolist()) == [0, 5, 6, 1]
    assert view.nearest(1) == 3


def test_a_log_of_several_row_groups_and_stretches_reads_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GROUP_ROWS", 2)
    monkeypatch.setattr(writing, "STRETCH_BYTES", 500)
    book = log_book(tmp_path)
    assert seconds(book, list(range(book.records))) == [0, 1, 2.5, 3, 3.001, 4, 5, 6]
    assert len(messages(book, "checkpoint")) == 4
    view = find(book, parse_search(""))
    assert step(book, view, 0, book.conditions(parse_search("checkpoint=7")), 1) == 5
    assert neighbours(book, 6, 1, same_file=True).tolist() == [0, 6, 7]


def test_too_many_records_leave_the_last_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_RECORDS", 3)
    book = log_book(tmp_path)
    assert book.contents["left_out"] == 5
    assert seconds(book, [0, 1, 2]) == [4, 5, 6]


def test_task_and_attempt_come_from_the_thread_without_an_event(tmp_path: Path) -> None:
    line = f"2026-11-21 01:00:00.000 [Source: in -> Map (3/8)#2] INFO  {TASK}  - anything\n"
    book = log_book(tmp_path, {"a.log": line})
    row = book.rows(np.array([0], np.int32), ["task", "subtask", "attempt"])[0]
    assert row == {"task": "Source: in -> Map", "subtask": 2, "attempt": 2}


def test_files_show_their_role_and_host(book: LogBook) -> None:
    assert [(each["role"], each["host"], each["records"]) for each in book.contents["files"]] == [
        ("jobmanager", "boss", 3),
        ("taskmanager", "worker", 5),
    ]
