"""A view of a log book: the listed records and their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int32]
Moved = npt.NDArray[np.int64]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class View:
    """The records of a search result, in display order.

    positions  their positions in the log book; None for all
    repeats    how many records each one represents, None when each represents itself
    moved      milliseconds added to the times of each file, by its number
    """

    total: int
    positions: Positions | None = None
    repeats: Positions | None = None
    moved: Moved | None = None

    def slice(self, start: int, count: int) -> Positions:
        """The positions of the records from `start` on."""
        start = min(max(start, 0), self.total)
        end = min(start + count, self.total)
        return np.arange(start, end, dtype=np.int32) if self.positions is None else self.positions[start:end]

    def nearest(self, position: int) -> int:
        """The place in the view of a record, or of the next one when it is absent; 0 in an empty view."""
        if self.positions is None:
            return max(min(position, self.total - 1), 0)
        exact = np.flatnonzero(self.positions == position)
        if len(exact):
            return int(exact[0])
        return max(min(int(np.searchsorted(self.positions, position)), self.total - 1), 0)

    @property
    def bytes(self) -> int:
        """Memory that it occupies."""
        return sum(each.nbytes for each in (self.positions, self.repeats) if each is not None)
