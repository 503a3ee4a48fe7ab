"""Searches the log records of all cases that a user may see, the newest case first.

Each case has its own log book, so they are searched in sequence within a time limit; the result names the case at which
the next search continues.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.db.models import Max
from django.urls import reverse

from diagnostics.log_book.columns import LEVELS
from diagnostics.log_book.finding import SearchTooSlow, find
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import Search
from workbench.accounts.models import User
from workbench.analyses.log_books import log_book_of
from workbench.analyses.models import Analysis
from workbench.cases.models import Case

MOST_SECONDS = 8.0
MOST_CASES = 25
"""Cases with matches per page. Our choice, as long as a page of the list."""
ROWS_SHOWN = 3
SHOWN = ("ts_ms", "level", "message", "root_cause_class", "file_id", "line")


@dataclass(frozen=True, slots=True)
class CaseHits:
    """The matching records of one snapshot of a case.

    rows     the first of them, each with the `address` of its place in the log page
    address  the log page with the same search
    """

    case: Case
    snapshot: int
    total: int
    rows: Sequence[Mapping[str, Any]]
    address: str


@dataclass(slots=True)
class EverywhereMatches:
    """The result of a search.

    searched  log books that were searched
    unkept    diagnoses without log records: they had none, or their evidence was deleted
    slow      cases whose log alone exceeded the time limit
    rest      number of the case to continue below, None when all were searched
    """

    hits: list[CaseHits] = field(default_factory=list)
    searched: int = 0
    unkept: int = 0
    slow: list[Case] = field(default_factory=list)
    rest: int | None = None


def search_everywhere(user: User, search: Search, below: int | None = None) -> EverywhereMatches:
    """The cases with matching records. `below` continues after the case of that number. Raises InvalidSearch."""
    matches = EverywhereMatches()
    deadline = time.monotonic() + MOST_SECONDS
    last: int | None = None
    for analysis in _newest_diagnoses(user, below):
        if (
            analysis.case_id != last
            and last is not None
            and (time.monotonic() > deadline or len(matches.hits) >= MOST_CASES)
        ):
            matches.rest = last
            break
        last = analysis.case_id
        book = log_book_of(analysis)
        if book is None:
            matches.unkept += 1
            continue
        matches.searched += 1
        try:
            view = find(book, search)
        except SearchTooSlow:
            matches.slow.append(analysis.case)
            continue
        if view.total:
            rows = [_row(analysis, book, row) for row in book.rows(view.slice(0, ROWS_SHOWN), SHOWN)]
            asked = {"snapshot": analysis.snapshot, "q": " ".join(term.source for term in search.terms)}
            matches.hits.append(CaseHits(analysis.case, analysis.snapshot, view.total, rows, _address(analysis, asked)))
    return matches


def _newest_diagnoses(user: User, below: int | None) -> list[Analysis]:
    """Of every snapshot of every case the newest diagnosis, those of the newest case first."""
    cases = Case.objects.visible_to(user)
    if below is not None:
        cases = cases.filter(pk__lt=below)
    done = Analysis.objects.filter(case__in=cases).done().order_by()
    newest = done.values("case", "snapshot").annotate(newest=Max("pk")).values("newest")
    found = Analysis.objects.light().filter(pk__in=newest).select_related("case")
    return list(found.order_by("-case_id", "snapshot"))


def _row(analysis: Analysis, book: LogBook, row: Mapping[str, Any]) -> dict[str, Any]:
    path = book.contents["files"][row["file_id"]]["name"]
    asked = {"snapshot": analysis.snapshot, "at": f"{path}:{row['line']}"}
    level = LEVELS[row["level"]] if row["level"] is not None else ""
    return {**row, "level": level, "path": path, "address": _address(analysis, asked)}


def _address(analysis: Analysis, asked: Mapping[str, Any]) -> str:
    return f"{reverse('logs:page', args=[analysis.case_id])}?{urlencode(asked)}"
