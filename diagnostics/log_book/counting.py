"""Counts the records of a view: by level over time, and by the values of a field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.log_book.columns import LEVELS
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.view import Span, View

SLOTS_MS = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000),
    *(900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000, 2_592_000_000),
)
MOST_SLOTS = 180
"""The histogram uses the narrowest slots that give at most this many: two pixels each on a phone."""

SMALL_SLOTS = 40
"""Slots of the small graph next to a value."""

MOST_VALUES = 200
"""Values in a breakdown, the most frequent. Our choice: more than anybody reads."""

BREAKDOWNS: Mapping[str, str] = {
    "pattern": "pattern",
    "logger": "logger",
    "thread": "thread",
    "task": "task",
    "exception": "exception_class",
    "cause": "root_cause_class",
    "event": "event",
    "file": "file_id",
    "host": "file_id",
    "role": "file_id",
    "taskmanager": "task_manager",
}
"""Dimension for counting records -> its column."""


def slots_of(span: Span) -> tuple[int, int, int]:
    """Start and width in ms, and number, of the slots that cover a time range."""
    length = span[1] - span[0] + 1
    width = next((each for each in SLOTS_MS if length <= each * (MOST_SLOTS - 1)), -(-length // (MOST_SLOTS - 1)))
    begin = span[0] // width * width
    return begin, width, (span[1] - begin) // width + 1


def histogram(book: LogBook, view: View, span: Span | None) -> dict[str, Any]:
    """{from_ms, slot_ms, slots, levels: {level: records of each slot}, totals: {level: records}, undated}.

    Levels without a record are left out; records without a level are counted as "none".
    """
    names = [*LEVELS, "none"]
    begin, width, slots = slots_of(span) if span else (0, 1, 0)

    def counted(columns: dict[str, pa.Array]) -> npt.NDArray[np.int64]:
        """Records by level and slot; those without a time are in a slot after the last."""
        level = columns["level"].fill_null(len(LEVELS)).to_numpy(zero_copy_only=False).astype(np.int64)
        place = _slot(columns["order_ms"], begin, width, slots)
        return np.bincount(level * (slots + 1) + place, minlength=len(names) * (slots + 1))

    parts = book.map_row_groups(view, ("order_ms", "level"), counted)
    cells = sum(parts, np.zeros(len(names) * (slots + 1), np.int64)).reshape(len(names), slots + 1)
    return {
        "from_ms": begin if span else None,
        "slot_ms": width if span else None,
        "slots": slots,
        "levels": {name: cells[at, :slots].tolist() for at, name in enumerate(names) if cells[at, :slots].any()},
        "totals": {name: int(cells[at].sum()) for at, name in enumerate(names) if cells[at].any()},
        "undated": int(cells[:, slots].sum()),
    }


def breakdown(book: LogBook, view: View, by: str, span: Span | None) -> dict[str, Any]:
    """{values: [{value, records, slots, …}], distinct, without}: the most frequent values first.

    A pattern comes with its id, level and logger. `without` counts records without a value.
    """
    column = BREAKDOWNS[by]
    counts: Counter[Any] = Counter()
    for part in book.map_row_groups(view, (column,), lambda columns: _counted(columns[column], by, book)):
        counts.update(part)
    without = counts.pop(None, 0)
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_VALUES]
    graphs = _graphs(book, view, by, span, [value for value, _ in frequent])
    values = [
        {**_described(value, by, book), "records": records, "slots": graph}
        for (value, records), graph in zip(frequent, graphs, strict=True)
    ]
    return {"values": values, "distinct": len(counts), "without": without}


def _slot(order_ms: pa.Array, begin: int, width: int, slots: int) -> npt.NDArray[np.int64]:
    """The slot of each record; `slots` when it has no time."""
    dated = order_ms.is_valid().to_numpy(zero_copy_only=False)
    place = (order_ms.fill_null(begin).to_numpy(zero_copy_only=False) - begin) // width
    return np.where(dated, np.clip(place, 0, max(slots - 1, 0)), slots)


def _keyed(column: pa.Array, by: str, book: LogBook) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """The distinct values, None for records without one, and the index of each record's value."""
    if isinstance(column, pa.DictionaryArray):
        indices = column.indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False)
        return [*column.dictionary.to_pylist(), None], indices.astype(np.int64)
    numbers, places = np.unique(column.fill_null(-1).to_numpy(zero_copy_only=False), return_inverse=True)
    if by == "pattern":
        return numbers.tolist(), places
    name = "name" if by == "file" else by
    return [book.contents["files"][number][name] for number in numbers.tolist()], places


def _counted(column: pa.Array, by: str, book: LogBook) -> Counter[Any]:
    keys, places = _keyed(column, by, book)
    counts: Counter[Any] = Counter()
    for key, count in zip(keys, np.bincount(places, minlength=len(keys)).tolist(), strict=True):
        if count:
            counts[key] += count
    return counts


def _described(value: Any, by: str, book: LogBook) -> dict[str, Any]:
    if by != "pattern":
        return {"value": value}
    told = book.contents["patterns"][value]
    return {"value": told["id"], "text": told["text"], "level": told["level"], "logger": told["logger"]}


def _graphs(book: LogBook, view: View, by: str, span: Span | None, values: Sequence[Any]) -> list[list[int]]:
    """Records of each of the values in SMALL_SLOTS equal time slots."""
    if span is None or not values:
        return [[] for _ in values]
    begin, width = span[0], max(-(-(span[1] - span[0] + 1) // SMALL_SLOTS), 1)
    row_of = {value: row for row, value in enumerate(values)}

    def counted(columns: dict[str, pa.Array]) -> npt.NDArray[np.int64]:
        keys, places = _keyed(columns[BREAKDOWNS[by]], by, book)
        rows = np.array([row_of.get(key, len(values)) for key in keys])[places]
        cell = rows * (SMALL_SLOTS + 1) + _slot(columns["order_ms"], begin, width, SMALL_SLOTS)
        return np.bincount(cell, minlength=(len(values) + 1) * (SMALL_SLOTS + 1))

    parts = book.map_row_groups(view, ("order_ms", BREAKDOWNS[by]), counted)
    cells = sum(parts, np.zeros((len(values) + 1) * (SMALL_SLOTS + 1), np.int64))
    graphs: list[list[int]] = cells.reshape(len(values) + 1, SMALL_SLOTS + 1)[:-1, :-1].tolist()
    return graphs


_WORDS = re.compile(r"[\w<>]+|\s+")


def collapsed(book: LogBook, view: View, alike: str) -> View:
    """The view with equal neighbours collapsed into the first of them, with the number of collapsed records.

    alike  exact: the same message; numbers: the same pattern; signature: the same punctuation of the pattern
    """
    if view.total < 2:
        return view
    if alike == "exact":
        message = book.columns(view, ("message",))["message"].fill_null("")
        changes = pc.not_equal(message[1:], message[:-1]).to_numpy(zero_copy_only=False)
    else:
        number = book.columns(view, ("pattern",))["pattern"].to_numpy()
        if alike == "signature":
            number = _signatures([each["text"] for each in book.contents["patterns"]])[number]
        changes = np.diff(number) != 0
    first = np.concatenate([[0], np.flatnonzero(changes) + 1])
    repeats = np.diff(np.append(first, view.total)).astype(np.int32)
    positions = first.astype(np.int32) if view.positions is None else view.positions[first]
    return View(len(first), positions, repeats, view.moved)


def _signatures(patterns: Sequence[str]) -> npt.NDArray[np.int64]:
    known: dict[str, int] = {}
    return np.array([known.setdefault(_WORDS.sub("", each), len(known)) for each in patterns], np.int64)
