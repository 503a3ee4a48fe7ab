"""Whether the machine's clock is reliable enough for deletions by age."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

JUMP_SECONDS = 300.0
"""The clock jumped when it deviates by more than this from elapsed time. Our choice: NTP makes smaller steps."""
PAUSE_SECONDS = 24 * 3600.0
"""How long nothing is deleted by age after a jump. Our choice: a day for somebody to set the clock right."""


class SteadyClock:
    """Compares the machine's clock with the monotonic one.

    Otherwise a clock that is set a year ahead would delete evidence that must be kept for months.
    """

    def __init__(self, clock: Callable[[], float] = time.time, passing: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._passing = passing
        self._offset = clock() - passing()
        self._jumped_at = float("-inf")

    def is_steady(self) -> bool:
        """False for PAUSE_SECONDS after the clock jumped, unless it is set back meanwhile. Called every few seconds."""
        passing = self._passing()
        jump = self._clock() - passing - self._offset
        if abs(jump) <= JUMP_SECONDS:
            self._offset += jump  # small corrections are no jump, even when they add up
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
