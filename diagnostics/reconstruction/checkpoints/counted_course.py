"""The checkpoints of a job from the JobManager's metrics: outcomes, durations and sizes, but no checkpoint ids."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.citation import Citation
from diagnostics.reconstruction.metrics.metric_series import MetricSeries
from diagnostics.reconstruction.metrics.series import Point, Series

COMPLETED, FAILED = "numberOfCompletedCheckpoints", "numberOfFailedCheckpoints"
IN_PROGRESS = "numberOfInProgressCheckpoints"
DURATION = "lastCheckpointDuration"
FULL_SIZE, SIZE = "lastCheckpointFullSize", "lastCheckpointSize"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Checkpoints that ended between two samples of the counters.

    count   how many ended; more than one when samples are far apart
    before  how many checkpoints had completed before them
    """

    ts_ms: int
    is_failure: bool
    count: int
    before: int


@dataclass(frozen=True, slots=True)
class CountedCourse:
    """The checkpoints of one job according to its metrics.

    completed, failed  the highest values of the counters, which restart from 0 with each JobManager, without what they
                       had counted when the evidence begins
    outcomes           the checkpoints that ended while the metrics were sampled, in time order
    durations_ms       (epoch ms, duration) of each completed checkpoint that a sample shows, in time order; without the
                       time where no sample of the gauge has one
    full_bytes, bytes  full size and written bytes of these checkpoints, in time order
    running_ms         how long a checkpoint had been running at the last sample without any checkpoint ending
    first_ms, last_ms  the first and the last sample of the counters, epoch ms
    """

    completed: int
    failed: int
    outcomes: tuple[Outcome, ...]
    durations_ms: tuple[tuple[int | None, float], ...]
    full_bytes: tuple[float, ...]
    bytes: tuple[float, ...]
    running_ms: float | None
    first_ms: int | None
    last_ms: int | None
    citations: tuple[Citation, ...]

    @property
    def completed_before_failure(self) -> int | None:
        """Completed checkpoints before the first failure; None when it happened before the first sample."""
        if not self.failed:
            return None
        seen = sum(each.count for each in self.outcomes if each.is_failure)
        seen_completed = sum(each.count for each in self.outcomes if not each.is_failure)
        if self.failed > seen:
            return 0 if self.completed == seen_completed else None
        return next(each.before for each in self.outcomes if each.is_failure)

    @property
    def completed_after_failure(self) -> int | None:
        """Checkpoints that completed after the last failure and after the first sample."""
        if not self.failed:
            return None
        after = 0
        for each in reversed(self.outcomes):
            if each.is_failure:
                break
            after += each.count
        return after

    def last_outcomes(self, most: int) -> list[bool]:
        """Whether each of the last checkpoints failed, in order; empty when no checkpoint ended between samples."""
        flags = [flag for each in self.outcomes for flag in [each.is_failure] * min(each.count, most)]
        return flags[-most:]


def counted_course(series: MetricSeries, job_id: str | None, only_job: str | None) -> CountedCourse | None:
    """The checkpoints of one job; None when the metrics count neither completed nor failed ones.

    only_job  the job that series without a job id belong to
    """
    completed, failed, durations, in_progress = (
        _longest(series.of(name), job_id, only_job) for name in (COMPLETED, FAILED, DURATION, IN_PROGRESS)
    )
    if completed is None and failed is None:
        return None
    outcomes = _outcomes(completed, failed)
    moments = [point.ts_ms for each in (completed, failed) if each for point in each.known if point.ts_ms is not None]
    return CountedCourse(
        completed=_highest(completed),
        failed=_highest(failed),
        outcomes=outcomes,
        durations_ms=tuple(_values_of_completed(durations, outcomes)),
        full_bytes=tuple(
            value for _, value in _values_of_completed(_longest(series.of(FULL_SIZE), job_id, only_job), outcomes)
        ),
        bytes=tuple(value for _, value in _values_of_completed(_longest(series.of(SIZE), job_id, only_job), outcomes)),
        running_ms=_running_ms(in_progress, outcomes),
        first_ms=min(moments, default=None),
        last_ms=max(moments, default=None),
        citations=tuple(_citation_of_highest(each) for each in (completed, failed, durations) if each and each.known),
    )


def _longest(series: Sequence[Series], job_id: str | None, only_job: str | None) -> Series | None:
    """The series of the job with most points, which is that of the JobManager that was leader longest."""
    own = [each for each in series if (each.job_id or only_job) == job_id and each.known]
    return max(own, key=lambda each: len(each.known), default=None)


def _highest(counter: Series | None) -> int:
    if counter is None:
        return 0
    return round(max((point.value or 0.0 for point in counter.known), default=0.0) - counter.counted_before)


def _citation_of_highest(series: Series) -> Citation:
    return series.cite(max(series.known, key=lambda point: (point.value or 0.0, point.ts_ms or 0)))


def _outcomes(completed: Series | None, failed: Series | None) -> tuple[Outcome, ...]:
    """The increases of both counters; a failure sorts before a completion between the same samples."""
    growths: list[tuple[int, bool, int]] = []
    for counter, is_failure in ((failed, True), (completed, False)):
        points = _dated(counter)
        for earlier, later in itertools.pairwise(points):
            before, after = earlier.value or 0.0, later.value or 0.0
            grown = round(after - before if after >= before else after)
            if grown:
                growths.append((later.ts_ms or 0, not is_failure, grown))
    done = 0
    if completed is not None and _dated(completed):
        done = round((_dated(completed)[0].value or 0.0) - completed.counted_before)
    outcomes = []
    for ts_ms, is_completion, count in sorted(growths):
        outcomes.append(Outcome(ts_ms, not is_completion, count, done))
        done += count if is_completion else 0
    return tuple(outcomes)


def _dated(series: Series | None) -> list[Point]:
    return [point for point in series.known if point.ts_ms is not None] if series else []


def _values_of_completed(gauge: Series | None, outcomes: Sequence[Outcome]) -> list[tuple[int | None, float]]:
    """The first value of the gauge and its value after each completion; a changed value also counts as a completion.

    Scrapes without a time are in their order (`scrape_order`), so that their values show a course as well.
    """
    points = _dated(gauge)
    if gauge is not None and not points:
        shown = [point.value for point in gauge.known if point.value is not None]
        return [(None, value) for place, value in enumerate(shown) if not place or value != shown[place - 1]]
    ends = [each.ts_ms for each in outcomes if not each.is_failure]
    values: list[tuple[int | None, float]] = []
    for index, point in enumerate(points):
        if point.value is None or point.ts_ms is None:
            continue
        before = points[index - 1] if index else None
        ended = before is not None and bisect_right(ends, point.ts_ms) > bisect_right(ends, before.ts_ms or 0)
        if before is None or ended or point.value != before.value:
            values.append((point.ts_ms, point.value))
    return values


def _running_ms(in_progress: Series | None, outcomes: Sequence[Outcome]) -> float | None:
    """How long at least one checkpoint was in progress at every sample since the last checkpoint ended."""
    since = max((each.ts_ms for each in outcomes), default=None)
    begin: int | None = None
    end: int | None = None
    for point in _dated(in_progress):
        if since is not None and (point.ts_ms or 0) < since:
            continue
        if not point.value:
            begin = None
            continue
        begin = begin if begin is not None else point.ts_ms
        end = point.ts_ms
    return float(end - begin) if begin is not None and end is not None and end > begin else None
