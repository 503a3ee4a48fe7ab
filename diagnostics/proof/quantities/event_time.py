"""Event time: late records and the lag of watermarks."""

from __future__ import annotations

from diagnostics.language import to_say
from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import Reading, reading_of_course, reading_of_number, reading_of_share


def _late(observed: Observed) -> Reading | None:
    dropped, whole = observed.number("late_records.dropped"), observed.number("late_records.records_in")
    if dropped is None or whole is None:
        share = observed.number("late_records.dropped_ratio")
        return reading_of_number(share) if share is not None else None
    return reading_of_share(round(min(dropped, whole)), round(whole))


def _lag(observed: Observed) -> Reading | None:
    """The lag of the root cause's task, else the largest of the job at each moment."""
    vertices = [vertex for job in observed.jobs_of("watermarks") for vertex in job["vertices"] if vertex["lag_ms"]]
    own = [vertex for vertex in vertices if vertex["vertex"] == observed.vertex]
    moments = zip(*(vertex["lag_ms"] for vertex in own or vertices), strict=False)
    lags = [max(known) for moment in moments if (known := [each for each in moment if each is not None])]
    if lags:
        return reading_of_course(lags)
    usual = observed.number("watermarks.lag_median_ms")
    return reading_of_number(usual) if usual is not None else None


def _ahead(observed: Observed) -> Reading | None:
    ahead, samples = observed.number("watermarks.ahead_ratio"), observed.number("watermarks.samples")
    if ahead is None or not samples:
        return None
    return reading_of_share(round(ahead * samples), round(samples))


QUANTITIES = (
    Quantity(
        "late",
        to_say("Late records"),
        "percent",
        _late,
        least=0.001,
        sound=0.001,
        source=to_say("our choice: one in a thousand"),
    ),
    Quantity(
        "ahead",
        to_say("Time that the watermark was ahead of the wall clock"),
        "percent",
        _ahead,
        least=0.01,
        sound=0.0,
    ),
    Quantity("lag", to_say("Watermark behind the wall clock"), "duration", _lag, least=1000.0),
)
