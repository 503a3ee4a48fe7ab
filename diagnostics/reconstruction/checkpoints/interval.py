"""The checkpoint interval that the durations of a job's checkpoints ask for."""

from __future__ import annotations

from diagnostics.arithmetic.quantiles import FEWEST_FOR_P95, highest, known, quantile
from diagnostics.reconstruction.checkpoints.history import History
from diagnostics.reconstruction.checkpoints.timeout import lasted_ms

LONG = 0.95
"""Share of the checkpoints that are to end within half of the interval. Our choice."""
LEAST_INTERVAL_MS = 10_000.0
"""Lower limit of a proposal. Our choice: a checkpoint every ten seconds suits most jobs."""
WHOLE_INTERVAL_MS = 5_000.0
"""Proposed intervals are multiples of it. Our choice: numbers as people write them."""

RECENT = 5
"""How many of the last checkpoints describe the current state. Our choice."""
SAFE = 0.5
"""A checkpoint should take less than half of its timeout (vocabulary/sources/bounds.yaml)."""


def next_interval_ms(history: History, interval_ms: float, timeout_ms: float | None) -> float:
    """The interval to come: the present one while the last checkpoints complete within half of the timeout, so that
    nothing asks for another; else the longer one that the durations ask for.
    """
    last = history.select_statuses("completed", "expired")[-RECENT:]
    longest = highest(lasted_ms(each, timeout_ms) for each in last)
    has_failed = any(history.outcomes()[-RECENT:])
    if longest is not None and timeout_ms is not None and longest < SAFE * timeout_ms and not has_failed:
        return interval_ms
    return max(interval_ms, fitting_interval_ms(history))


def fitting_interval_ms(history: History) -> float:
    """Twice the duration that one completed checkpoint in twenty exceeds, in whole steps; milliseconds."""
    return max(LEAST_INTERVAL_MS, rounded_up(2 * (long_duration_ms(history) or 0.0), WHOLE_INTERVAL_MS))


def long_duration_ms(history: History) -> float | None:
    """The duration that one completed checkpoint in twenty exceeds; of fewer than twenty the longest. None of none."""
    durations = known(each.duration_ms for each in history.select_statuses("completed"))
    return quantile(durations, LONG) if len(durations) >= FEWEST_FOR_P95 else max(durations, default=None)


def rounded_up(duration_ms: float, to_ms: float) -> float:
    """The next multiple of `to_ms`."""
    return -(-duration_ms // to_ms) * to_ms
