"""A metric of one subtask, operator or process over time, with the places of its samples in the files."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from diagnostics.citation import Citation
from diagnostics.wording.cited_text import COUNTED, cited_text, sample_text
from diagnostics.wording.phrase import duration

BUSY = "busyTimeMsPerSecond"
LEAST_ANSWERED_MS = 11_000
"""Least time after another sample at which an answer in JSON is newer: REST gives values that it fetched up to 10 s
before (metrics.fetcher.update-interval), and two answers within that time may repeat a value, which is no calm. Our
choice: a second more."""

Subtask = tuple[str | None, str | None, int | None]
"""Job, task (its id, else its name) and number of a subtask."""


class Point(NamedTuple):
    """One sample with its place in the file. The value None is an unknown value, not a missing sample."""

    ts_ms: int | None
    value: float | None
    file_id: int
    line: int | None
    last_line: int | None
    pointer: str | None


@dataclass(frozen=True, slots=True)
class Counted:
    """What a point of a gauge was computed from: the sample of a counter of time, and the time it covers."""

    counter: str
    count: float
    span_ms: int


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one subtask, operator or process, in time order.

    host            of a process that nothing else names, such as a JobManager
    counted_before  of a counter of a job: what it had counted when the evidence begins
    counted         epoch ms of a point -> the counter's sample that it was computed from and that is at its place
    is_numbered     whether the file states the subtask; else its number only keeps processes apart
    """

    metric: str
    job_id: str | None
    vertex_id: str | None
    vertex: str | None
    operator: str | None
    subtask: int | None
    task_manager: str | None
    points: tuple[Point, ...]
    counted_before: float = 0.0
    counted: Mapping[int, Counted] = field(default_factory=dict)
    is_numbered: bool = True
    host: str | None = None

    @property
    def subtask_key(self) -> Subtask:
        """The subtask that it belongs to."""
        return self.job_id, self.vertex_id or self.vertex, self.subtask

    @property
    def known(self) -> tuple[Point, ...]:
        """The points whose value is known."""
        return tuple([point for point in self.points if point.value is not None])

    def cite(self, point: Point) -> Citation:
        """The citation of one of its points."""
        place = self.operator or self.vertex or self.task_manager
        subtask = self.subtask if self.is_numbered else None
        shown = "unknown" if point.value is None else f"{point.value:.15g}"
        counted = self.counted.get(point.ts_ms) if point.ts_ms is not None else None
        if counted and point.value is not None:
            over = duration(counted.span_ms)
            shown = cited_text(COUNTED, count=f"{counted.count:.15g}", rate=f"{point.value:.0f}", duration=over)
            text = sample_text(counted.counter, subtask, place, shown)
            return Citation.of(point, "metric", text, name=counted.counter, value=counted.count)
        text = sample_text(self.metric, subtask, place, shown)
        return Citation.of(point, "metric", text, name=self.metric, value=point.value)


def since_restart(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points of a counter since its last restart: a new attempt counts from 0."""
    known = [point for point in points if point.value is not None]
    values = itertools.pairwise(point.value or 0.0 for point in known)
    falls = [place for place, (before, after) in enumerate(values, 1) if after < before]
    return tuple(known[falls[-1] if falls else 0 :])


def without_old_answers(points: Sequence[Point]) -> list[Point]:
    """The dated points with a known value, but for answers of REST that may be older than the sample before them.

    Such an answer is a file with one sample; JSON of Prometheus has many, at their own times.
    """
    in_file = Counter(point.file_id for point in points)
    fresh: list[Point] = []
    for point in points:
        if point.ts_ms is None or point.value is None:
            continue
        before_ms = fresh[-1].ts_ms if fresh else None
        is_answer = point.pointer is not None and in_file[point.file_id] == 1
        if not is_answer or before_ms is None or point.ts_ms - before_ms >= LEAST_ANSWERED_MS:
            fresh.append(point)
    return fresh


def increase(points: Sequence[Point]) -> float:
    """The increase of a counter over the points; after a restart it counts from 0 again."""
    known = [point.value for point in points if point.value is not None]
    return sum(after - before if after >= before else after for before, after in itertools.pairwise(known))
