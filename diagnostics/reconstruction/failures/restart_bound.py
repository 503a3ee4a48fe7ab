"""The restart strategy of a job, and when it will end one that goes on to fail."""

from __future__ import annotations

import re
from collections.abc import Sequence

from diagnostics.evidence.subject import FactValue

STRATEGY = re.compile(r"(?:strategy|suppressed by) ([A-Za-z]{1,80})")
ATTEMPTS = re.compile(r"max(?:NumberRestart)?Attempts=(\d{1,10})")
"""The restart strategy's attempts, in texts of at most 2,000 characters. Source: ExecutionGraph and
RestartBackoffTimeStrategy.
"""
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


def strategy_facts(said: Sequence[str], interval_ms: FactValue) -> dict[str, FactValue]:
    """The restart strategy, how often it restarts, and when it would end the job, at the pace of its restarts.

    said  what names it: a log as the job starts, and the failure with which it ends the job
    """
    facts: dict[str, FactValue] = {}
    if named := next(filter(None, map(STRATEGY.search, said)), None):
        facts["strategy"] = named[1]
    if attempts := next(filter(None, map(ATTEMPTS.search, said)), None):
        facts["attempts_allowed"] = int(attempts[1])
    if isinstance(interval_ms, (int, float)):
        known = (gives_up_after_ms(each, interval_ms) for each in said)
        facts["gives_up_after_ms"] = next((each for each in known if each is not None), None)
    return facts
