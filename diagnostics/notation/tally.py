"""Counts what a reader read, and batches its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.language import say
from diagnostics.notation.file_range import Range, Reader

ROWS_AT_ONCE = 2_000
"""Rows per batch. Our choice: stacks with all their frames take tens of MB."""

SHOWN = 3
MOST_SHOWN = 200
"""How many lines not understood are shown, and characters of each. Our choice."""


@dataclass(slots=True)
class Tally:
    """What a reader has read so far; the reader counts its records itself."""

    role: str | None = None
    records: int = 0
    not_understood: int = 0
    samples: list[tuple[int, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    first_ts_ms: int | None = None
    last_ts_ms: int | None = None
    utc_offset_min: int | None = None

    def take_time(self, ts_ms: int | None) -> None:
        """Extend the time span by a moment; None changes nothing."""
        if ts_ms is not None:
            self.first_ts_ms = ts_ms if self.first_ts_ms is None else min(self.first_ts_ms, ts_ms)
            self.last_ts_ms = ts_ms if self.last_ts_ms is None else max(self.last_ts_ms, ts_ms)

    def odd(self, number: int, line: str) -> None:
        """Count a line that was not understood."""
        self.not_understood += 1
        if len(self.samples) < SHOWN:
            self.samples.append((number, line[:MOST_SHOWN]))

    def warn(self, sentence: str) -> None:
        """Add a warning for the user, without duplicates."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def coverage(self) -> Coverage:
        """The coverage of the file for the engine."""
        return Coverage(
            records=self.records,
            not_understood=self.not_understood,
            samples=tuple(self.samples),
            warnings=tuple(self.warnings),
            counted=tuple(self.counted.items()),
            role=self.role,
            first_ts_ms=self.first_ts_ms,
            last_ts_ms=self.last_ts_ms,
            utc_offset_min=self.utc_offset_min,
        )


def in_batches(
    table: str, rows: Iterable[Mapping[str, Any]], tally: Tally, *, most: int | None = None
) -> Iterator[Rows | Coverage]:
    """The rows of a table in batches, then the coverage.

    most  rows that are kept; the file is not read further
    """
    coming, kept = iter(rows), 0
    while batch := list(islice(coming, ROWS_AT_ONCE if most is None else min(ROWS_AT_ONCE, most - kept))):
        yield Rows(table, batch)
        kept += len(batch)
    if kept == most:
        tally.warn(say("only the first {kept:,} rows are kept", kept=kept))
    yield tally.coverage()


def row_reader(
    table: str,
    rows: Callable[[Range, Tally], Iterable[Mapping[str, Any]]],
    *,
    most: int | None = None,
) -> Reader:
    """A format's reader from a function that yields the rows of one table and updates the tally.

    When `most` rows are reached, the function is not resumed.
    """

    def read(part: Range) -> Iterator[Rows | Coverage]:
        tally = Tally()
        return in_batches(table, rows(part, tally), tally, most=most)

    return read
