"""Merges cells of a histogram into coarser ones while there are too many; coarser cells are unions of finer ones.

The number of distinct cells of any level only grows with the rows. So the finest level with few enough cells is the
same however the rows were cut and in whichever order their states were merged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

LARGEST_BITS = 52
"""Values from 2^52 on count as 2^52, so that their logarithm is exact. Our choice: 142,000 years in ms."""


def few_cells(
    cells: pa.Table,
    most: int,
    last_level: int,
    group: Callable[[pa.Table, int], pa.Table],
    at_least: Callable[[pa.Table, int], int] | None = None,
) -> pa.Table:
    """The cells at the finest level with at most `most` cells; at `last_level` there may be more.

    cells     with the column `level`, at which each was made
    group     (cells, level) -> equal cells of that level merged; both without the column `level`
    at_least  (cells, level) -> a lower bound of the number of cells at that level, which costs less than merging them
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    level = pc.max(cells["level"]).as_py() or 0
    while at_least is not None and level < last_level and at_least(cells, level) > most:
        level += 1
    found = group(cells.drop_columns("level"), level)
    while found.num_rows > most and level < last_level:
        level += 1
        found = group(found, level)
    return found.append_column("level", pa.repeat(pa.scalar(level, pa.int8()), found.num_rows))


def slot_starts(times: Numbers, shift: int) -> Numbers:
    """Start of the slot of length 2^shift that contains each time."""
    return (times >> shift) << shift


def truncated(values: Numbers, bits: int, finest: int) -> Numbers:
    """Each value reduced to its most significant bits, and without those below 2^finest; signs are kept."""
    import numpy as np

    sign = values >> 63
    size = np.minimum(values ^ sign, 1 << LARGEST_BITS).astype(np.float64)
    # A floating-point number of 64 bits begins with sign, exponent and its most significant bits.
    bits_of_size = size.view(np.int64)
    bits_of_size &= -(1 << (53 - bits))
    shortened: Numbers = size.astype(np.int64)
    shortened &= -(1 << finest)
    shortened ^= sign
    return shortened


def middles(values: Numbers, bits: int, finest: int) -> Numbers:
    """The middle of the values that `truncated` maps to each of these."""
    sign = values >> 63
    size = values ^ sign
    middle: Numbers = (size + ((1 << _dropped(size, bits, finest)) >> 1)) ^ sign
    return middle


def widths(values: Numbers, bits: int, finest: int) -> Numbers:
    """The number of values that `truncated` maps to each of these."""
    sign = values >> 63
    width: Numbers = 1 << _dropped(values ^ sign, bits, finest)
    return width


def _dropped(size: Numbers, bits: int, finest: int) -> Numbers:
    import numpy as np

    dropped: Numbers = np.maximum(np.frexp(size.astype(np.float64))[1].astype(np.int64) - bits, finest)
    return dropped
