"""Filters and sorts the rows of a chart's data table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostics.notation.timestamp import timestamp

EPOCH = "(UTC, epoch ms)"
"""Suffix of the header of a column with epoch milliseconds, which the CSV file keeps."""

Rows = Sequence[Sequence[Any]]
Span = tuple[int, int]


def rows_within(header: Sequence[str], rows: Rows, span: Span | None) -> Rows:
    """The rows whose first time is in the range; all rows without a time column or a range."""
    at = next((place for place, name in enumerate(header) if EPOCH in name), None)
    if span is None or at is None:
        return rows
    return [row for row in rows if row[at] is not None and span[0] <= row[at] <= span[1]]


def rows_sorted(header: Sequence[str], rows: Rows, asked: str) -> tuple[Rows, int | None, bool]:
    """The rows sorted by the column number in `asked` (from 0), descending with a minus.

    Gives the rows, the column (None for unsorted) and whether the order is descending. Numbers precede texts, and
    unknown values come last in both orders.
    """
    digits = asked.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 3 or int(digits) >= len(header):
        return rows, None, False
    column, is_down = int(digits), asked.startswith("-")
    known = [row for row in rows if row[column] is not None]
    known.sort(key=lambda row: _key(row[column]), reverse=is_down)
    return [*known, *(row for row in rows if row[column] is None)], column, is_down


def _key(cell: Any) -> tuple[bool, float, str]:
    is_number = isinstance(cell, (int, float))
    return (not is_number, cell if is_number else 0.0, "" if is_number else str(cell))


def readable(header: Sequence[str], row: Sequence[Any]) -> list[Any]:
    """The row with its epoch milliseconds formatted for people."""
    return [
        timestamp(round(cell)) if EPOCH in name and cell is not None else cell
        for name, cell in zip(header, row, strict=True)
    ]
