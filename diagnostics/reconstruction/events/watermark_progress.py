"""Progress of a watermark: its lag behind the wall clock over time, and periods in which it does not advance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

Moments = Sequence[tuple[int, float]]
"""(epoch ms of the sample, value) in time order."""

FEWEST_MOMENTS = 4
"""Samples that are needed to describe the progress. Our choice."""
EARLY_PART = 0.25
"""Share of the samples at the start, and at the end, whose medians are compared. Our choice."""
STILL_MS = 30_000
"""Shortest standstill that is reported. Our choice: after a shorter one, windows of usual size still fire."""
STILL_MULTIPLE = 3.0
"""Shortest standstill as a multiple of the usual time between two advances, since batches advance a watermark only
every few seconds. Source: Flink documentation, Generating Watermarks (time.idle)."""


@dataclass(frozen=True, slots=True)
class LagCourse:
    """Wall clock minus watermark over time, ms; negative is ahead of the wall clock."""

    first_ms: float
    last_ms: float
    lowest_ms: float
    median_ms: float
    highest_ms: float


def lag_course(watermarks: Moments) -> LagCourse | None:
    """The lag over time; None for fewer than FEWEST_MOMENTS samples."""
    lags = [moment - watermark for moment, watermark in watermarks]
    if len(lags) < FEWEST_MOMENTS:
        return None
    part = max(1, int(len(lags) * EARLY_PART))
    return LagCourse(median(lags[:part]), median(lags[-part:]), min(lags), median(lags), max(lags))


@dataclass(frozen=True, slots=True)
class Standstill:
    """The longest period in which a watermark does not advance.

    usual_step_ms  typical time between two advances
    at_end         whether it had not advanced again at the last sample
    """

    start_ms: int
    length_ms: int
    usual_step_ms: float
    at_end: bool


def standstill(watermarks: Moments) -> Standstill | None:
    """The longest standstill; None when none lasts for STILL_MS and STILL_MULTIPLE times the usual step."""
    if len(watermarks) < FEWEST_MOMENTS:
        return None
    moves = [watermarks[0][0]]
    moves += [after[0] for before, after in itertools.pairwise(watermarks) if after[1] > before[1]]
    last = watermarks[-1][0]
    stretches = [(after - before, before, False) for before, after in itertools.pairwise(moves)]
    steps = [length for length, _, _ in stretches]
    sampling = median(after[0] - before[0] for before, after in itertools.pairwise(watermarks))
    usual = max(median(steps), sampling) if steps else sampling
    stretches.append((last - moves[-1], moves[-1], True))
    length, start, at_end = max(stretches, key=lambda each: (each[0], each[1]))
    if length < max(STILL_MS, STILL_MULTIPLE * usual):
        return None
    return Standstill(start, length, usual, at_end)


def slowest_of(by_subtask: Mapping[int, Moments]) -> Moments:
    """The lowest watermark of all subtasks at each time at which all of them are known."""
    values: dict[int, list[float]] = {}
    for course in by_subtask.values():
        for moment, watermark in course:
            values.setdefault(moment, []).append(watermark)
    return [(moment, min(known)) for moment, known in sorted(values.items()) if len(known) == len(by_subtask)]


def still_since(watermarks: Moments) -> int:
    """The time of the first sample with the last value, epoch ms."""
    last = watermarks[-1][1]
    return next(moment for moment, watermark in watermarks if watermark >= last)


def growth_between(counter: Moments, start_ms: int, end_ms: int) -> float:
    """The increase of a counter between two times; a decrease is a restart from 0."""
    inside = [value for moment, value in counter if start_ms <= moment <= end_ms]
    return sum(after - before if after >= before else after for before, after in itertools.pairwise(inside))
