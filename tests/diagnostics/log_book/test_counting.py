"""Histogram, patterns and other breakdowns, neighbours that are alike, folded stack traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.log_book.counting import breakdown, collapsed, histogram
from diagnostics.log_book.finding import find
from diagnostics.log_book.fold import folded
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import parse_search
from tests.diagnostics.log_book.books import TASK, TASKMANAGER, log_book


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> LogBook:
    return log_book(tmp_path_factory.mktemp("counting"))


def test_the_histogram_counts_every_record_once_by_level(book: LogBook) -> None:
    told = histogram(book, find(book, parse_search("")), book.span)
    assert told["totals"] == {"INFO": 6, "WARN": 1, "ERROR": 1}
    assert {level: sum(slots) for level, slots in told["levels"].items()} == told["totals"]
    assert told["slot_ms"] == 50
    assert told["levels"]["ERROR"].index(1) == 2_500 // 50


def test_patterns_are_counted_with_numbers_and_ids_masked(book: LogBook) -> None:
    told = breakdown(book, find(book, parse_search("-checkpoint")), "pattern", book.span)
    assert [(each["text"], each["records"]) for each in told["values"]] == [
        ("Freeing task resources, <n> buffers", 2),
        ("Enrich (<n>/<n>)#<n> (<id>) switched from INITIALIZING to RUNNING.", 1),
        ("Enrich (<n>/<n>)#<n> (<id>) switched from RUNNING to FAILED with failure cause:", 1),
    ]
    assert sum(told["values"][0]["slots"]) == 2


@pytest.mark.parametrize(
    ("by", "value", "records", "without"),
    [("host", "worker", 5, 0), ("logger", TASK, 5, 0), ("cause", "java.net.SocketTimeoutException", 1, 7)],
)
def test_records_are_counted_by_a_field(book: LogBook, by: str, value: str, records: int, without: int) -> None:
    told = breakdown(book, find(book, parse_search("")), by, book.span)
    assert (told["values"][0]["value"], told["values"][0]["records"]) == (value, records)
    assert told["without"] == without


@pytest.mark.parametrize(("alike", "shown"), [("exact", [1, 1, 2, 1]), ("numbers", [1, 3, 1]), ("signature", [4, 1])])
def test_neighbours_that_are_alike_are_shown_once(tmp_path: Path, alike: str, shown: list[int]) -> None:
    said = ("start up", "sent 1 of 2", "sent 2 of 2", "sent 2 of 2", "end: now")
    lines = (f"2026-11-21 01:00:0{number},000 INFO  a.B [] - {each}\n" for number, each in enumerate(said))
    book = log_book(tmp_path, {"a.log": "".join(lines)})
    view = collapsed(book, find(book, parse_search("")), alike)
    assert view.repeats is not None
    assert view.repeats.tolist() == shown


def test_a_trace_is_folded_to_its_exceptions_with_own_frames_marked() -> None:
    folds = folded(
        "java.lang.RuntimeException: cannot enrich\n\tat com.acme.Enrich.map(Enrich.java:17) ~[job.jar:?]\n"
        "\tat org.apache.flink.streaming.api.operators.StreamMap.processElement(StreamMap.java:38)\n"
        "Caused by: java.net.SocketTimeoutException: Read timed out\n\tat java.net.Socket.read(Socket.java:1)\n"
        "\t... 2 more"
    )
    assert [each.title for each in folds] == [
        "java.lang.RuntimeException: cannot enrich",
        "Caused by: java.net.SocketTimeoutException: Read timed out",
    ]
    assert [frame["own"] for frame in folds[0].frames] == [True, False]
    assert [frame["own"] for frame in folds[1].frames] == [False, False]


def test_lines_that_are_no_trace_stay_lines() -> None:
    folds = folded("key: value\nother: value")
    assert [(each.title, each.lines) for each in folds] == [(None, ["key: value", "other: value"])]


def test_messages_whose_words_vary_are_counted_and_found_as_one_template(tmp_path: Path) -> None:
    hosts = ("alpha", "beta", "gamma", "delta", "alpha")
    lines = [
        f"2026-11-21 01:00:0{number},000 WARN  {TASK} [] - Connection to {host} was lost after 3 s\n"
        for number, host in enumerate(hosts)
    ]
    told = log_book(tmp_path, {"logs/flink-root-taskexecutor-1-worker.log": TASKMANAGER + "".join(lines)})
    counted = breakdown(told, find(told, parse_search("")), "pattern", told.span)["values"]
    template = next(each for each in counted if "<*>" in each["text"])
    assert (template["text"], template["records"]) == ("Connection to <*> was lost after <n> s", 5)
    assert (template["level"], template["logger"]) == ("WARN", TASK)
    assert find(told, parse_search(f"pattern:{template['value']}")).total == 5
    others = {each["text"] for each in counted} - {template["text"]}
    assert any("switched from RUNNING to FAILED" in text for text in others)
