"""The straight line through points in time, and how much of what differs it explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

LEAST_FIT = 0.5
"""A line that explains a smaller part of the variance is no trend. Our choice."""


@dataclass(frozen=True, slots=True)
class Line:
    """value = level + slope * (x - origin).

    explained  the part of the values' variance that the line explains, 0 to 1 (the coefficient of determination)
    """

    origin: float
    level: float
    slope: float
    explained: float

    def at(self, x: float) -> float:
        """The line's value at x."""
        return self.level + self.slope * (x - self.origin)

    def meets(self, value: float) -> float | None:
        """Where the line has a value; None for a flat one."""
        return self.origin + (value - self.level) / self.slope if self.slope else None


def line_through(points: Sequence[tuple[float, float]]) -> Line | None:
    """The line of least squares; None for fewer than three points, or when all lie at one x."""
    if len(points) < 3:
        return None
    origin, level = fmean(x for x, _ in points), fmean(y for _, y in points)
    square = sum((x - origin) ** 2 for x, _ in points)
    if not square:
        return None
    slope = sum((x - origin) * (y - level) for x, y in points) / square
    whole = sum((y - level) ** 2 for _, y in points)
    left = sum((y - level - slope * (x - origin)) ** 2 for x, y in points)
    return Line(origin, level, slope, max(1 - left / whole, 0.0) if whole else 1.0)


def trend_through(points: Sequence[tuple[float, float]]) -> Line | None:
    """The line of least squares if it explains at least `LEAST_FIT` of the variance; None when there is no trend."""
    line = line_through(points)
    return line if line and line.explained >= LEAST_FIT else None
