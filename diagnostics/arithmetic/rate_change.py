"""Finds the largest change in the rate of a growing counter."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_INTERVALS = 6
"""Minimum number of intervals. Our choice: two on each side and some to compare."""
FEWEST_ON_A_SIDE = 2


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

    def rate(part: Sequence[tuple[int, int, float]]) -> float:
        return sum(grown for _, _, grown in part) * 1000 / sum(end - start for start, end, _ in part)

    def error(part: Sequence[tuple[int, int, float]]) -> float:
        mean = rate(part)
        return sum(((grown * 1000 / (end - start)) - mean) ** 2 * (end - start) for start, end, grown in part)

    splits = range(FEWEST_ON_A_SIDE, len(steps) - FEWEST_ON_A_SIDE + 1)
    best = min(splits, key=lambda at: (error(steps[:at]) + error(steps[at:]), at))
    before, after = steps[: best - 1], steps[best + 1 :]
    return RateChange(steps[best][0], rate(before), rate(after), before[-1][1], after[0][0])
