"""Event time: late records and the lag of watermarks."""

from __future__ import annotations

from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import Reading, reading_of_number


def _late(observed: Observed) -> Reading | None:
    share = observed.number("late_records.dropped_ratio")
    return reading_of_number(share, 0.001) if share is not None else None


def _lag(observed: Observed) -> Reading | None:
    lag = observed.number("watermarks.lag_median_ms")
    return reading_of_number(lag, 1000.0) if lag is not None else None


def _ahead(observed: Observed) -> Reading | None:
    ahead = observed.number("watermarks.ahead_ratio")
    return reading_of_number(ahead, 0.01) if ahead is not None else None


QUANTITIES = (
    Quantity(
        "late", "Late records", "percent", _late, least=0.001, sound=0.001, source="our choice: one in a thousand"
    ),
    Quantity("ahead", "Time that the watermark was ahead of the wall clock", "percent", _ahead, least=0.01, sound=0.0),
    Quantity("lag", "Watermark behind the wall clock, usual", "duration", _lag, least=1000.0),
)
