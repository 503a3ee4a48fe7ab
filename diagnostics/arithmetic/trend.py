"""The trend of values over time with its error, and when it reaches a value; or why there is none.

The slope is the median of the slopes between all pairs of points, which single outliers do not move (P. K. Sen,
Estimates of the regression coefficient based on Kendall's tau, 1968). Its interval of 95 % is the one of Kendall's
statistic from the same article, widened where neighbouring points are on the same side of the line (K. H. Hamed,
A. R. Rao, A modified Mann-Kendall trend test for autocorrelated data, 1998).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np

from diagnostics.language import say, to_say

LEAST_POINTS = 8
"""Fewer points show no trend: of seven that do not change, one order in a hundred looks like one. Our choice."""

LEAST_MONOTONE = 5
"""From this number of points on, fewer than LEAST_POINTS show a trend when each is above (or below) the one before: of
values that do not change, one order in sixty does so. Our choice, for callers that ask for it.
"""

LEAST_EXPLAINED = 0.5
"""By this part points lie nearer to the line than to their median, by the median distance of both. Our choice."""

LATEST_PART = 1 / 3
"""The slope of the last third must agree with that of the whole: a plateau or a break at the end ends a trend."""

LEAST_LATEST, MOST_LATEST = 0.5, 2.0
"""The last third agrees when its slope lies between these multiples of the slope of the whole. Our choice."""

MOST_AHEAD = 5.0
"""A trend is extrapolated to this multiple of the observed time. Our choice."""

MOST_POINTS = 400
"""Of more points every n-th is taken: the pairs grow with the square."""

Z = 1.96
"""Standard deviations on both sides that hold 95 % of a normal distribution."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reached:
    """Where a trend reaches a value: by its slope, and by the ends of the slope's interval.

    latest  None when the trend reaches it beyond what may be foreseen
    """

    earliest: float
    expected: float
    latest: float | None


@dataclass(frozen=True, slots=True)
class Trend:
    """value = level + slope * (x - origin).

    slope_low, slope_high  the interval of 95 %
    error                  the median distance of a point from the line
    first, last            the x between which it was observed
    """

    origin: float
    level: float
    slope: float
    slope_low: float
    slope_high: float
    error: float
    first: float
    last: float

    def at(self, x: float) -> float:
        """The line's value at x."""
        return self.level + self.slope * (x - self.origin)

    def reaches(self, value: float) -> Reached | None:
        """Where the trend meets a value after the last point; None where it does not, or too far away to foresee."""
        furthest = self.last + MOST_AHEAD * (self.last - self.first)
        meetings = [self._meets(value, slope) for slope in (self.slope_low, self.slope, self.slope_high)]
        expected = meetings[1]
        if expected is None or not self.last < expected <= furthest:
            return None
        ends = [each for each in (meetings[0], meetings[2]) if each is not None]
        earliest, latest = min(ends, default=expected), max(ends, default=expected)
        return Reached(max(earliest, self.last), expected, latest if latest <= furthest else None)

    def _meets(self, value: float, slope: float) -> float | None:
        return self.origin + (value - self.level) / slope if slope else None


@dataclass(frozen=True, slots=True)
class NoTrend:
    """Why points have no trend, as the end of a sentence that begins with "because"."""

    because: str


CHANGED_LATELY = {
    (True, True): to_say("the values rise faster in the last third"),
    (True, False): to_say("the values rise more slowly, or no more, in the last third"),
    (False, True): to_say("the values fall faster in the last third"),
    (False, False): to_say("the values fall more slowly, or no more, in the last third"),
}
CHANGED_AT_END = {
    (True, True): to_say("the values rise faster at the end"),
    (True, False): to_say("the values rise more slowly, or no more, at the end"),
    (False, True): to_say("the values fall faster at the end"),
    (False, False): to_say("the values fall more slowly, or no more, at the end"),
}
"""(Whether the values rise, whether they do so faster than before) -> why a line does not describe them."""


def trend_of(points: Sequence[Point], least: int = LEAST_POINTS) -> Trend | NoTrend:
    """The trend of points (x, value) in the order of x.

    least  LEAST_MONOTONE for a trend of fewer points too, when they rise or fall from each to the next
    """
    if len(points) < least:
        return NoTrend(say("{count} points are too few, {least} are needed", count=len(points), least=least))
    if len(points) < LEAST_POINTS:
        return _trend_of_few(points)
    chosen = points[:: -(-len(points) // MOST_POINTS)]
    slopes = _slopes(chosen)
    if not len(slopes):
        return NoTrend(say("all points have the same time"))
    slope = float(np.median(slopes))
    origin = median(x for x, _ in chosen)
    level = median(y - slope * (x - origin) for x, y in chosen)
    residuals = [y - level - slope * (x - origin) for x, y in chosen]
    error = median(map(abs, residuals))
    half = Z * math.sqrt(len(chosen) * (len(chosen) - 1) * (2 * len(chosen) + 5) / 18)
    if _interval(slopes, half)[0] <= 0 <= _interval(slopes, half)[1]:
        return NoTrend(say("the values scatter more than they rise or fall"))
    last_part = _slopes(chosen[-max(round(len(chosen) * LATEST_PART), LEAST_POINTS // 2) :])
    latest = float(np.median(last_part)) if len(last_part) else 0.0
    if not LEAST_LATEST <= latest / slope <= MOST_LATEST:
        return NoTrend(say(CHANGED_LATELY[slope > 0, latest / slope > MOST_LATEST]))
    low, high = _interval(slopes, half * _inflation(residuals))
    middle = median(y for _, y in chosen)
    if low <= 0 <= high or error > (1 - LEAST_EXPLAINED) * median(abs(y - middle) for _, y in chosen):
        return NoTrend(say("the values do not follow a line"))
    return Trend(origin, level, slope, low, high, error, points[0][0], points[-1][0])


def _trend_of_few(points: Sequence[Point]) -> Trend | NoTrend:
    """The trend of points that rise or fall at each step; its interval is that of the slopes between neighbours."""
    if any(later[0] <= earlier[0] for earlier, later in pairwise(points)):
        return NoTrend(say("some points have the same time"))
    steps = [(later[1] - earlier[1]) / (later[0] - earlier[0]) for earlier, later in pairwise(points)]
    if min(steps) <= 0 <= max(steps):
        return NoTrend(say("{count} points that do not rise or fall at each step are too few", count=len(points)))
    slope = float(np.median(_slopes(points)))
    latest = median(steps[-2:])
    if not LEAST_LATEST <= latest / slope <= MOST_LATEST:
        return NoTrend(say(CHANGED_AT_END[slope > 0, latest / slope > MOST_LATEST]))
    origin = median(x for x, _ in points)
    level = median(y - slope * (x - origin) for x, y in points)
    error = median(abs(y - level - slope * (x - origin)) for x, y in points)
    return Trend(origin, level, slope, min(steps), max(steps), error, points[0][0], points[-1][0])


def _slopes(points: Sequence[Point]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The slopes between all pairs of points of different x, in ascending order."""
    x, y = np.array(points, dtype=np.float64).T
    one, other = np.triu_indices(len(x), k=1)
    apart = x[other] != x[one]
    return np.sort((y[other] - y[one])[apart] / (x[other] - x[one])[apart])


def _interval(slopes: np.ndarray[tuple[int], np.dtype[np.float64]], half: float) -> tuple[float, float]:
    """The slopes `half` ranks below and above the median."""
    ranks = ((len(slopes) - half) / 2, (len(slopes) + half) / 2)
    low, high = (float(slopes[min(max(int(rank), 0), len(slopes) - 1)]) for rank in ranks)
    return low, high


def _inflation(residuals: Sequence[float]) -> float:
    """By how much the interval widens because neighbours resemble each other: sqrt((1 + r) / (1 - r))."""
    square = sum(each * each for each in residuals)
    if not square:
        return 1.0
    beside = sum(one * other for one, other in pairwise(residuals)) / square
    beside = min(max(beside, 0.0), 0.9)
    return math.sqrt((1 + beside) / (1 - beside))
