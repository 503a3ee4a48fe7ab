"""Rows sorted by several columns of numbers, and the first row of each group in an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diagnostics.arithmetic.row_groups import begins_of_runs

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]


def row_order(columns: Sequence[Numbers]) -> Numbers:
    """The places of the rows in the order of some columns, the most important first; equal rows stay as they are."""
    import numpy as np

    if not len(columns[0]):
        return np.empty(0, np.int64)
    packed, bits = np.zeros(len(columns[0]), np.int64), 0
    for column in columns:
        lowest = int(column.min())
        width = (int(column.max()) - lowest).bit_length()
        bits += width
        if bits > 63:
            return np.lexsort(columns[::-1])
        # One number of 64 bits is sorted several times as quickly as several keys.
        packed = (packed << width) | (column - lowest)
    return np.argsort(packed, kind="stable")


def equal_rows(columns: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """The rows in the order of some columns, and where in that order each different combination of values begins."""
    order = row_order(columns)
    return order, begins_of_runs(*(column[order] for column in columns))


def sums(values: Numbers, begins: Numbers) -> Numbers:
    """The sum of each group of sorted rows."""
    import numpy as np

    return np.add.reduceat(values, begins) if len(begins) else values


def extreme_rows(groups: Numbers, count: int, columns: Sequence[Numbers]) -> Numbers:
    """The first row of each group in the order of the columns, -1 for a group without rows.

    groups   the number of each row's group, from 0 to `count` - 1; -1 for a row that does not count
    columns  to order by, the most important first
    """
    import numpy as np

    rows = np.flatnonzero(groups >= 0)
    for column in columns:
        values, own = column[rows], groups[rows]
        if len(values) and values.min() != values.max():
            lowest = np.full(count, np.iinfo(np.int64).max)
            np.minimum.at(lowest, own, values)
            rows = rows[values == lowest[own]]
    found = np.full(count, -1, np.int64)
    found[groups[rows]] = rows
    return found
