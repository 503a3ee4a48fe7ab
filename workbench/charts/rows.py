"""Selects and sorts the rows of a chart's data table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diagnostics.notation.timestamp import timestamp

EPOCH = "(UTC, epoch ms)"
"""How the head of a column ends that holds epoch milliseconds; the CSV file keeps them."""

Rows = Sequence[Sequence[Any]]
Span = tuple[int, int]


def rows_within(header: Sequence[str], rows: Rows, span: Span | None) -> Rows:
    """The rows whose first time lies in the span; all of them where no column tells a time, or for no span."""
    at = next((place for place, name in enumerate(header) if EPOCH in name), None)
    if span is None or at is None:
        return rows
    return [row for row in rows if row[at] is not None and span[0] <= row[at] <= span[1]]


def rows_sorted(header: Sequence[str], rows: Rows, asked: str) -> tuple[Rows, int | None, bool]:
    """The rows by the column that `asked` numbers from 0, with a minus from large to small.

    Gives the rows, the column (None as they were) and whether large comes first. Numbers stand before texts, and what
    is not known comes last either way.
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
    """The row with its epoch milliseconds as people read them."""
    return [
        timestamp(round(cell)) if EPOCH in name and cell is not None else cell
        for name, cell in zip(header, row, strict=True)
    ]
