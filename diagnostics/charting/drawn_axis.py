"""Axes of a figure that is drawn as SVG: from values to pixels, and the labels of its ticks."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

SECOND = 1000.0
TIME_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400)
"""Seconds between two ticks of a time axis."""
MOST_TIMES, MOST_NUMBERS = 8, 5
"""Ticks of an axis, at most. Our choice: their labels do not touch each other."""
HEADROOM = 1.06
"""Multiple of the highest value up to which an axis goes that has no range. Our choice."""


@dataclass(frozen=True, slots=True)
class DrawnAxis:
    """A linear axis, one of dates (epoch ms) or one of categories, whose values are their places.

    low, high    values at both ends
    start, end   pixels of both ends; of an upright axis the end is above the start
    categories   names by place; empty on other axes
    is_date      whether values are epoch ms
    settings     the axis in Plotly's words
    """

    low: float
    high: float
    start: float
    end: float
    categories: Sequence[str]
    is_date: bool
    settings: Mapping[str, Any]

    def number(self, value: Any) -> float | None:
        """A value of a trace as a number; None for a missing one and for an unknown category."""
        if isinstance(value, str) and self.categories:
            return float(self.categories.index(value)) if value in self.categories else None
        return float(value) if isinstance(value, (int, float)) else None

    def at(self, value: float) -> float:
        """The pixel of a number."""
        return self.start + (value - self.low) / ((self.high - self.low) or 1.0) * (self.end - self.start)

    def within(self, value: float) -> float:
        """The pixel of a number, at the nearer end where it lies outside."""
        low, high = sorted((self.low, self.high))
        return self.at(min(max(value, low), high))

    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels."""
        if self.categories:
            every = max(1, math.ceil(len(self.categories) / (abs(self.end - self.start) / 14)))
            return [(float(place), name) for place, name in enumerate(self.categories) if place % every == 0]
        if self.is_date:
            return _times(self.low, self.high)
        if values := self.settings.get("tickvals"):
            texts = self.settings.get("ticktext") or [_number(value) for value in values]
            return list(zip(map(float, values), map(str, texts), strict=True))
        return _numbers(self.low, self.high)


def drawn_axis(settings: Mapping[str, Any], values: Iterable[Any], pixels: tuple[float, float]) -> DrawnAxis:
    """The axis of some values.

    settings  in Plotly's words
    values    of the traces on it; the ends of stacked bars too
    pixels    of its start and end
    """
    known = [value for value in values if value is not None]
    is_category = settings.get("type") == "category" or any(isinstance(value, str) for value in known)
    names = list(dict.fromkeys([*settings.get("categoryarray", ()), *map(str, known)])) if is_category else []
    if settings.get("range"):
        low, high = (float(end) for end in settings["range"])
    elif is_category:
        low, high = -0.5, len(names) - 0.5
    else:
        numbers = [float(value) for value in known] or [0.0, 1.0]
        is_date = settings.get("type") == "date"
        low, high = min(numbers), max(numbers)
        if not is_date:
            low, high = min(low, 0.0), (high * HEADROOM if high > 0 else 1.0)
        elif low == high:
            high = low + SECOND
    return DrawnAxis(low, high, *pixels, names, settings.get("type") == "date", settings)


def _times(low: float, high: float) -> list[tuple[float, str]]:
    seconds = (high - low) / SECOND
    step = next((step for step in TIME_STEPS if seconds / step <= MOST_TIMES), None)
    step = step or math.ceil(seconds / MOST_TIMES / TIME_STEPS[-1]) * TIME_STEPS[-1]
    form = "%m-%d" if step >= TIME_STEPS[-1] else "%H:%M" if step >= 60 else "%H:%M:%S"
    first = math.ceil(low / SECOND / step) * step
    ticks: list[tuple[float, str]] = []
    for second in count(first, step):
        if second * SECOND > high:
            return ticks
        ticks.append((second * SECOND, f"{dt.datetime.fromtimestamp(second, dt.UTC):{form}}"))
    return ticks


def _numbers(low: float, high: float) -> list[tuple[float, str]]:
    rough = (high - low) / MOST_NUMBERS or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * part for part in (1, 2, 5, 10) if power * part >= rough)
    first = math.ceil(low / step - 1e-9)
    return [(place * step, _number(place * step)) for place in range(first, math.floor(high / step + 1e-9) + 1)]


def _number(value: float) -> str:
    return f"{round(value, 9):,g}" if abs(value) < 1e6 else f"{value:,.0f}"
