"""The log page's answers: rows, numbers, steps, pins; who may see them; and what a wrong question gets."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from django.test import Client

from tests.diagnostics.log_book.books import LOGS
from tests.workbench.diagnosed import diagnosed_case, write_log_book
from tests.workbench.people import People, signed_in
from workbench.analyses.log_books import log_book_folder, log_books_purge, log_books_write
from workbench.analyses.models import Analysis, LogBookState
from workbench.analyses.retention import evidence_delete

JOBMANAGER_LOG, TASKMANAGER_LOG = LOGS
AT_ONE = 1_795_222_800_000
"""2026-11-21T01:00:00Z"""


@pytest.fixture
def analysis(people: People) -> Analysis:
    """A diagnosed case of Alice whose logs were kept."""
    found = diagnosed_case(people.alice)
    write_log_book(found, LOGS)
    return found


def asked(client: Client, analysis: Analysis, part: str, **query: Any) -> Any:
    answer = client.get(f"/cases/{analysis.case_id}/logs/{part}/", query)
    return answer.json() if answer.status_code == 200 else answer


def test_the_list_has_the_records_of_all_files_in_the_order_of_time(people: People, analysis: Analysis) -> None:
    told = asked(signed_in(people.vera), analysis, "records", start=1, count=2)
    assert (told["start"], told["total"]) == (1, 8)
    assert [(row["file"], row["host"], row["role"], row["line"]) for row in told["rows"]] == [
        (TASKMANAGER_LOG, "worker", "taskmanager", 1),
        (TASKMANAGER_LOG, "worker", "taskmanager", 2),
    ]
    assert told["rows"][1]["cause"] == "java.net.SocketTimeoutException: Read timed out"
    assert told["rows"][1]["more"] == 6


def test_the_time_range_of_the_address_narrows_the_list(people: People, analysis: Analysis) -> None:
    span = {"from": "2026-11-21T01:00:03.000Z", "to": "2026-11-21T01:00:05.000Z"}
    assert asked(signed_in(people.vera), analysis, "records", **span)["total"] == 4


def test_looking_for_something_can_leave_the_other_records_in_the_list(people: People, analysis: Analysis) -> None:
    client, query = signed_in(people.vera), {"q": "checkpoint level:info+", "hits": "all"}
    assert asked(client, analysis, "records", **query)["total"] == 8
    assert asked(client, analysis, "step", kind="hit", place=0, **query) == {"place": 5}


def test_the_clock_of_a_file_can_be_moved(people: People, analysis: Analysis) -> None:
    client, moved = signed_in(people.vera), {"clock": f"{TASKMANAGER_LOG}:10000"}
    told = asked(client, analysis, "records", **moved)
    assert [row["line"] for row in told["rows"][:4]] == [1, 2, 3, 1]
    assert (told["rows"][3]["moved_ms"], told["rows"][3]["ts"]) == (10_000, AT_ONE + 11_000)
    overview = asked(client, analysis, "overview", **moved)
    assert overview["span"] == [AT_ONE, AT_ONE + 14_000]
    assert overview["histogram"]["totals"] == {"INFO": 6, "WARN": 1, "ERROR": 1}
    late = {"from": "2026-11-21T01:00:14.000Z", "to": "2026-11-21T02:00:00.000Z"}
    assert asked(client, analysis, "records", **moved, **late)["total"] == 1


@pytest.mark.parametrize("clock", ["nonsense", "logs/x.log:5", f"{TASKMANAGER_LOG}:{10**14}", f"{TASKMANAGER_LOG}:--1"])
def test_an_invalid_clock_moves_nothing(people: People, analysis: Analysis, clock: str) -> None:
    rows = asked(signed_in(people.vera), analysis, "records", clock=clock)["rows"]
    assert {row["moved_ms"] for row in rows} == {0}


def test_the_overview_counts_and_says_where_the_first_error_is(people: People, analysis: Analysis) -> None:
    told = asked(signed_in(people.vera), analysis, "overview", q="-level:warn", at=f"{TASKMANAGER_LOG}:5")
    assert told["total"] == 7
    assert told["histogram"]["totals"] == {"INFO": 6, "ERROR": 1}
    assert told["first_error"] == [{"place": 2, "ts": AT_ONE + 2_500}]
    assert told["at"] == {"position": 2, "place": 2, "listed": True}
    assert [(each["source"], each["excluded"]) for each in told["terms"]] == [("-level:warn", True)]


def test_a_record_shows_its_trace_its_operations_and_its_neighbours(people: People, analysis: Analysis) -> None:
    told = asked(signed_in(people.vera), analysis, "record", position=2, around=1)
    assert [each["title"] for each in told["folds"]] == [
        "java.lang.RuntimeException: cannot enrich",
        "Caused by: java.net.SocketTimeoutException: Read timed out",
    ]
    assert [each["kind"] for each in told["operations"]] == ["attempt", "task"]
    assert [row["line"] for row in told["context"]["file"]] == [1, 2, 10]
    assert told["address"] == f"/cases/{analysis.case_id}/logs/?snapshot=1&at={TASKMANAGER_LOG}:2"
    assert told["lines_url"].endswith("/lines/2/?to=8#L2")


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ({"kind": "error", "place": -1}, 2),
        ({"kind": "warning", "place": 0}, 6),
        ({"kind": "warning", "place": 6}, None),
        ({"kind": "file", "place": 1}, 6),
        ({"kind": "term", "term": "checkpoint=7", "place": 6, "direction": -1}, 5),
    ],
)
def test_a_step_goes_to_the_next_record_of_its_kind(
    people: People, analysis: Analysis, query: dict[str, Any], place: int | None
) -> None:
    assert asked(signed_in(people.vera), analysis, "step", **query) == {"place": place}


def test_a_pinned_record_is_marked_for_everybody_and_shown_on_the_case(people: People, analysis: Analysis) -> None:
    alice, pins = signed_in(people.alice), f"/cases/{analysis.case_id}/logs/pins/"
    told = alice.post(pins, {"file": TASKMANAGER_LOG, "line": 5, "note": "here <b>it</b> began"})
    assert told.status_code == 201
    assert told.json()["line"] == 2

    bob = signed_in(people.bob)
    assert asked(bob, analysis, "records", start=2, count=1)["rows"][0]["pinned"] is True
    assert asked(bob, analysis, "step", kind="pin", place=-1) == {"place": 2}
    case = bob.get(f"/cases/{analysis.case_id}/").content.decode()
    assert "here &lt;b&gt;it&lt;/b&gt; began" in case
    assert f"/cases/{analysis.case_id}/logs/?snapshot=1&amp;at={TASKMANAGER_LOG}:2" in case

    removed = bob.post(f"/cases/{analysis.case_id}/logs/unpin/", {"file": TASKMANAGER_LOG, "line": 2})
    assert removed.json() == {"removed": True}
    assert asked(bob, analysis, "pins") == {"pins": []}


def test_a_viewer_reads_but_does_not_pin(people: People, analysis: Analysis) -> None:
    pin = {"file": TASKMANAGER_LOG, "line": 2}
    assert signed_in(people.vera).post(f"/cases/{analysis.case_id}/logs/pins/", pin).status_code == 403


def test_a_line_that_is_no_record_cannot_be_pinned(people: People, analysis: Analysis) -> None:
    pin = {"file": TASKMANAGER_LOG, "line": 999}
    answer = signed_in(people.alice).post(f"/cases/{analysis.case_id}/logs/pins/", pin)
    assert answer.status_code == 400
    assert "no log record at line 999" in answer.json()["detail"]


@pytest.mark.parametrize("part", ["", "overview/", "records/", "record/?position=0", "step/", "breakdown/", "pins/"])
def test_a_stranger_finds_nothing(people: People, analysis: Analysis, part: str) -> None:
    assert signed_in(people.charlie).get(f"/cases/{analysis.case_id}/logs/{part}").status_code == 404


@pytest.mark.parametrize(
    "query", [{"q": "/(/"}, {"q": "level:loud"}, {"start": "x"}, {"alike": "x"}, {"q": "x" * 5000}]
)
def test_a_wrong_question_is_answered_with_the_reason(
    people: People, analysis: Analysis, query: dict[str, str]
) -> None:
    answer = asked(signed_in(people.vera), analysis, "records", **query)
    assert answer.status_code == 400
    assert answer.json()["detail"]


def test_an_invalid_time_filters_nothing(people: People, analysis: Analysis) -> None:
    span = {"from": "9999-99-99", "to": "99999999999999999999"}
    assert asked(signed_in(people.vera), analysis, "records", **span)["total"] == 8


def test_the_page_says_when_there_is_nothing_to_list(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    log_books_write()
    page = signed_in(people.alice).get(f"/cases/{analysis.case_id}/logs/")
    assert "No log records are kept" in page.content.decode()


def test_without_kept_records_a_link_to_one_leads_to_its_line(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    file = analysis.case.files.get()
    answer = signed_in(people.alice).get(f"/cases/{analysis.case_id}/logs/", {"at": "logs/tm.log:2"})
    assert answer.headers["Location"] == f"/uploads/{file.pk}/lines/2/#L2"


def test_evidence_from_logs_leads_to_the_log_page(people: People, analysis: Analysis) -> None:
    citation = analysis.findings.get().citations.get()
    citation.kind, citation.path, citation.line = "log", TASKMANAGER_LOG, 4
    citation.save()
    case = signed_in(people.alice).get(f"/cases/{analysis.case_id}/").content.decode()
    assert f'href="/cases/{analysis.case_id}/logs/?snapshot=1&amp;at={TASKMANAGER_LOG}:4"' in case


def test_records_of_deleted_evidence_are_not_kept(people: People, analysis: Analysis) -> None:
    evidence_delete(case=analysis.case, user=people.alice)
    Analysis.objects.filter(pk=analysis.pk).update(log_book=LogBookState.WAITING)
    assert log_books_write() == 1
    assert not log_book_folder(analysis.pk).exists()
    analysis.refresh_from_db()
    assert analysis.log_book == LogBookState.NONE


def test_a_log_book_is_written_once(analysis: Analysis) -> None:
    analysis.refresh_from_db()
    assert (analysis.log_book, analysis.log_book_attempts) == (LogBookState.WRITTEN, 1)
    assert log_books_write() == 0


def test_a_log_book_that_cannot_be_written_is_given_up_after_some_attempts(analysis: Analysis) -> None:
    Analysis.objects.filter(pk=analysis.pk).update(log_book=LogBookState.WAITING, log_book_attempts=0)
    in_the_way = log_book_folder(analysis.pk).with_name(f".{analysis.pk}.new")
    in_the_way.touch()
    assert [log_books_write() for _ in range(4)] == [1, 1, 1, 0]
    analysis.refresh_from_db()
    assert analysis.log_book == LogBookState.FAILED
    in_the_way.unlink()


def test_the_page_says_that_the_records_are_being_prepared(people: People, analysis: Analysis) -> None:
    Analysis.objects.filter(pk=analysis.pk).update(log_book=LogBookState.WAITING)
    shutil.rmtree(log_book_folder(analysis.pk))
    page = signed_in(people.vera).get(f"/cases/{analysis.case_id}/logs/").content.decode()
    assert "The log records are being prepared" in page
    assert "Diagnose again" not in page


def test_log_records_go_with_their_analysis(people: People, analysis: Analysis) -> None:
    assert log_books_purge() == 0
    folder = log_book_folder(analysis.pk)
    analysis.delete()
    assert log_books_purge() == 1
    assert not folder.exists()
