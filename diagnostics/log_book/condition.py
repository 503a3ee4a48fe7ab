"""Search terms as conditions on columns: pruning of row groups by statistics, and matching of rows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.language import say
from diagnostics.log_book.columns import REPEATING
from diagnostics.log_book.search import FILE_FIELDS, NUMBER_FIELDS, TEXT_FIELDS, InvalidSearch, Search, Term

Mask = npt.NDArray[np.bool_]
Statistics = Mapping[str, tuple[int, int]]
"""Column -> least and greatest value of a row group."""

EXPRESSION_SECONDS = 2.0
"""Time limit of one expression on one row group, for which usual expressions take a tenth of a second. Our choice."""

PIECE_BYTES = 65_536
"""Bytes of text that are matched between checks of the time limit. Our choice."""

COST = {"level": 0, "number": 0, "exact": 1, "part": 1, "text": 3, "expression": 4}
"""Order of evaluating conditions: numbers first, texts on the remaining rows."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A search term that is ready to be evaluated.

    columns  that it reads
    bounds   pairs of first and last, for a numeric column
    """

    term: Term
    columns: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...] = field(default=())

    def is_possible(self, statistics: Statistics) -> bool:
        """Whether a row group with these least and greatest values may contain a match."""
        if self.term.excluded or not self._is_numeric or self.columns[0] not in statistics:
            return True
        least, greatest = statistics[self.columns[0]]
        return any(first <= greatest and least <= last for first, last in self.bounds)

    def narrowed(self, mask: Mask, columns: Mapping[str, pa.Array]) -> Mask:
        """The matching rows; an unknown field matches only a negated term."""
        rows = np.flatnonzero(mask)
        if self._is_numeric or len(rows) * 2 > len(mask):
            return np.logical_and(mask, self._mask(columns))
        # Few rows remain, and texts take the most time.
        few = {name: columns[name].take(pa.array(rows)) for name in self.columns}
        narrowed = np.zeros(len(mask), bool)
        narrowed[rows[self._mask(few)]] = True
        return narrowed

    def _mask(self, columns: Mapping[str, pa.Array]) -> Mask:
        found = self._numbers(columns[self.columns[0]]) if self._is_numeric else self._texts(columns)
        return np.logical_not(found) if self.term.excluded else found

    @property
    def _is_numeric(self) -> bool:
        return bool(self.bounds) or self.term.kind in ("level", "number") or self.columns[0] in ("file_id", "pattern")

    def _numbers(self, column: pa.Array) -> Mask:
        values = column.fill_null(-1).to_numpy(zero_copy_only=False)
        found = np.zeros(len(values), bool)
        for first, last in self.bounds:
            found |= (values >= first) & (values <= last)
        return found

    def _texts(self, columns: Mapping[str, pa.Array]) -> Mask:
        any_text: Mask | None = None
        for name in self.columns:
            column = columns[name]
            if column.null_count == len(column):
                continue
            mask = _matches_of(column, self.term)
            any_text = mask if any_text is None else any_text | mask
        return any_text if any_text is not None else np.zeros(len(columns[self.columns[0]]), bool)


def _matches_of(column: pa.Array, term: Term) -> Mask:
    """Which texts match. Each distinct value of a dictionary is matched once."""
    texts = column.dictionary if isinstance(column, pa.DictionaryArray) else column
    matching = np.zeros(len(texts), bool)
    for value in term.values:
        matching |= _fits(texts, term.kind, value).fill_null(False).to_numpy(zero_copy_only=False)
    if texts is column:
        return matching
    indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    chosen: Mask = np.append(matching, False)[indices]
    return chosen


def _fits(texts: pa.Array, kind: str, value: str) -> pa.Array:
    if kind == "exact":
        return pc.equal(texts, value)
    if kind == "expression":
        return _fits_expression(texts, value)
    return pc.match_substring(texts, value, ignore_case=True)


def _fits_expression(texts: pa.Array, expression: str) -> pa.Array:
    """Matches an expression in pieces with a time limit: RE2 can take 15 s for a MiB with nested repetitions.

    Raises InvalidSearch.
    """
    step = max(1, len(texts) * PIECE_BYTES // max(1, texts.nbytes))
    begun, matches = time.thread_time(), [pa.array([], pa.bool_())]
    for place in range(0, len(texts), step):
        if time.thread_time() - begun > EXPRESSION_SECONDS:
            raise InvalidSearch(
                say("/{expression}/: takes too long; write fewer repetitions within one another", expression=expression)
            )
        matches.append(pc.match_substring_regex(texts.slice(place, step), expression, ignore_case=True))
    return pa.concat_arrays(matches)


def conditions_of(
    search: Search, files: Sequence[Mapping[str, Any]], patterns: Sequence[Mapping[str, Any]]
) -> list[Condition]:
    """The search's terms, the fast ones first. Raises InvalidSearch for an invalid RE2 expression."""
    found = [_condition(term, files, patterns) for term in search.terms]
    return sorted(found, key=lambda each: COST[each.term.kind] + 10 * (each.columns == TEXT_COLUMNS))


TEXT_COLUMNS = ("message", "continuation")


def _condition(term: Term, files: Sequence[Mapping[str, Any]], patterns: Sequence[Mapping[str, Any]]) -> Condition:
    if term.kind == "expression":
        _try_expression(term)
    if term.field is None:
        return Condition(term, TEXT_COLUMNS)
    if term.field == "level":
        return Condition(term, ("level",), tuple(term.bounds))
    if term.field in NUMBER_FIELDS:
        return Condition(term, (NUMBER_FIELDS[term.field],), tuple(term.bounds))
    if term.field == "pattern":
        return Condition(term, ("pattern",), _numbers_of([each["id"] for each in patterns], term))
    if term.field in FILE_FIELDS:
        return Condition(term, ("file_id",), _numbers_of([each[FILE_FIELDS[term.field]] for each in files], term))
    return Condition(term, (TEXT_FIELDS[term.field],))


def _numbers_of(texts: Sequence[str | None], term: Term) -> tuple[tuple[int, int], ...]:
    """Ranges of the indexes of matching texts."""
    found = _matches_of(pa.array(texts, pa.string()), term) if texts else np.zeros(0, bool)
    return tuple((int(place), int(place)) for place in np.flatnonzero(found))


def _try_expression(term: Term) -> None:
    try:
        pc.match_substring_regex(pa.array(["x"]), term.values[0])
    except pa.ArrowInvalid as error:
        raise InvalidSearch(f"{term.source}: {str(error).partition(': ')[2] or error}") from None


def repeating(columns: Sequence[str]) -> list[str]:
    """Those of the columns that are read as dictionaries."""
    return [name for name in columns if name in REPEATING]
