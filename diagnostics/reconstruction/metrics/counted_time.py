"""Busy and back-pressured time by their counters, instead of gauges that are means of 60 s."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from diagnostics.reconstruction.metrics.series import BUSY, LEAST_ANSWERED_MS, Counted, Point, Series

TIME_COUNTERS = {BUSY: "accumulateBusyTimeMs", "backPressuredTimeMsPerSecond": "accumulateBackPressuredTimeMs"}
"""Gauge -> the counter of the same time. The gauge is a mean of the last 60 s, which shows trouble up to a minute late
and never as high as a short one was. Source: Flink's TimerGauge, DEFAULT_TIME_SPAN_IN_SECONDS."""
LEAST_COUNTED_MS, MOST_COUNTED_MS = 4_500, 60_000
"""The time between two samples of such a counter that gives a ratio. Source: Flink's View updates it every 5 s, and a
scrape may be early; our choice for the most: the time over which the gauge itself is a mean.
"""
MOSTLY_COUNTED_MS = MOST_COUNTED_MS // 2
"""So soon after a counter's sample a gauge is for the most part a mean of what the counter has shown already: it would
report trouble that has ended since. Our choice: half of the time over which it is a mean.
"""

RESTARTED = 0.5
"""A counter that falls below this part of its value belongs to a new attempt. After a smaller fall it goes on: Flink
counts a wait when it ends, and takes it from what it had counted as busy. Our choice: a new attempt begins near 0."""


def counted_ratio(samples: Sequence[Point]) -> float | None:
    """The part of the time of its samples in which a counter of time counted, 0 to 1; None without two of an attempt.

    From sample to sample it may fall, which no ratio of an interval shows: their mean is higher than this one. A last
    sample that repeats the one before after a long time is of a task that has ended.
    """
    timed = [(point.ts_ms, point.value) for point in samples if point.ts_ms is not None and point.value is not None]
    if len(timed) > 2 and timed[-1][1] == timed[-2][1] and timed[-1][0] - timed[-2][0] > MOST_COUNTED_MS:
        timed.pop()
    counted = span_ms = 0.0
    for (before_ms, before), (after_ms, after) in pairwise(timed):
        if after >= RESTARTED * before:
            counted += after - before
            span_ms += after_ms - before_ms
    return min(max(counted / span_ms, 0.0), 1.0) if span_ms else None


def by_counted_time(series: Sequence[Series]) -> list[Series]:
    """The series; gauges of busy and back-pressured time have the ratios of their counters instead of means of 60 s."""
    counters = {
        (each.metric, *each.subtask_key): each.known for each in series if each.metric in TIME_COUNTERS.values()
    }
    return [
        _counted_gauge(each, counters.get((TIME_COUNTERS[each.metric], *each.subtask_key), ()))
        if each.metric in TIME_COUNTERS and each.operator is None
        else each
        for each in series
    ]


def _counted_gauge(gauge: Series, samples: Sequence[Point]) -> Series:
    """The gauge with a point at each sample of its counter; its own points remain where the counter has none.

    Not the one at which counting begins: the mean of an attempt's first minute holds its start, which is busy.
    """
    points: dict[int, Point] = {}
    counted: dict[int, Counted] = {}
    spans: list[tuple[int, int]] = []
    earlier = 0
    for place, point in enumerate(samples):
        until_ms = point.ts_ms or 0
        least_ms = LEAST_COUNTED_MS if point.pointer is None else LEAST_ANSWERED_MS
        while earlier + 1 < place and until_ms - (samples[earlier + 1].ts_ms or 0) >= least_ms:
            earlier += 1
        before = samples[earlier]
        span_ms, grown = until_ms - (before.ts_ms or 0), (point.value or 0.0) - (before.value or 0.0)
        goes_on = (point.value or 0.0) >= RESTARTED * (before.value or 0.0)
        if least_ms <= span_ms <= MOST_COUNTED_MS and goes_on:
            points[until_ms] = point._replace(value=min(max(grown / span_ms, 0.0), 1.0) * 1000)
            counted[until_ms] = Counted(TIME_COUNTERS[gauge.metric], point.value or 0.0, span_ms)
            spans.append((until_ms - span_ms, until_ms))
    if not points:
        return gauge
    begins = [since_ms for since_ms, _ in spans]
    for point in gauge.points:
        place = bisect_right(begins, point.ts_ms or 0)
        if not place or (point.ts_ms or 0) > spans[place - 1][1] + MOSTLY_COUNTED_MS:
            points.setdefault(point.ts_ms or 0, point)
    return replace(gauge, points=tuple(points[ts_ms] for ts_ms in sorted(points)), counted=counted)
