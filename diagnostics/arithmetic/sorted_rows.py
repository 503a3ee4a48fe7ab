"""Sorts rows by several numeric columns, and selects the first row of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.arithmetic.row_groups import group_starts, order_by_first

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]


def row_order(columns: Sequence[Numbers]) -> Numbers:
    """Row indexes in the order of some columns, the most important first; stable."""
    import numpy as np

    order = order_by_first(columns[::-1])
    if order is not None:
        return order
    packing = _Packing.of(columns)
    return np.lexsort(columns[::-1]) if packing is None else np.argsort(packing.pack(columns), kind="stable")


def equal_rows(columns: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
    """Row indexes in the order of some columns, and the start of each distinct combination of values in that order."""
    order = row_order(columns)
    return order, group_starts(*(column[order] for column in columns))


def counted_rows(columns: Sequence[Numbers], counts: Numbers) -> tuple[list[Numbers], Numbers]:
    """The distinct combinations of values in order, as columns, and the sum of their counts."""
    import numpy as np

    packing = _Packing.of(columns)
    if packing is None or (counts != 1).any():
        order, begins = equal_rows(columns)
        return [column[order[begins]] for column in columns], sums(counts[order], begins)
    # Rows need not be moved: sorting numbers is several times as fast as sorting indexes.
    packed = np.sort(packing.pack(columns))
    begins = group_starts(packed)
    return packing.unpack(packed[begins]), np.diff(begins, append=len(packed))


def sums(values: Numbers, begins: Numbers) -> Numbers:
    """The sum of each group of sorted rows."""
    import numpy as np

    return np.add.reduceat(values, begins) if len(begins) else values


@dataclass(frozen=True, slots=True)
class _Packing:
    """Packs values of several columns into one number of 64 bits, which sorts several times as fast.

    lowest  value of each column
    widths  bits of each column
    """

    lowest: Sequence[int]
    widths: Sequence[int]

    @classmethod
    def of(cls, columns: Sequence[Numbers]) -> _Packing | None:
        """The packing of these columns; None when they do not fit."""
        if not len(columns[0]):
            return cls([0] * len(columns), [0] * len(columns))
        lowest = [int(column.min()) for column in columns]
        widths = [(int(column.max()) - least).bit_length() for column, least in zip(columns, lowest, strict=True)]
        return cls(lowest, widths) if sum(widths) <= 63 else None

    def pack(self, columns: Sequence[Numbers]) -> Numbers:
        packed = columns[0] - self.lowest[0]
        for column, lowest, width in zip(columns[1:], self.lowest[1:], self.widths[1:], strict=True):
            packed = (packed << width) | (column - lowest)
        return packed

    def unpack(self, packed: Numbers) -> list[Numbers]:
        columns: list[Numbers] = []
        for lowest, width in zip(reversed(self.lowest), reversed(self.widths), strict=True):
            columns.insert(0, (packed & ((1 << width) - 1)) + lowest)
            packed = packed >> width
        return columns


def extreme_rows(groups: Numbers, count: int, columns: Sequence[Numbers]) -> Numbers:
    """The first row of each group in the order of the columns, -1 for a group without rows.

    groups   number of each row's group, from 0 to `count` - 1; -1 for an ignored row
    columns  to sort by, the most important first
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
