"""Pearson's correlation of pairs with its interval of 95 %, and the shift in time at which it is highest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

LEAST_PAIRS = 8
"""Fewer pairs give no correlation: of seven that do not depend on each other, one set in twenty has |r| above 0.75."""
Z = 1.96
"""Standard deviations on both sides that hold 95 % of a normal distribution."""
CLEARLY_HIGHER = 0.1
"""By this much a shifted correlation exceeds the unshifted one to count as a shift. Our choice."""

Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r of some pairs.

    low, high  interval of 95 % by Fisher's transformation (R. A. Fisher, On the probable error of a coefficient of
               correlation, 1921); it assumes pairs that do not depend on each other
    rises      whether the interval is above 0, also without any one of the pairs: otherwise a single outlier makes it
    """

    r: float
    low: float
    high: float
    pairs: int
    rises: bool


def correlation(pairs: Sequence[Pair]) -> Correlation | None:
    """The correlation; None for fewer than LEAST_PAIRS pairs or when one side does not vary."""
    found = _fisher(pairs) if len(pairs) >= LEAST_PAIRS else None
    if found is None:
        return None
    r, low, high = found
    rises = low > 0 and all(
        (without := _fisher([*pairs[:place], *pairs[place + 1 :]])) is not None and without[1] > 0
        for place in range(len(pairs))
    )
    return Correlation(r, low, high, len(pairs), rises)


def _fisher(pairs: Sequence[Pair]) -> tuple[float, float, float] | None:
    """r and its interval; None when one side does not vary."""
    x, y = np.array(pairs, dtype=np.float64).T
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    if not scale:
        return None
    r = min(max(float(x @ y) / scale, -1.0), 1.0)
    within = min(max(r, -0.999999), 0.999999)
    half = Z / math.sqrt(len(pairs) - 3)
    return r, math.tanh(math.atanh(within) - half), math.tanh(math.atanh(within) + half)


def highest_shifted(
    shifts_ms: Iterable[int], pairs_at: Callable[[int], Sequence[Pair]]
) -> tuple[int, Correlation] | None:
    """The shift with the highest correlation; 0 unless another one is clearly higher. None without a correlation.

    pairs_at  a shift in ms -> the pairs when one side is read that much earlier
    """
    known = {shift: found for shift in (0, *shifts_ms) if (found := correlation(pairs_at(shift))) is not None}
    if not known:
        return None
    best = max(known, key=lambda shift: (round(known[shift].r, 3), -abs(shift)))
    if 0 in known and known[best].r - known[0].r < CLEARLY_HIGHER:
        best = 0
    return best, known[best]
