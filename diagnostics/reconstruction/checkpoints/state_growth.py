"""How fast the state of a job grows."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.arithmetic.trend import Trend, trend_of
from diagnostics.reconstruction.checkpoints.history import Checkpoint


def lasting_growth(sized: Sequence[Checkpoint]) -> float | None:
    """Bytes per second by which the state grows, until its end; None when that is no trend: it stopped, or is few.

    In-flight data is no state: it comes and goes with back pressure.
    """
    by_number = {
        each.number: (float(each.triggered_ms), each.own_state_bytes or 0.0) for each in sized if each.triggered_ms
    }
    trend = trend_of(sorted(by_number.values()))
    return trend.slope * 1000 if isinstance(trend, Trend) and trend.slope > 0 else None
