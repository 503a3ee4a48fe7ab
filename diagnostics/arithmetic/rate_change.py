"""Finds the largest change in the rate of a growing counter."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]

FEWEST_INTERVALS = 6
"""Minimum number of intervals. Our choice: two on each side and some to compare."""
FEWEST_ON_A_SIDE = 2
ROUNDING = 1e-12
"""Part of the sum of squares by which splits differ by rounding alone. Our choice: a steady rate has no best split."""


@dataclass(frozen=True, slots=True)
class RateChange:
    """Mean rates in units per second before and after the moment that separates them best.

    What was counted on a side by its time: most intervals of a counter that grows in bursts are far from their mean.
    The intervals beside the moment are left out where others remain: one of them contains the change.

    until_ms  end of the time before, `from_ms` beginning of the time after
    """

    at_ms: int
    before_per_s: float
    after_per_s: float
    until_ms: int
    from_ms: int


def rate_change(counter: Sequence[tuple[int, float]]) -> RateChange | None:
    """The split of the counter's course into two rates with the least squared error; None when it is too short.

    counter  (epoch ms, value) in time order; a value that falls restarted from 0.
    """
    steps = [
        (before[0], after[0], after[1] - before[1] if after[1] >= before[1] else after[1])
        for before, after in itertools.pairwise(counter)
        if after[0] > before[0]
    ]
    if len(steps) < FEWEST_INTERVALS:
        return None

    start, end, grown = np.array(steps, np.float64).T
    best = _best_split(grown, end - start)

    def rate(part: slice) -> float:
        return float(grown[part].sum() * 1000 / (end[part] - start[part]).sum())

    before, after = slice(best - 1), slice(best + 1, None)
    return RateChange(steps[best][0], rate(before), rate(after), steps[best - 2][1], steps[best + 1][0])


def _best_split(grown: Numbers, lasted: Numbers) -> int:
    """The number of steps before the split with the least squared error, the first of equally good ones.

    The error is least where the means of both sides are furthest from that of all, weighted by their time: one pass of
    sums finds it, since courses have a sample each few seconds over days.
    """
    apart = grown - lasted * (grown.sum() / lasted.sum())
    before = slice(FEWEST_ON_A_SIDE - 1, len(grown) - FEWEST_ON_A_SIDE)
    time_before = np.cumsum(lasted)[before]
    gain = np.cumsum(apart)[before] ** 2 * (1 / time_before + 1 / (lasted.sum() - time_before))
    chance = ROUNDING * float((grown**2 / lasted).sum())
    return int(np.argmax(gain >= gain.max() - chance)) + FEWEST_ON_A_SIDE
