"""Where the boxes of a job graph are: sources on the left and sinks on the right, on a phone from top to bottom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

HEIGHT = 74
"""Pixels of a box."""
MARGIN = 6
BEND = 24
"""Pixels by which an arrow beside the boxes of a column bends outwards."""
HEAD = 8, 4
"""Length and half the width of an arrow head, in pixels."""

Spot = tuple[float, float]
"""Left and upper edge of a box."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """The pixels between the tasks of a graph.

    is_down      one below the other in the order of the flow, which fits a phone
    width        of a box
    name_length  characters of a task's name that a box has room for
    """

    is_down: bool
    width: int
    name_length: int

    @property
    def line(self) -> int:
        """From the upper edge of a box to that of the one below."""
        return HEIGHT + 30

    @property
    def column(self) -> int:
        """From the left edge of a box to that of the one on its right, with room for arrows."""
        return self.width + (BEND + 16 if self.is_down else 40)

    def spots(self, job: Mapping[str, Any], top: float) -> tuple[dict[str, Spot], int]:
        """The spot of each task of a job whose drawing begins at `top`, and the number of lines."""
        lines: dict[int, count[int]] = {}
        spots: dict[str, Spot] = {}
        lowest = 0
        for vertex in sorted(job["vertices"], key=lambda each: each["depth"] if self.is_down else 0):
            depth = vertex["depth"]
            line = next(lines.setdefault(0 if self.is_down else depth, count()))
            spots[vertex["id"]] = (0 if self.is_down else depth * self.column, top + line * self.line + MARGIN)
            lowest = max(lowest, line)
        return spots, lowest + 1

    def columns(self, job: Mapping[str, Any]) -> int:
        """How many boxes of a job are side by side."""
        return 1 if self.is_down else 1 + max((vertex["depth"] for vertex in job["vertices"]), default=0)

    def arrow(self, source: Spot, target: Spot) -> str:
        """The path of SVG from a box to a box."""
        if not self.is_down:
            start, end = (source[0] + self.width, source[1] + HEIGHT / 2), (target[0], target[1] + HEIGHT / 2)
            bend = (end[0] - start[0]) / 2
            return _curve(start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end) + _head(end, (-1, 0))
        if target[1] - source[1] == self.line:
            middle = source[0] + self.width / 2
            start, end = (middle, source[1] + HEIGHT), (middle, target[1])
            return _curve(start, start, end, end) + _head(end, (0, -1))
        # It passes other tasks, so it leaves and enters at the side.
        side = source[0] + self.width
        start, end = (side, source[1] + HEIGHT / 2), (side, target[1] + HEIGHT / 2 - 10)
        return _curve(start, (side + BEND, start[1]), (side + BEND, end[1]), end) + _head(end, (1, 0))


ACROSS = Boxes(is_down=False, width=200, name_length=24)
DOWN = Boxes(is_down=True, width=288, name_length=36)


def _curve(start: Spot, first: Spot, second: Spot, end: Spot) -> str:
    return f"M {_at(start)} C {_at(first)} {_at(second)} {_at(end)} "


def _head(end: Spot, back: tuple[int, int]) -> str:
    """The head of an arrow; `back` is the direction from its point to its base."""
    (x, y), (length, half) = end, HEAD
    base = (x + back[0] * length, y + back[1] * length)
    one = (base[0] - back[1] * half, base[1] - back[0] * half)
    other = (base[0] + back[1] * half, base[1] + back[0] * half)
    return f"M {_at(one)} L {_at(end)} L {_at(other)}"


def _at(spot: Spot) -> str:
    return f"{spot[0]:.0f},{spot[1]:.0f}"
