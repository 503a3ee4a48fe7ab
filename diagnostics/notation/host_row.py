"""Rows of `host_sample` out of the tables that `top`, `vmstat`, `iostat` and their like print, and their bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST_LINE = 2_000
MOST_ROWS = 500_000
"""Numbers kept of one file. Our choice: a day of ten devices each second has more, ten hours have not."""
ROWS_AT_ONCE = 10_000


@dataclass(slots=True)
class Span:
    """The earliest and the latest of the moments that were taken; None before there was one."""

    first_ms: int | None = None
    last_ms: int | None = None

    def take(self, ts_ms: int | None) -> None:
        """Widens the span by a moment; an unknown one changes nothing."""
        if ts_ms is not None:
            self.first_ms = ts_ms if self.first_ms is None else min(self.first_ms, ts_ms)
            self.last_ms = ts_ms if self.last_ms is None else max(self.last_ms, ts_ms)


def number(text: str) -> float | None:
    """A number as these tools print it, with a decimal comma too; None for `-`, `nan` and words."""
    plain = text.strip().replace(",", ".", 1).removesuffix("%")
    if not plain or len(plain) > 24 or not plain.lstrip("-").replace(".", "", 1).isdigit() or not plain.isascii():
        return None
    return float(plain)


def column_rows(
    place: Mapping[str, Any], names: Iterable[str], values: Iterable[str], metrics: Mapping[str, tuple[str, float]]
) -> Iterator[dict[str, Any]]:
    """A row for each printed column that `metrics` knows.

    place    what all rows share: time, host, part, name, lines
    metrics  printed name of a column -> our metric and the factor to its unit
    """
    for name, text in zip(names, values, strict=False):
        known, value = metrics.get(name), number(text)
        if known is not None and value is not None:
            yield {**place, "metric": known[0], "value": value * known[1]}


def lines_of(number: int) -> dict[str, int]:
    """The citation of one line."""
    return {"line": number, "last_line": number}
