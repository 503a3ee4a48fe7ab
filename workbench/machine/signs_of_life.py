"""Whether a worker that should give signs of life has vanished, whatever the clock of the machine does meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

GAP_SECONDS = 12.0
"""Looks further apart than this say nothing of the time between them: the database may have been away. Our choice:
four rounds of the worker."""


@dataclass(slots=True)
class _Observation:
    sign: datetime
    since: float
    last: float


class SignsOfLife:
    """Finds the vanished among those whose last sign of life is a time in the database.

    That time alone proves nothing. A clock that is set forward, and a database or a disk that was away, make the signs
    of all that live look old for a moment; a clock that is set back makes the last sign of a dead one lie in the
    future. So a sign that is more than `silent` from now, in either direction, is looked at again, and counts as the
    last one when it stayed the same for `observed_seconds` of the monotonic clock of this process: several times as
    long as who lives needs for the next one.
    """

    def __init__(self, silent: timedelta, observed_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._silent = silent
        self._observed_seconds = observed_seconds
        self._clock = clock
        self._observed: dict[object, _Observation] = {}
        self._lock = threading.Lock()

    def has_vanished(self, who: object, sign: datetime, now: datetime) -> bool:
        """Whether `who` gave its last sign of life at `sign` and none since; looks at it once more.

        who  what is alive: hashable, and another one for the next attempt at the same work
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
