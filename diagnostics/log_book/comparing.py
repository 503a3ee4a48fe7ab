"""Finds patterns of log records that became more or less frequent between two time ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from diagnostics.log_book.finding import find
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import parse_search
from diagnostics.log_book.view import Span

LEAST_EFFECT = 3.0
"""A pattern changed when its count deviates from an even rate by three standard deviations of the binomial
distribution, which chance exceeds once in 370 times.
"""
MINUTE_MS = 60_000


def changed_patterns(book: LogBook, normal: Span, bad: Span) -> list[dict[str, Any]]:
    """The patterns whose rate differs significantly between two time ranges, the most significant first.

    Gives   {id, text, level, logger, normal, bad, times, effect}: `normal` and `bad` in records per minute, `times` is
            bad over normal, None from or to zero, `effect` in standard deviations.
    Raises  SearchTooSlow
    """
    before, after = _counts(book, normal), _counts(book, bad)
    lengths = [(last - first + 1) / MINUTE_MS for first, last in (normal, bad)]
    changes = []
    for number in np.flatnonzero(before + after).tolist():
        here, there = int(before[number]), int(after[number])
        effect = _deviations(here, there, lengths[1] / sum(lengths))
        if effect < LEAST_EFFECT:
            continue
        rates = here / lengths[0], there / lengths[1]
        told = {name: book.contents["patterns"][number][name] for name in ("id", "text", "level", "logger")}
        times = rates[1] / rates[0] if here and there else None
        changes.append({**told, "normal": rates[0], "bad": rates[1], "times": times, "effect": effect})
    return sorted(changes, key=lambda each: (-each["effect"], each["text"]))


def _counts(book: LogBook, span: Span) -> npt.NDArray[np.int64]:
    """Records of each pattern in a time range."""
    patterns = len(book.contents["patterns"])

    def counted(columns: dict[str, pa.Array]) -> npt.NDArray[np.int64]:
        return np.bincount(columns["pattern"].to_numpy(zero_copy_only=False), minlength=patterns)

    parts = book.map_row_groups(find(book, parse_search(""), span), ("pattern",), counted)
    return sum(parts, np.zeros(patterns, np.int64))


def _deviations(before: int, after: int, share: float) -> float:
    """Deviation of `after` from `share` of both counts, in standard deviations of a constant rate."""
    both = before + after
    return abs(after - both * share) / math.sqrt(both * share * (1 - share))
