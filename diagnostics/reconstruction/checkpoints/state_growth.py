"""How fast the state of a job grows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from diagnostics.arithmetic.trend import Trend, trend_of
from diagnostics.reconstruction.checkpoints.history import Checkpoint
from diagnostics.reconstruction.metrics.metric_series import MetricSeries

FULL_SIZE = "lastCheckpointFullSize"
"""The gauge of the whole state, since Flink 1.15; `lastCheckpointSize` is what an incremental checkpoint added."""


def lasting_growth(sized: Sequence[Checkpoint]) -> float | None:
    """Bytes per second by which the state grows, until its end; None when that is no trend: it stopped, or is few.

    In-flight data is no state: it comes and goes with back pressure.
    """
    by_number = {
        each.number: (float(each.triggered_ms), each.own_state_bytes or 0.0) for each in sized if each.triggered_ms
    }
    return growth_per_second(sorted(by_number.values()))


def metered_states(series: MetricSeries) -> Mapping[str | None, Sequence[tuple[float, float]]]:
    """Job -> (epoch ms, bytes of the whole state) where its gauge changed, in time order."""
    states: dict[str | None, list[tuple[float, float]]] = defaultdict(list)
    for each in series.of(FULL_SIZE):
        for point in each.known:
            of_job = states[each.job_id]
            if point.ts_ms is not None and point.value and (not of_job or of_job[-1][1] != point.value):
                of_job.append((float(point.ts_ms), point.value))
    return {job: sorted(of_job) for job, of_job in states.items() if len(of_job) > 1}


def growth_per_second(states: Sequence[tuple[float, float]]) -> float | None:
    """Bytes per second by which a state of (epoch ms, bytes) in time order grows; None when that is no trend."""
    trend = trend_of(states)
    return trend.slope * 1000 if isinstance(trend, Trend) and trend.slope > 0 else None
