"""The checkpoint interval that the durations of a job's checkpoints ask for."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.arithmetic.quantiles import FEWEST_FOR_P95, highest, known, quantile
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.counted_course import counted_course
from diagnostics.reconstruction.checkpoints.history import History
from diagnostics.reconstruction.checkpoints.timeout import lasted_ms
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series

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
    completed = known(each.duration_ms for each in history.select_statuses("completed"))
    return max(interval_ms, fitting_interval_ms(completed))


def completed_durations_ms(evidence: Evidence, history: History) -> list[float]:
    """How long the completed checkpoints of a job took; as its metrics show it where no file lists any."""
    if history.checkpoints:
        return known(each.duration_ms for each in history.select_statuses("completed"))
    counted = counted_course(metric_series(evidence), history.job_id, only_one(cluster_of(evidence).job_names))
    return [lasted for _, lasted in counted.durations_ms] if counted else []


def fitting_interval_ms(durations: Sequence[float]) -> float:
    """Twice the duration that one completed checkpoint in twenty exceeds, in whole steps; milliseconds."""
    return max(LEAST_INTERVAL_MS, rounded_up(2 * (long_duration_ms(durations) or 0.0), WHOLE_INTERVAL_MS))


def long_duration_ms(durations: Sequence[float]) -> float | None:
    """The duration that one completed checkpoint in twenty exceeds; of fewer than twenty the longest. None of none."""
    return quantile(durations, LONG) if len(durations) >= FEWEST_FOR_P95 else max(durations, default=None)


def rounded_up(duration_ms: float, to_ms: float) -> float:
    """The next multiple of `to_ms`."""
    return -(-duration_ms // to_ms) * to_ms
