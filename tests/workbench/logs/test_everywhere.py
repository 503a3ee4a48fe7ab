"""One search in the kept log records of all cases that a person sees."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.log_book.search import parse_search
from tests.diagnostics.log_book.books import LOGS
from tests.workbench.diagnosed import diagnosed_case, write_log_book
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.logs import everywhere
from workbench.logs.everywhere import search_everywhere


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.fixture
def kept() -> Any:
    """Opens a diagnosed case whose logs are kept."""

    def opened(user: User, title: str) -> Analysis:
        analysis = diagnosed_case(user, title=title)
        write_log_book(analysis, LOGS)
        return analysis

    return opened


def test_every_case_that_holds_the_words_is_found_the_newest_first(people: People, kept: Any) -> None:
    for title in ("older", "newer"):
        kept(people.alice, title)
    diagnosed_case(people.alice, title="without logs")
    kept(people.charlie, "of strangers")

    found = search_everywhere(people.bob, parse_search('"Read timed out"'))

    assert [hit.case.title for hit in found.hits] == ["newer", "older"]
    assert (found.searched, found.unkept, found.rest) == (2, 1, None)
    assert all(hit.total == 1 for hit in found.hits)


def test_the_page_leads_to_the_record_and_says_what_was_not_searched(people: People, kept: Any) -> None:
    analysis = kept(people.alice, "Orders are late")
    diagnosed_case(people.alice, title="without logs")
    vera = signed_in(people.vera)

    told = vera.get("/logs/", {"q": "level:error+"}).content.decode()

    assert f'href="/cases/{analysis.case_id}/logs/?snapshot=1&amp;at=' in told
    assert "<span>ERROR</span>" in told
    assert "1 log searched. Of 1 diagnosis no log records are kept" in told
    assert "No record fits" in vera.get("/logs/", {"q": "no-such-word"}).content.decode()
    assert "level is one of" in vera.get("/logs/", {"q": "level:loud"}).content.decode()
    assert "searched" not in vera.get("/logs/").content.decode()


def test_a_search_that_takes_too_long_is_gone_on_with(
    people: People, kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        kept(people.alice, f"case {number}")
    monkeypatch.setattr(everywhere, "MOST_SECONDS", -1.0)
    titles, below = [], None
    for _ in range(3):
        found = search_everywhere(people.bob, parse_search("level:error+"), below)
        titles += [hit.case.title for hit in found.hits]
        below = found.rest
    assert (titles, below) == (["case 2", "case 1", "case 0"], None)
