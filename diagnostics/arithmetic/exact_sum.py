"""Sums of floating-point numbers that do not depend on order and grouping."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]


def sums_of_groups(groups: Numbers, numbers: Floats, rests: Floats) -> tuple[Floats, Floats]:
    """The sum of each group, and the remainder that does not fit into a double.

    groups   of each number, in ascending order
    rests    of numbers that are sums themselves; else 0

    Rounding errors are summed separately (Knuth's two-sum, in pairs), which gives some thirty digits: rounded to a
    double, the result is independent of the order.
    """
    import numpy as np

    while len(groups) and (np.diff(groups) == 0).any():
        begins = np.flatnonzero(np.append(True, np.diff(groups) != 0))
        place = np.arange(len(groups)) - np.repeat(begins, np.diff(np.append(begins, len(groups))))
        left = np.flatnonzero((place % 2 == 0) & np.append(np.diff(groups) == 0, False))
        one, other = numbers[left], numbers[left + 1]
        together = one + other
        taken = together - one
        numbers, rests = numbers.copy(), rests.copy()
        rests[left] += rests[left + 1] + ((one - (together - taken)) + (other - taken))
        numbers[left] = together
        kept = np.ones(len(groups), bool)
        kept[left + 1] = False
        groups, numbers, rests = groups[kept], numbers[kept], rests[kept]
    return numbers, rests
