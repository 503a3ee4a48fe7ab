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


LARGEST = 2**63 - 1

ROOM_OF_A_ROW = 8
MOST_ROOM = 1 << 22
"""Places of a table with one for every combination, for each row and in all. Our choice: 32 MB; in larger ones most
rows miss the processor's cache.
"""


def row_order(columns: Sequence[Numbers]) -> Numbers:
    """Row indexes in the order of some columns, the most important first; stable."""
    import numpy as np

    order = order_by_first(columns[::-1])
    if order is not None:
        return order
    packing = _Packing.of(columns)
    return np.lexsort(columns[::-1]) if packing is None else np.argsort(packing.rows, kind="stable")


def counted_rows(columns: Sequence[Numbers], counts: Numbers) -> tuple[list[Numbers], Numbers]:
    """The distinct combinations of values in order, as columns, and the sum of their counts."""
    import numpy as np

    return _folded(columns, counts, np.add, 0)


def highest_rows(columns: Sequence[Numbers], values: Numbers) -> tuple[list[Numbers], Numbers]:
    """The distinct combinations of values in order, as columns, and the highest further value of each."""
    import numpy as np

    return _folded(columns, values, np.maximum, -LARGEST - 1)


def _folded(columns: Sequence[Numbers], values: Numbers, fold: np.ufunc, least: int) -> tuple[list[Numbers], Numbers]:
    """The distinct combinations of values in order, as columns, and the fold of a further column over each.

    Measured for a row: 60 ns to sort, 15 where states are in order, 3 to 15 to add to a table with a place for every
    combination, and 1 to fold rows that are in order, as cells are that become coarser.
    """
    import numpy as np

    packing = _Packing.of([*columns, values])
    if packing is None:
        order = np.lexsort(columns[::-1])
        begins = group_starts(*(column[order] for column in columns))
        return [column[order[begins]] for column in columns], fold.reduceat(values[order], begins)
    rows, width = packing.rows, packing.widths[-1]
    keys, room = rows >> width, 1 << sum(packing.widths[:-1])
    if room <= min(ROOM_OF_A_ROW * len(rows), MOST_ROOM):
        table, seen = np.full(room, least), np.zeros(room, bool)
        seen[keys] = True
        fold.at(table, keys, values)
        distinct = np.flatnonzero(seen)
        return packing.columns(distinct << width)[:-1], table[distinct]
    if not (keys[1:] >= keys[:-1]).all():
        # Rows need not be moved, and a stable sort merges what states bring in order.
        rows.sort(kind="stable")
        keys, values = rows >> width, packing.columns(rows)[-1]
    begins = group_starts(keys)
    return packing.columns(rows[begins])[:-1], fold.reduceat(values, begins) if len(begins) else values


def sums(values: Numbers, begins: Numbers) -> Numbers:
    """The sum of each group of sorted rows."""
    import numpy as np

    return np.add.reduceat(values, begins) if len(begins) else values


@dataclass(frozen=True, slots=True)
class _Packing:
    """Values of several columns packed into one number of 64 bits, which sorts several times as fast.

    rows     the packed numbers
    lowest   value of each column
    widths   bits of each column
    drops    lowest bits of each column that are 0 in all its values above the lowest, and not packed
    """

    rows: Numbers
    lowest: Sequence[int]
    widths: Sequence[int]
    drops: Sequence[int]

    @classmethod
    def of(cls, columns: Sequence[Numbers]) -> _Packing | None:
        """The packing of these columns; None when they do not fit."""
        import numpy as np

        lowest = [int(column.min(initial=LARGEST)) for column in columns]
        above = [column - least for column, least in zip(columns, lowest, strict=True)]
        # A difference that overflows is negative.
        used = [int(np.bitwise_or.reduce(each)) for each in above]
        drops = [max((bits & -bits).bit_length() - 1, 0) for bits in used]
        widths = [bits.bit_length() - drop for bits, drop in zip(used, drops, strict=True)]
        if sum(widths) > 63 or min(used) < 0:
            return None
        rows = above[0] >> drops[0]
        for each, width, drop in zip(above[1:], widths[1:], drops[1:], strict=True):
            rows <<= width
            rows |= each >> drop if drop else each
        return cls(rows, lowest, widths, drops)

    def columns(self, rows: Numbers) -> list[Numbers]:
        """The values in packed numbers."""
        found, after = [], sum(self.widths)
        for lowest, width, drop in zip(self.lowest, self.widths, self.drops, strict=True):
            after -= width
            found.append((((rows >> after) & ((1 << width) - 1)) << drop) + lowest)
        return found


def extreme_rows(groups: Numbers, count: int, columns: Sequence[Numbers], sign: int = 1) -> Numbers:
    """The first row of each group in the order of the columns, -1 for a group without rows.

    groups   number of each row's group, from 0 to `count` - 1; -1 for an ignored row
    columns  to sort by, the most important first
    sign     -1 for the last row
    """
    import numpy as np

    rows = np.flatnonzero(groups >= 0)
    for column in columns:
        if len(column) and column.min() != column.max():
            values, own = sign * column[rows], groups[rows]
            lowest = np.full(count, LARGEST)
            np.minimum.at(lowest, own, values)
            rows = rows[values == lowest[own]]
    found = np.full(count, -1, np.int64)
    found[groups[rows]] = rows
    return found
