"""What a reader has understood so far, and its rows in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.notation.file_range import Range, Reader

ROWS_AT_ONCE = 2_000
"""Rows that are handed on together. Our choice: stacks with all their frames take some tens of MB."""

SHOWN = 3
MOST_SHOWN = 200
"""Lines not understood that are shown, and characters of each. Our choice."""


@dataclass(slots=True)
class Tally:
    """What a reader has understood so far: it counts its records itself, `coverage` says the rest."""

    role: str | None = None
    records: int = 0
    not_understood: int = 0
    samples: list[tuple[int, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    first_ts_ms: int | None = None
    last_ts_ms: int | None = None
    utc_offset_min: int | None = None

    def take_time(self, ts_ms: int | None) -> None:
        """Widens the span of the records by a moment; an unknown one changes nothing."""
        if ts_ms is not None:
            self.first_ts_ms = ts_ms if self.first_ts_ms is None else min(self.first_ts_ms, ts_ms)
            self.last_ts_ms = ts_ms if self.last_ts_ms is None else max(self.last_ts_ms, ts_ms)

    def odd(self, number: int, line: str) -> None:
        """A line that was not understood."""
        self.not_understood += 1
        if len(self.samples) < SHOWN:
            self.samples.append((number, line[:MOST_SHOWN]))

    def warn(self, sentence: str) -> None:
        """Something the user must know, once however often it is said."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def coverage(self) -> Coverage:
        """All that, as the engine takes it."""
        return Coverage(
            records=self.records,
            not_understood=self.not_understood,
            samples=tuple(self.samples),
            warnings=tuple(self.warnings),
            role=self.role,
            first_ts_ms=self.first_ts_ms,
            last_ts_ms=self.last_ts_ms,
            utc_offset_min=self.utc_offset_min,
        )


def in_batches(
    table: str, rows: Iterable[Mapping[str, Any]], tally: Tally, *, most: int | None = None, what: str = "rows"
) -> Iterator[Rows | Coverage]:
    """The rows of a table as they come, and in the end what the tally says.

    most  rows that are kept; the file is not read further
    what  the rows in words, for the sentence that says so
    """
    coming, kept = iter(rows), 0
    while batch := list(islice(coming, ROWS_AT_ONCE if most is None else min(ROWS_AT_ONCE, most - kept))):
        yield Rows(table, batch)
        kept += len(batch)
    if kept == most:
        tally.warn(f"only the first {kept:,} {what} are kept")
    yield tally.coverage()


def row_reader(
    table: str,
    rows: Callable[[Range, Tally], Iterable[Mapping[str, Any]]],
    *,
    most: int | None = None,
    what: str = "rows",
) -> Reader:
    """A format's reader from a function that gives the rows of one table one by one and keeps the tally meanwhile.

    Where `most` ends the reading, nothing of the function is run behind the last row that was taken.
    """

    def read(part: Range) -> Iterator[Rows | Coverage]:
        tally = Tally()
        return in_batches(table, rows(part, tally), tally, most=most, what=what)

    return read
