"""Counts over the records of a view: how many of each level and when, and the most frequent values of a field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from diagnostics.log_book.columns import LEVELS
from diagnostics.log_book.reading import LogBook, Span, View

SLOTS_MS = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000),
    *(900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000, 2_592_000_000),
)
MOST_SLOTS = 180
"""The histogram has the narrowest slots of which there are at most so many: two pixels each on a phone."""

SMALL_SLOTS = 40
"""Slots of the small graph beside a value."""

MOST_VALUES = 200
"""Values that a breakdown tells, the most frequent. Our choice: more than anybody reads."""

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
"""What records can be counted by -> the column that tells."""


def slots_of(span: Span) -> tuple[int, int, int]:
    """Begin and width in ms, and number, of the slots that cover a time."""
    length = span[1] - span[0] + 1
    width = next((each for each in SLOTS_MS if length <= each * (MOST_SLOTS - 1)), -(-length // (MOST_SLOTS - 1)))
    begin = span[0] // width * width
    return begin, width, (span[1] - begin) // width + 1


def histogram(book: LogBook, view: View, span: Span | None) -> dict[str, Any]:
    """{from_ms, slot_ms, slots, levels: {level: records of each slot}, totals: {level: records}, undated}.

    Levels without a record are left out; records without a level are counted as "none".
    """
    columns = book.columns(view, ("order_ms", "level"))
    level = columns["level"].fill_null(len(LEVELS)).to_numpy(zero_copy_only=False)
    names = [*LEVELS, "none"]
    totals = np.bincount(level, weights=_weights(view), minlength=len(names)).astype(int)
    told = {"totals": {name: int(total) for name, total in zip(names, totals, strict=True) if total}}
    if span is None:
        return told | {"from_ms": None, "slot_ms": None, "slots": 0, "levels": {}, "undated": len(level)}
    begin, width, slots = slots_of(span)
    place, dated = _slot(columns["order_ms"], begin, width, slots)
    counted = np.bincount(level[dated].astype(np.int64) * slots + place[dated], minlength=len(names) * slots).reshape(
        len(names), slots
    )
    return told | {
        "from_ms": begin,
        "slot_ms": width,
        "slots": slots,
        "levels": {name: counted[at].tolist() for at, name in enumerate(names) if counted[at].any()},
        "undated": int((~columns["order_ms"].is_valid().to_numpy(zero_copy_only=False)).sum()),
    }


def breakdown(book: LogBook, view: View, by: str, span: Span | None) -> dict[str, Any]:
    """{values: [{value, records, slots, …}], distinct, without}: the most frequent values first.

    A pattern comes with its id, level and logger. `without` counts records that have no such value.
    """
    columns = book.columns(view, ("order_ms", BREAKDOWNS[by]))
    number, names = _numbered(columns[BREAKDOWNS[by]], by, book)
    known = number >= 0
    counted = np.bincount(number[known], minlength=len(names))
    frequent = np.argsort(-counted, kind="stable")[:MOST_VALUES]
    frequent = frequent[counted[frequent] > 0]
    graphs = _graphs(columns["order_ms"], number, frequent, span)
    values = [
        {**_described(names[at], by, book), "records": int(counted[at]), "slots": graphs[place]}
        for place, at in enumerate(frequent.tolist())
    ]
    return {"values": values, "distinct": int((counted > 0).sum()), "without": int((~known).sum())}


def _weights(view: View) -> npt.NDArray[np.int32] | None:
    return view.repeats


def _slot(
    order_ms: pa.Array, begin: int, width: int, slots: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    dated = order_ms.is_valid().to_numpy(zero_copy_only=False)
    place = (order_ms.fill_null(begin).to_numpy(zero_copy_only=False) - begin) // width
    return np.clip(place, 0, slots - 1), dated


def _numbered(column: pa.Array, by: str, book: LogBook) -> tuple[npt.NDArray[np.int64], Sequence[Any]]:
    """Each record's value as a number, -1 for none, and what the numbers stand for."""
    if isinstance(column, pa.DictionaryArray):
        indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return indices, column.dictionary.to_pylist()
    number = column.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    if by == "pattern":
        return number, range(len(book.contents["patterns"]))
    told = [each["name" if by == "file" else by] for each in book.contents["files"]]
    names = sorted({each for each in told if each})
    of_file = np.array([names.index(each) if each else -1 for each in told], np.int64)
    return of_file[number], names


def _described(value: Any, by: str, book: LogBook) -> dict[str, Any]:
    if by != "pattern":
        return {"value": value}
    told = book.contents["patterns"][value]
    return {"value": told["id"], "text": told["text"], "level": told["level"], "logger": told["logger"]}


def _graphs(
    order_ms: pa.Array, number: npt.NDArray[np.int64], frequent: npt.NDArray[np.int64], span: Span | None
) -> list[list[int]]:
    """Records of each frequent value in SMALL_SLOTS equal slots of the time."""
    if span is None or not len(frequent):
        return [[] for _ in frequent]
    width = max(-(-(span[1] - span[0] + 1) // SMALL_SLOTS), 1)
    place, dated = _slot(order_ms, span[0], width, SMALL_SLOTS)
    row = np.full(max(int(number.max(initial=0)), int(frequent.max())) + 2, -1, np.int64)
    row[frequent] = np.arange(len(frequent))
    rows = row[number]
    chosen = dated & (rows >= 0)
    counted = np.bincount(rows[chosen] * SMALL_SLOTS + place[chosen], minlength=len(frequent) * SMALL_SLOTS)
    graphs: list[list[int]] = counted.reshape(len(frequent), SMALL_SLOTS).tolist()
    return graphs


_WORDS = re.compile(r"[\w<>]+|\s+")


def collapsed(book: LogBook, view: View, alike: str) -> View:
    """The view with neighbours that are alike shown once, the first of them, and how many each stands for.

    alike  exact: the same message; numbers: the same pattern; signature: the same punctuation of the pattern
    """
    if view.total < 2:
        return view
    if alike == "exact":
        message = book.columns(view, ("message",))["message"].fill_null("")
        changes = pa.compute.not_equal(message[1:], message[:-1]).to_numpy(zero_copy_only=False)
    else:
        number = book.columns(view, ("pattern",))["pattern"].to_numpy()
        if alike == "signature":
            number = _signatures([each["text"] for each in book.contents["patterns"]])[number]
        changes = np.diff(number) != 0
    first = np.concatenate([[0], np.flatnonzero(changes) + 1])
    repeats = np.diff(np.append(first, view.total)).astype(np.int32)
    positions = first.astype(np.int32) if view.positions is None else view.positions[first]
    return View(len(first), positions, repeats)


def _signatures(patterns: Sequence[str]) -> npt.NDArray[np.int64]:
    known: dict[str, int] = {}
    return np.array([known.setdefault(_WORDS.sub("", each), len(known)) for each in patterns], np.int64)
