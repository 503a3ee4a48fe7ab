"""Records, bytes and busy time of subtasks between two metric samples, for jobs without REST answers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from statistics import fmean

from diagnostics.citation import Citation
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, counters_by_vertex
from diagnostics.reconstruction.metrics.series import Point, Series, since_restart

STEP_MS = 30_000
"""Shortest interval between two compared samples. Our choice: the usual distance of REST answers."""
FEWEST_POINTS = 2

SubtaskKey = tuple[str | None, str, int]


@dataclass(frozen=True, slots=True)
class MeteredInterval:
    """One subtask between two samples of its counter of records; values without a metric are None."""

    key: SubtaskKey
    since_ms: int
    until_ms: int
    records: float | None
    records_out: float | None
    bytes_in: float | None
    busy_ratio: float | None
    back_pressured_ratio: float | None
    cite: Callable[[], Citation]


@dataclass(frozen=True, slots=True)
class _Readings:
    """The known values of a series, in time order."""

    times_ms: Sequence[int]
    values: Sequence[float]

    @classmethod
    def of(cls, series: Series | None) -> _Readings:
        """Those of a series; none without one."""
        points = series.points if series is not None else ()
        known = [(point.ts_ms, point.value) for point in points if point.ts_ms is not None and point.value is not None]
        return cls([at for at, _ in known], [value for _, value in known])

    def inside(self, since_ms: int, until_ms: int) -> Sequence[float]:
        """The values between two times, both included."""
        return self.values[bisect_left(self.times_ms, since_ms) : bisect_right(self.times_ms, until_ms)]

    def growth(self, since_ms: int, until_ms: int) -> float | None:
        """By how much a counter grew; None for one that fell or has one value."""
        values = self.inside(since_ms, until_ms)
        return values[-1] - values[0] if len(values) >= FEWEST_POINTS and values[-1] >= values[0] else None

    def mean_ratio(self, since_ms: int, until_ms: int) -> float | None:
        """The mean of milliseconds per second as a ratio."""
        values = self.inside(since_ms, until_ms)
        return min(fmean(values) / 1000, 1.0) if values else None


def metered_intervals(series: MetricSeries) -> Iterator[MeteredInterval]:
    """The intervals of the last attempt of each subtask with a counter of records read."""
    read, written, sizes = (
        _by_subtask(counters_by_vertex(series, name)) for name in ("numRecordsIn", "numRecordsOut", "numBytesIn")
    )
    busy, held = (
        _by_subtask(series.by_vertex(name, operators=False))
        for name in ("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond")
    )
    for key, counter in sorted(read.items(), key=repr):
        records, records_out, bytes_in = (_Readings.of(each.get(key)) for each in (read, written, sizes))
        busy_ms, held_ms = (_Readings.of(each.get(key)) for each in (busy, held))
        for earlier, later in pairwise(_spaced(since_restart(counter.points))):
            span = earlier.ts_ms or 0, later.ts_ms or 0
            yield MeteredInterval(
                key,
                *span,
                records=records.growth(*span),
                records_out=records_out.growth(*span),
                bytes_in=bytes_in.growth(*span),
                busy_ratio=busy_ms.mean_ratio(*span),
                back_pressured_ratio=held_ms.mean_ratio(*span),
                cite=partial(counter.cite, later),
            )


def _by_subtask(series: Mapping[tuple[str | None, str], Sequence[Series]]) -> Mapping[SubtaskKey, Series]:
    return {
        (*vertex, each.subtask): each
        for vertex, of_task in series.items()
        for each in of_task
        if each.subtask is not None
    }


def _spaced(points: Sequence[Point]) -> list[Point]:
    """The first point, and each next one that is at least STEP_MS later."""
    chosen: list[Point] = []
    for point in points:
        if point.ts_ms is not None and (not chosen or point.ts_ms - (chosen[-1].ts_ms or 0) >= STEP_MS):
            chosen.append(point)
    return chosen
