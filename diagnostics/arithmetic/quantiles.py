"""Quantiles, ratios, spreads and runs over numbers that may be unknown (None). The result of unknown is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import TypeVar

T = TypeVar("T")

FEWEST_FOR_MEDIAN, FEWEST_FOR_P95 = 5, 20
"""From this number of values on their median, and their 95th percentile, are stated. Our choice: of fewer than five the
middle one says little, and of fewer than twenty the 95th percentile is no other value than the largest.
"""


def known(values: Iterable[float | None]) -> list[float]:
    """The values that are known, in their order."""
    return [value for value in values if value is not None]


def middle(values: Iterable[float | None]) -> float | None:
    """The median of the known values, None without any."""
    found = known(values)
    return median(found) if found else None


def highest(values: Iterable[float | None]) -> float | None:
    """The largest known value, None without any."""
    return max(known(values), default=None)


def lowest(values: Iterable[float | None]) -> float | None:
    """The smallest known value, None without any."""
    return min(known(values), default=None)


def total(values: Iterable[float | None]) -> float | None:
    """The sum of the known values, None without any."""
    found = known(values)
    return sum(found) if found else None


def quantile(values: Iterable[float | None], share: float) -> float | None:
    """The value below which `share` (0 to 1) of the known values lie, interpolated linearly; None without any."""
    ordered = sorted(known(values))
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def shown_only(facts: Mapping[str, T], looked: bool) -> dict[str, T]:
    """The known facts; without counts of zero when no source was there, because they would count missing evidence.

    looked  whether a source was there that would have shown them
    """
    return {
        name: value for name, value in facts.items() if value is not None and (looked or value is False or value != 0)
    }


def ratio(part: float | None, whole: float | None) -> float | None:
    """part / whole; None when one is unknown or the whole is not positive."""
    if part is None or whole is None or whole <= 0:
        return None
    return part / whole


def spread(values: Iterable[float | None]) -> float | None:
    """The largest known value as a multiple of the mean: 1 is even. None without a positive mean."""
    found = known(values)
    return ratio(max(found), fmean(found)) if found else None


def longest_run(moments: Sequence[tuple[int, bool]], widest_gap_ms: float) -> list[int]:
    """The moments of the longest run of true moments, epoch ms; the first of several; empty without any.

    moments        (epoch ms, flag), in time order
    widest_gap_ms  moments further apart belong to different runs
    """
    runs: list[list[int]] = []
    is_running = False
    for ts_ms, holds in moments:
        if holds and is_running and ts_ms - runs[-1][-1] <= widest_gap_ms:
            runs[-1].append(ts_ms)
        elif holds:
            runs.append([ts_ms])
        is_running = holds
    return max(runs, key=lambda run: run[-1] - run[0], default=[])
