"""Many numbers of many groups, sorted at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


def in_order(groups: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
    """Both sorted by group, then by value: as one number of 64 bits where they fit, which is ten times as quick.

    groups  from 0 on, at least one
    """
    lowest = int(values.min())
    bits = (int(values.max()) - lowest).bit_length()
    if int(groups.max()).bit_length() + bits > 63:
        order = np.lexsort((values, groups))
        return groups[order], values[order]
    packed = np.sort((groups << bits) | (values - lowest))
    return packed >> bits, (packed & ((1 << bits) - 1)) + lowest


def begins_of(*ordered: Numbers) -> Numbers:
    """Where each different value, or each different combination of values, begins."""
    changes = np.ones(len(ordered[0]), bool)
    changes[1:] = np.logical_or.reduce([np.diff(each) != 0 for each in ordered])
    begins: Numbers = np.flatnonzero(changes)
    return begins
