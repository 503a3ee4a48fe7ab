"""Detects counters that grow in bursts with pauses between them, as sources do whose records arrive in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

STILL_RATIO = 0.02
"""Growth below this share of the largest growth counts as none. Our choice: a heartbeat is no load."""
FEWEST_BURSTS = 4
"""Our choice: fewer do not distinguish a rhythm from an interrupted source."""
LEAST_STILL_RATIO = 0.3
"""Minimum share of steps without growth. Our choice: with fewer the load is uneven, not in bursts."""


@dataclass(frozen=True, slots=True)
class Bursts:
    """Number of bursts, mean distance (ms), and share of the time without growth (0 to 1)."""

    count: int
    interval_ms: float
    still_ratio: float


def bursts(points: Sequence[tuple[int, float]]) -> Bursts | None:
    """The bursts of a counter, (epoch ms, value) in the order of time; None when it has none."""
    steps = [(later[0], later[1] - earlier[1]) for earlier, later in pairwise(points)]
    largest = max((growth for _, growth in steps), default=0.0)
    if largest <= 0:
        return None
    is_still = [growth <= STILL_RATIO * largest for _, growth in steps]
    begun = [ts_ms for (ts_ms, _), before, now in zip(steps[1:], is_still, is_still[1:], strict=False) if before > now]
    still_ratio = sum(is_still) / len(is_still)
    if len(begun) < FEWEST_BURSTS or still_ratio < LEAST_STILL_RATIO:
        return None
    return Bursts(len(begun), (begun[-1] - begun[0]) / (len(begun) - 1), still_ratio)
