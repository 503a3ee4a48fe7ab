"""Whether the clock of the machine can be trusted to tell the age of what would be deleted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

JUMP_SECONDS = 300.0
"""The clock jumped when it moved so much more or less than time passed. Our choice: NTP sets smaller steps."""
PAUSE_SECONDS = 24 * 3600.0
"""How long nothing is deleted for its age after a jump. Our choice: a day for somebody to set the clock right."""


class SteadyClock:
    """Compares the clock of the machine with the one that only counts.

    A clock that is set a year ahead would have evidence deleted that is to be kept for months.
    """

    def __init__(self, clock: Callable[[], float] = time.time, passing: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._passing = passing
        self._offset = clock() - passing()
        self._jumped_at = float("-inf")

    def is_steady(self) -> bool:
        """False for PAUSE_SECONDS after the clock jumped, unless it is set back meanwhile. Asked every few seconds."""
        passing = self._passing()
        jump = self._clock() - passing - self._offset
        if abs(jump) <= JUMP_SECONDS:
            self._offset += jump  # small corrections are no jump, however many there are
            self._jumped_at = float("-inf")
            return True
        if self._jumped_at == float("-inf"):
            self._jumped_at = passing
            logger.warning(
                "the clock of the machine jumped by %+.0f s: nothing is deleted for its age for %.0f hours",
                jump,
                PAUSE_SECONDS / 3600,
            )
        if passing - self._jumped_at < PAUSE_SECONDS:
            return False
        self._offset += jump
        self._jumped_at = float("-inf")
        return True
