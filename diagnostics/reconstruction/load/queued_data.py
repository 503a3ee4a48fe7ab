"""Bytes that wait in the network buffers between the tasks of a job, over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.timeline import MOMENT_MS
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series

QUEUES = (
    ("buffers.inputQueueSize", "Shuffle.Netty.Input.Buffers.inputQueueSize"),
    ("buffers.outputQueueSize", "Shuffle.Netty.Output.Buffers.outputQueueSize"),
)
"""Bytes queued at the inputs and outputs of a subtask, under both names that Flink reports; since 1.15. Source: Flink
documentation, Metrics, and Flink 1.15 release notes (FLINK-24789)."""
MOST_OF_THEM = 0.9
"""Share of a job's queues that a moment must have: fewer are a scrape that reached some TaskManagers only. Our choice.
"""
HALF = 0.5
"""From this share of the highest value on, the queues count as filled. Our choice."""


@dataclass(frozen=True, slots=True)
class QueuedData:
    """The bytes in all queues of a job at each moment (epoch ms), in time order; `largest` are the fullest queues."""

    moments: Sequence[tuple[int, float]]
    largest: tuple[Citation, ...]

    @property
    def peak(self) -> tuple[int, float]:
        """The moment with most bytes."""
        return max(self.moments, key=lambda each: (each[1], -each[0]))

    @property
    def filled(self) -> Sequence[int]:
        """The longest run of moments at which the queues hold at least half of the most; of equal runs the last."""
        longest: list[int] = []
        run: list[int] = []
        for ts_ms, size in self.moments:
            run = [*run, ts_ms] if size >= HALF * self.peak[1] else []
            longest = run if len(run) >= len(longest) and run else longest
        return longest

    @property
    def usual_before(self) -> float | None:
        """The usual bytes at other times before that run; None when the queues were full from the start."""
        first = self.filled[0]
        before = [size for ts_ms, size in self.moments if ts_ms < first and size < HALF * self.peak[1]]
        return median(before) if before else None


@read_once
def queued_data(evidence: Evidence) -> Mapping[str | None, QueuedData]:
    """Job -> the bytes in its queues, computed once for each Evidence.

    A barrier of an aligned checkpoint waits behind these bytes, and an unaligned one writes them. Queues of local
    channels count once, at the output.

    Reads   metric_sample (inputQueueSize, outputQueueSize).
    """
    series = metric_series(evidence)
    only_job = only_one(cluster_of(evidence).job_names)
    by_job: dict[str | None, list[Series]] = defaultdict(list)
    for names in QUEUES:
        for each in _first_named(series, names):
            by_job[each.job_id or only_job].append(each)
    queued = {job_id: _queued(queues) for job_id, queues in sorted(by_job.items(), key=lambda item: repr(item[0]))}
    return {job_id: data for job_id, data in queued.items() if data is not None}


def _first_named(series: MetricSeries, names: Sequence[str]) -> Sequence[Series]:
    """The series of the first of the names that has any: both name the same gauge."""
    return next((named for name in names if (named := [each for each in series.of(name) if each.known])), [])


def _queued(queues: Sequence[Series]) -> QueuedData | None:
    by_moment: dict[int, dict[int, float]] = defaultdict(dict)
    for place, queue in enumerate(queues):
        for point in queue.known:
            if point.ts_ms is not None and point.value is not None:
                by_moment[point.ts_ms // MOMENT_MS * MOMENT_MS][place] = point.value
    moments = [
        (ts_ms, sum(sizes.values()))
        for ts_ms, sizes in sorted(by_moment.items())
        if len(sizes) >= MOST_OF_THEM * len(queues)
    ]
    if not moments or not any(size > 0 for _, size in moments):
        return None
    fullest = sorted(queues, key=lambda queue: -max(point.value or 0.0 for point in queue.known))[:3]
    largest = tuple(queue.cite(max(queue.known, key=lambda point: point.value or 0.0)) for queue in fullest)
    return QueuedData(moments, largest)
