"""Parses the query of a log page and caches the view of the log book that answers it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

from django import forms
from django.http import QueryDict

from diagnostics.log_book.counting import collapsed
from diagnostics.log_book.finding import find
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import InvalidSearch, Search, parse_search
from diagnostics.log_book.view import Span, View
from workbench.languages.sentences import say

MOST_SEARCH = 4_000
MOST_KEPT_BYTES = 64 * 1024 * 1024
"""Views that a web process keeps. Our choice: sixteen that find a million records each."""
MOST_CLOCKS = 200
MOST_SHIFT_MS = 366 * 86_400_000
"""How many clocks can be moved, and how far: a year is what a wrong date in a log is off. Our choice."""
LATEST_MS = 4_102_444_800_000
"""1 January 2100: a time behind it is a slip."""


class AskedForm(forms.Form):
    """The part of a log page's address that chooses records; what is missing filters nothing.

    hits   `all` lists the other records too, and only marks what is looked for
    alike  neighbours that are alike are listed once: exact, numbers, signature
    """

    q = forms.CharField(max_length=MOST_SEARCH, required=False)
    hits = forms.ChoiceField(choices=[("all", "all")], required=False)
    alike = forms.ChoiceField(choices=[(each, each) for each in ("exact", "numbers", "signature")], required=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which records are listed.

    span    first and last epoch ms, None for the whole time
    clocks  milliseconds that are added to the times of a file, by its path
    """

    search: Search
    span: Span | None
    hits: str
    alike: str
    clocks: tuple[tuple[str, int], ...] = ()

    def shifts(self, book: LogBook) -> dict[int, int]:
        """The moved clocks by the number of the file; a file that is not there counts nothing."""
        shifts = ((book.file_id(path), shift) for path, shift in self.clocks)
        return {file_id: shift for file_id, shift in shifts if file_id is not None}

    @property
    def listed(self) -> Search:
        """The search that decides what is listed."""
        return self.search.narrowed_by if self.hits == "all" else self.search


def asked_of(query: QueryDict) -> Asked:
    """What the address asks for. Raises InvalidSearch."""
    form = AskedForm(query)
    if not form.is_valid():
        raise InvalidSearch(
            say(
                "The search is longer than {most} characters, or the address was changed by hand.",
                most=MOST_SEARCH,
            )
        )
    asked = form.cleaned_data
    span = _span(query.get("from"), query.get("to"))
    clocks = tuple(each for text in query.getlist("clock")[:MOST_CLOCKS] if (each := _clock(text)) is not None)
    return Asked(parse_search(asked["q"]), span, asked["hits"], asked["alike"], clocks)


def _clock(text: str) -> tuple[str, int] | None:
    """File and milliseconds of `path:ms`."""
    path, _, shift = text.rpartition(":")
    digits = shift.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 12
    return (path, int(shift)) if path and is_number and abs(int(shift)) <= MOST_SHIFT_MS else None


def _span(first: str | None, last: str | None) -> Span | None:
    """Both ends of the time range, None unless both are times in their order."""
    ends = (_epoch_ms(first), _epoch_ms(last))
    return (ends[0], ends[1]) if ends[0] is not None and ends[1] is not None and ends[0] <= ends[1] else None


def _epoch_ms(text: str | None) -> int | None:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    epoch_ms = round(moment.timestamp() * 1000)
    return epoch_ms if 0 <= epoch_ms <= LATEST_MS else None


class _Kept:
    """The views that were asked for last, by log book and question."""

    def __init__(self) -> None:
        self._views: OrderedDict[tuple[Any, ...], View] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: tuple[Any, ...]) -> View | None:
        with self._lock:
            if key in self._views:
                self._views.move_to_end(key)
            return self._views.get(key)

    def put(self, key: tuple[Any, ...], view: View) -> None:
        with self._lock:
            if key in self._views:
                return
            self._views[key] = view
            self._bytes += view.bytes
            while self._bytes > MOST_KEPT_BYTES and len(self._views) > 1:
                _, oldest = self._views.popitem(last=False)
                self._bytes -= oldest.bytes


_kept = _Kept()


def view_of(book: LogBook, asked: Asked) -> View:
    """The records that are listed. Raises InvalidSearch, SearchTooSlow."""
    key = (book.name, asked.listed, asked.span, asked.alike, asked.clocks)
    known = _kept.get(key)
    if known is not None:
        return known
    view = find(book, asked.listed, asked.span, asked.shifts(book))
    if asked.alike:
        view = collapsed(book, view, asked.alike)
    _kept.put(key, view)
    return view
