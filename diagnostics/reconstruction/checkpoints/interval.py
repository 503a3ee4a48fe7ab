"""The checkpoint interval that the durations of a job's checkpoints ask for."""

from __future__ import annotations

from diagnostics.arithmetic.quantiles import known, quantile
from diagnostics.reconstruction.checkpoints.history import History

LONG = 0.95
"""Share of the checkpoints that are to end within half of the interval. Our choice."""
LEAST_INTERVAL_MS = 10_000.0
"""Lower limit of a proposal. Our choice: a checkpoint every ten seconds suits most jobs."""
WHOLE_INTERVAL_MS = 5_000.0
"""Proposed intervals are multiples of it. Our choice: numbers as people write them."""


def fitting_interval_ms(history: History) -> float:
    """Twice the duration that one completed checkpoint in twenty exceeds, in whole steps; milliseconds."""
    long = quantile(known(each.duration_ms for each in history.select_statuses("completed")), LONG)
    return max(LEAST_INTERVAL_MS, rounded_up(2 * (long or 0.0), WHOLE_INTERVAL_MS))


def rounded_up(duration_ms: float, to_ms: float) -> float:
    """The next multiple of `to_ms`."""
    return -(-duration_ms // to_ms) * to_ms
