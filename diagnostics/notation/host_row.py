"""Rows of `host_sample` from tables of `top`, `vmstat`, `iostat` and similar tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MOST_LINE = 2_000
MOST_ROWS = 500_000
"""Rows kept of one file. Our choice: a day of ten devices each second has more, ten hours do not."""


def number(text: str) -> float | None:
    """A number as these tools print it, also with a decimal comma; None for `-`, `nan` and words."""
    plain = text.strip().replace(",", ".", 1).removesuffix("%")
    if not plain or len(plain) > 24 or not plain.lstrip("-").replace(".", "", 1).isdigit() or not plain.isascii():
        return None
    return float(plain)


def column_rows(
    place: Mapping[str, Any], names: Iterable[str], values: Iterable[str], metrics: Mapping[str, tuple[str, float]]
) -> Iterator[dict[str, Any]]:
    """One row per printed column that `metrics` knows.

    place    columns that all rows share: time, host, part, name, lines
    metrics  printed name of a column -> our metric and the factor to its unit
    """
    for name, text in zip(names, values, strict=False):
        known, value = metrics.get(name), number(text)
        if known is not None and value is not None:
            yield {**place, "metric": known[0], "value": value * known[1]}


def lines_of(number: int) -> dict[str, int]:
    """Citation columns of one line."""
    return {"line": number, "last_line": number}
