"""Detects workers that stopped sending signs of life, independent of changes of the machine's clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

GAP_SECONDS = 12.0
"""Observations further apart say nothing of the time between them: the database may have been away. Our choice: four
rounds of the worker.
"""


@dataclass(slots=True)
class _Observation:
    sign: datetime
    since: float
    last: float


class SignsOfLife:
    """Detects the lost among those whose last sign of life is a time in the database.

    That time alone proves nothing. A clock set forward, or a database or disk that was away, make all live ones look
    old for a moment; a clock set back puts the last sign of a dead one into the future. So a sign that differs from now
    by more than `silent`, in either direction, is observed again, and counts as the last one when it is unchanged for
    `observed_seconds` of this process's monotonic clock: several times the interval of signs.
    """

    def __init__(self, silent: timedelta, observed_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._silent = silent
        self._observed_seconds = observed_seconds
        self._clock = clock
        self._observed: dict[object, _Observation] = {}
        self._lock = threading.Lock()

    def has_vanished(self, who: object, sign: datetime, now: datetime) -> bool:
        """Whether `who` has sent no sign of life after `sign`; adds one observation.

        who  hashable identity; another one for the next attempt at the same work
        now  by the clock that wrote the sign
        """
        seconds = self._clock()
        with self._lock:
            for known, earlier in list(self._observed.items()):
                if seconds - earlier.last > GAP_SECONDS:
                    del self._observed[known]
            if abs(now - sign) <= self._silent:
                self._observed.pop(who, None)
                return False
            observation = self._observed.get(who)
            if observation is None or observation.sign != sign:
                observation = self._observed[who] = _Observation(sign, seconds, seconds)
            observation.last = seconds
            if seconds - observation.since < self._observed_seconds:
                return False
            del self._observed[who]
            return True
