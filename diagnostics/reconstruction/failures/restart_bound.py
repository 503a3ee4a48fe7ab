"""When a restart strategy will end a job that goes on to fail."""

from __future__ import annotations

import re

_RATE = re.compile(
    r"failuresIntervalMS=(?P<window>\d{1,15}),backoffTimeMS=\d{1,15},maxFailuresPerInterval=(?P<most>\d{1,9})\b"
)
_FIXED = re.compile(r"\bmaxNumberRestartAttempts=(?P<most>\d{1,9})\b")
"""Source: Flink's FailureRateRestartBackoffTimeStrategy and FixedDelayRestartBackoffTimeStrategy, toString."""


def gives_up_after_ms(strategy: str, interval_ms: float) -> float | None:
    """The time from a first failure until the job is failed for good, ms, with one failure in each interval; None where
    it is restarted again and again, or for another strategy.

    A failure rate ends the job at the first failure above its number within its window, a fixed delay at the first one
    above its attempts. Source: as above, canRestart.
    """
    if rate := _RATE.search(strategy):
        after_ms = int(rate["most"]) * interval_ms
        return after_ms if after_ms <= int(rate["window"]) else None
    fixed = _FIXED.search(strategy)
    return int(fixed["most"]) * interval_ms if fixed else None
