"""Devices with wrong clocks, detected from the lag of their events, and the disorder of the remaining events."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

LEAST_OFFSET_MS = 1_000.0
"""Smallest difference to the other devices that counts as a wrong clock. Our choice: NTP stays well below it."""
LEAST_DELAY_MS = 5_000.0
"""Smallest constant delay that counts as a slow clock; networks alone cause smaller ones. Our choice."""
SPREADS_AHEAD, SPREADS_BEHIND = 2.0, 3.0
"""Smallest offset as a multiple of the usual scatter of one device's lag. It is lower for clocks that are ahead: only a
wrong clock makes events arrive before their event time. Our choice."""
CONSTANT_RATIO = 0.5
"""A lag whose scatter is below this share of the lag is a clock offset, otherwise late delivery. Our choice."""
BOUND_STEP_MS = 100
"""Width of the classes in which estimates of the bound are counted. Our choice: two scrapes can differ by as much."""
BOUND_AGREEMENT_RATIO = 0.25
"""Share of the estimates that must agree for a bound to be reported. Our choice."""
FEWEST_ESTIMATES = 5


@dataclass(frozen=True, slots=True)
class DeviceLag:
    """Arrival minus event time of one device's events, in ms; a negative lag is an event time in the future.

    lowest_ms, highest_ms  lowest and highest median of a time slice
    scatter_ms             median over the slices of p90 - p10
    fast_from_ms           first event half as far ahead as the lowest median, None without a negative one
    """

    key: str
    events: int
    lowest_ms: float
    highest_ms: float
    scatter_ms: float
    fast_from_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Clocks:
    """The devices with wrong clocks or late delivery; in each list the largest offset comes first."""

    fast: tuple[DeviceLag, ...]
    slow: tuple[DeviceLag, ...]
    delayed: tuple[DeviceLag, ...]
    usual_lag_ms: float
    usual_scatter_ms: float


def clocks(devices: Sequence[DeviceLag], usual_lag_ms: float) -> Clocks:
    """Devices whose clock is ahead or behind, or that deliver late at times, compared with the usual lag.

    A clock is fast when the median lag of at least one time slice is negative and clearly below the usual lag. It is
    slow when the lag is clearly above the usual one and scatters little.
    """
    scatter = median(device.scatter_ms for device in devices) if devices else 0.0
    ahead = max(LEAST_OFFSET_MS, SPREADS_AHEAD * scatter)
    behind = max(LEAST_DELAY_MS, SPREADS_BEHIND * scatter)
    fast = [each for each in devices if each.lowest_ms < min(usual_lag_ms - ahead, 0)]
    late = [each for each in devices if each.highest_ms > usual_lag_ms + behind and each not in fast]
    slow = [each for each in late if each.scatter_ms <= CONSTANT_RATIO * each.highest_ms]
    return Clocks(
        fast=tuple(sorted(fast, key=lambda each: (each.lowest_ms, each.key))),
        slow=tuple(sorted(slow, key=lambda each: (-each.highest_ms, each.key))),
        delayed=tuple(
            sorted((each for each in late if each not in slow), key=lambda each: (-each.highest_ms, each.key))
        ),
        usual_lag_ms=usual_lag_ms,
        usual_scatter_ms=scatter,
    )


class LagHistogram:
    """Number of events by lag (ms, rounded to the class in which they were counted)."""

    def __init__(self, counts: Mapping[float, int]) -> None:
        self._counts = sorted(counts.items())
        self.events = sum(counts.values())

    def percentile(self, share: float) -> float | None:
        """The smallest lag that at least `share` of the events do not exceed; None without events."""
        seen = 0
        for lag, count in self._counts:
            seen += count
            if seen >= share * self.events:
                return lag
        return None

    def share_over(self, lag_ms: float) -> float | None:
        """Share of the events with a larger lag; None without events."""
        over = sum(count for lag, count in self._counts if lag > lag_ms)
        return over / self.events if self.events else None

    def curve(self, most: int) -> list[tuple[float, float]]:
        """(lag, share of the events with a larger one), rising lags: every class, or the ends of `most` equal falls.

        The falls are equal in the logarithm of the share, so that the tail has as many points as the body.
        """
        left, points = self.events, []
        for lag, count in self._counts:
            left -= count
            points.append((lag, left / self.events))
        if len(points) <= most:
            return points
        step = math.log(self.events) / (most - 2)
        kept = {round(-math.log(share) / step): (lag, share) for lag, share in reversed(points) if share > 0}
        return [points[0], *sorted(each for each in kept.values() if each != points[0]), points[-1]]

    @property
    def span(self) -> tuple[float, float] | None:
        """Lowest and highest lag."""
        return (self._counts[0][0], self._counts[-1][0]) if self._counts else None


def agreed_bound_ms(estimates: Iterable[float]) -> int | None:
    """The disorder bound on which most estimates (highest event time so far minus watermark) agree, else None.

    Flink's bounded-out-of-orderness watermark is the highest event time so far minus the bound minus 1 ms, so that each
    estimate is bound + 1 unless the sample misses the event with the highest time.
    """
    known = [estimate for estimate in estimates if estimate >= 0]
    if len(known) < FEWEST_ESTIMATES:
        return None
    classes = Counter(round(estimate / BOUND_STEP_MS) for estimate in known)
    best, count = max(classes.items(), key=lambda item: (item[1], -item[0]))
    if count < BOUND_AGREEMENT_RATIO * len(known):
        return None
    return round(median(each for each in known if round(each / BOUND_STEP_MS) == best)) - 1
