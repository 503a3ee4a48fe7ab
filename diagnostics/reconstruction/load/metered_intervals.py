"""Records, bytes and busy time of subtasks between two metric samples, for jobs without REST answers."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise, repeat
from statistics import fmean
from typing import NamedTuple

from diagnostics.citation import Citation
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, counters_by_vertex
from diagnostics.reconstruction.metrics.series import Point, Series, since_restart

STEP_MS = 30_000
"""Shortest interval between two compared samples. Our choice: the usual distance of REST answers."""
FEWEST_POINTS = 2
LATE_MS = 5_000
"""By how much a value that REST gives may usually be older than the answer. Our choice: half of the default of
metrics.fetcher.update-interval, 10 s.
"""

SubtaskKey = tuple[str | None, str, int]
Span = tuple[int, int]


class Interval(NamedTuple):
    """One subtask between two answers or samples, or between the start of its attempt and the first answer.

    cite  makes its citation, which few of very many intervals need
    """

    job_id: str | None
    vertex_id: str
    subtask: int
    until_ms: int
    length_ms: float
    records: float | None
    bytes_in: float | None
    busy_ms: float | None
    back_pressured_ms: float | None
    cite: Callable[[], Citation]


@dataclass(frozen=True, slots=True)
class _Readings:
    """The known values of a series, in time order."""

    times_ms: tuple[int, ...]
    values: Sequence[float]

    @classmethod
    def of(cls, series: Series | None) -> _Readings:
        """Those of a series; none without one."""
        points = series.points if series is not None else ()
        known = [(point.ts_ms, point.value) for point in points if point.ts_ms is not None and point.value is not None]
        return cls(tuple(at for at, _ in known), [value for _, value in known])

    def growth(self, spans: tuple[Span, ...]) -> Iterable[float | None]:
        """By how much a counter grew in each span; None where it fell or has one value."""
        if not self.values:
            return repeat(None, len(spans))
        values = self.values
        return [
            values[end - 1] - values[first]
            if end - first >= FEWEST_POINTS and values[end - 1] >= values[first]
            else None
            for first, end in _inside(self.times_ms, spans)
        ]

    def mean_part(self, spans: tuple[Span, ...]) -> Iterable[float | None]:
        """The part of each span, ms, that a gauge of milliseconds per second has in the mean."""
        if not self.values:
            return repeat(None, len(spans))
        return [
            (until - since) * min(fmean(self.values[first:end]) / 1000, 1.0) if end > first else None
            for (since, until), (first, end) in zip(spans, _inside(self.times_ms, spans), strict=True)
        ]


@lru_cache(maxsize=8)
def _inside(times_ms: tuple[int, ...], spans: tuple[Span, ...]) -> tuple[tuple[int, int], ...]:
    """Where the values of each span, both ends included, begin and end: the same for all subtasks of one scrape."""
    return tuple((bisect_left(times_ms, since), bisect_right(times_ms, until)) for since, until in spans)


def metered_intervals(series: MetricSeries, only_job: str | None = None) -> Iterator[Interval]:
    """The intervals of the last attempt of each subtask with a counter of records read.

    only_job  the job that series without a job id belong to
    """
    read, sizes = (_by_subtask(counters_by_vertex(series, name)) for name in ("numRecordsIn", "numBytesIn"))
    busy, held = (
        _by_subtask(series.by_vertex(name, operators=False))
        for name in ("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond")
    )
    for key in sorted(read, key=repr):
        counter = read[key]
        job_id, vertex_id, subtask = key
        points = _spaced(since_restart(counter.points))
        spans = tuple((earlier.ts_ms or 0, later.ts_ms or 0) for earlier, later in pairwise(points))
        columns = (
            _Readings.of(counter).growth(spans),
            _Readings.of(sizes.get(key)).growth(spans),
            _Readings.of(busy.get(key)).mean_part(spans),
            _Readings.of(held.get(key)).mean_part(spans),
        )
        for (since, until), later, *values in zip(spans, points[1:], *columns, strict=True):
            place = job_id or only_job, vertex_id, subtask, until, float(until - since)
            yield Interval._make((*place, *values, partial(counter.cite, later)))


def _by_subtask(series: Mapping[tuple[str | None, str], Sequence[Series]]) -> Mapping[SubtaskKey, Series]:
    return {
        (*vertex, each.subtask): each
        for vertex, of_task in series.items()
        for each in of_task
        if each.subtask is not None
    }


def _spaced(points: Sequence[Point]) -> list[Point]:
    """The first point, each next one that is at least STEP_MS later, and the last one in place of the one before where
    less than STEP_MS is left: the intervals between them cover all of the time.

    A last one less than LATE_MS after the one before is left out: it may be of the moment of that one.
    """
    chosen: list[Point] = []
    next_ms: float = -math.inf
    for point in points:
        if point.ts_ms is not None and point.ts_ms >= next_ms:
            chosen.append(point)
            next_ms = point.ts_ms + STEP_MS
    dated = [point for point in points if point.ts_ms is not None]
    if len(dated) >= FEWEST_POINTS and (dated[-1].ts_ms or 0) - (dated[-2].ts_ms or 0) < LATE_MS:
        dated.pop()
    if len(chosen) >= FEWEST_POINTS and chosen[-1] is not dated[-1]:
        chosen[-1] = dated[-1]
    return chosen
