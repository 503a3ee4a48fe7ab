"""Records, bytes and busy time of subtasks between two metric samples, for jobs without REST answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from diagnostics.citation import Citation
from diagnostics.reconstruction.metrics.metric_series import (
    MetricSeries,
    Point,
    Series,
    counters_by_vertex,
    since_restart,
)

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
    citation: Citation


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
        for earlier, later in pairwise(_spaced(since_restart(counter.points))):
            since_ms, until_ms = earlier.ts_ms or 0, later.ts_ms or 0
            span = (since_ms, until_ms)
            yield MeteredInterval(
                key,
                since_ms,
                until_ms,
                records=_grown(counter, span),
                records_out=_grown(written.get(key), span),
                bytes_in=_grown(sizes.get(key), span),
                busy_ratio=_mean_ratio(busy.get(key), span),
                back_pressured_ratio=_mean_ratio(held.get(key), span),
                citation=counter.cite(later),
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


def _grown(counter: Series | None, span: tuple[int, int]) -> float | None:
    values = _inside(counter, span)
    return values[-1] - values[0] if len(values) >= FEWEST_POINTS and values[-1] >= values[0] else None


def _mean_ratio(gauge: Series | None, span: tuple[int, int]) -> float | None:
    values = _inside(gauge, span)
    return min(fmean(values) / 1000, 1.0) if values else None


def _inside(series: Series | None, span: tuple[int, int]) -> list[float]:
    if series is None:
        return []
    return [
        point.value
        for point in series.known
        if point.ts_ms is not None and point.value is not None and span[0] <= point.ts_ms <= span[1]
    ]
