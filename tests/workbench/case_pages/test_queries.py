"""How many queries a page takes does not depend on how much history there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.workbench.diagnosed import diagnosed_case, finish, stored_file
from tests.workbench.people import People, case_of, signed_in
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.cases.follow_ups import follow_up_add
from workbench.cases.models import Case
from workbench.cases.services import case_assign, case_rename, note_add, snapshot_start
from workbench.history.merging import case_merge
from workbench.logs.models import PinnedRecord

CASE_QUERIES = {"short": 17, "long": 27}
"""With one snapshot; and with several, which may verify a fix, with notes, and with owners that changed."""
RENDERING_QUERIES = 7
"""More for the first reader of a diagnosis, for whom it is rendered."""
MOST_LIST_QUERIES = 11
"""Measured: 10, and one more for a search."""
MANY = 12

AtMost = Callable[[int], AbstractContextManager[None]]


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.fixture
def at_most() -> AtMost:
    """A block that fails when it asks the database more often than that, or the same thing twice."""

    @contextmanager
    def block(most: int) -> Iterator[None]:
        with CaptureQueriesContext(connection) as asked:
            yield
        statements = [each["sql"] for each in asked.captured_queries]
        assert len(statements) <= most, "\n".join(each[:200] for each in statements)
        repeated = {each for each in statements if statements.count(each) > 1 and "SAVEPOINT" not in each}
        assert not repeated

    return block


def long_history(people: People) -> Analysis:
    """A case with many of everything, beside many others that are like it."""
    analysis = diagnosed_case(people.alice)
    case = analysis.case
    for number in range(MANY):
        note_add(case=case, user=people.bob, text=f"Looked at part {number}, @alice")
        follow_up_add(case=case, user=people.alice, text=f"Do part {number}", owner=people.bob)
        PinnedRecord.objects.create(case=case, path="logs/tm.log", line=number + 1, by=people.bob)
        case_rename(case=case, user=people.bob, title=f"Checkpoints expire, part {number}")
        case_assign(case=case, user=people.alice, owner=people.bob if number % 2 else people.alice)
        diagnosed_case(people.alice, title=f"Another one {number}")
        case_merge(case=case_of(people.alice, f"Part {number}"), into=case, user=people.alice)
    for number in range(3):
        snapshot_start(case=case, user=people.alice, change=f"Change {number}")
        case.refresh_from_db()
        stored_file(case, people.alice, f"logs/tm-{number}.log", snapshot=case.snapshot_number)
        finish(analysis_request(case=case, user=people.alice), 4.0)
    return analysis


@pytest.mark.parametrize("history", ["short", "long"])
def test_a_case_page_asks_each_thing_once(history: str, people: People, at_most: AtMost) -> None:
    analysis = long_history(people) if history == "long" else diagnosed_case(people.alice)
    bob, case = signed_in(people.bob), Case.objects.get(pk=analysis.case_id)
    bob.get(case.get_absolute_url())

    with at_most(CASE_QUERIES[history]):
        page = bob.get(case.get_absolute_url()).content.decode()

    assert case.title in page
    if history == "long":
        with at_most(CASE_QUERIES[history] + RENDERING_QUERIES):
            bob.get(f"{case.get_absolute_url()}?snapshot=1")
        with at_most(CASE_QUERIES[history]):
            bob.get(f"{case.get_absolute_url()}?snapshot=1")


def test_reading_a_case_again_writes_nothing(people: People) -> None:
    """On SQLite a statement that may write waits for each transaction of the worker, also when it changes no row."""
    case = diagnosed_case(people.alice).case
    alice = signed_in(people.alice)
    alice.get(case.get_absolute_url())
    note_add(case=case, user=people.bob, text="Looked at it")

    assert writes_of(lambda: alice.get(case.get_absolute_url())) == ["UPDATE"]
    assert writes_of(lambda: alice.get(case.get_absolute_url())) == []


def writes_of(ask: Callable[[], object]) -> list[str]:
    """The verbs of the statements of a request that are no questions."""
    with CaptureQueriesContext(connection) as asked:
        ask()
    verbs = [each["sql"].split(maxsplit=1)[0] for each in asked.captured_queries]
    return [verb for verb in verbs if verb not in ("SELECT", "SAVEPOINT", "RELEASE")]


@pytest.mark.parametrize("history", ["short", "long"])
def test_the_list_and_a_search_ask_each_thing_once(history: str, people: People, at_most: AtMost) -> None:
    _ = long_history(people) if history == "long" else diagnosed_case(people.alice)
    bob = signed_in(people.bob)
    bob.get("/")

    for query in ("", "?text=checkpoints", "?people=news&order=health", "?status=open&page=2"):
        with at_most(MOST_LIST_QUERIES):
            assert bob.get(f"/{query}").status_code == 200, query
