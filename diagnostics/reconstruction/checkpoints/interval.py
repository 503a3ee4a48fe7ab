"""The checkpoint interval that the durations of a job's checkpoints ask for."""

from __future__ import annotations

from diagnostics.arithmetic.quantiles import FEWEST_FOR_P95, known, quantile
from diagnostics.reconstruction.checkpoints.history import History

LONG = 0.95
"""Share of the checkpoints that are to end within half of the interval. Our choice."""
LEAST_INTERVAL_MS = 10_000.0
"""Lower limit of a proposal. Our choice: a checkpoint every ten seconds suits most jobs."""
WHOLE_INTERVAL_MS = 5_000.0
"""Proposed intervals are multiples of it. Our choice: numbers as people write them."""


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
