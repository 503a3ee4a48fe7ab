"""What the JobManager of a job's cluster states over time, such as its TaskManagers and slots."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.job.clusters import clusters_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Point


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number that one cluster's JobManager stated.

    levels     (epoch ms, value) in order, never none; 0 is an unknown time
    citations  of the newest sample of each series
    """

    levels: Sequence[tuple[int, float]]
    citations: Sequence[Citation]

    @property
    def newest(self) -> int:
        """The value at the end."""
        return round(self.levels[-1][1])

    @property
    def most(self) -> int:
        """The highest value."""
        return round(max(value for _, value in self.levels))


def gauge_of(evidence: Evidence, metric: str, job: str | None) -> Gauge | None:
    """The number as a job's cluster stated it; without a job, what all files state.

    A standby JobManager states 0 beside its leader, so that the highest of the values at one moment counts.
    """
    clusters = clusters_of(evidence)
    runs: list[Sequence[Point]] = []
    citations: list[Citation] = []
    for series in metric_series(evidence).of(metric):
        points = [each for each in series.known if not clusters.are_apart(job, each.file_id, series.host)]
        if points:
            runs.append(points)
            citations.append(series.cite(points[-1]))
    levels = _highest_levels(runs)
    return Gauge(levels, citations) if levels else None


def _highest_levels(runs: Sequence[Sequence[Point]]) -> list[tuple[int, float]]:
    """The highest value of the series at each moment, of those that have begun and not ended."""
    if len(runs) < 2:
        return [(each.ts_ms or 0, each.value or 0.0) for run in runs for each in run]
    dated = [[(each.ts_ms, place, each.value or 0.0) for each in run if each.ts_ms] for place, run in enumerate(runs)]
    current: dict[int, float] = {}
    levels: dict[int, float] = {}
    for ts_ms, place, value in heapq.merge(*dated):
        current[place] = value
        levels[ts_ms] = max(known for other, known in current.items() if dated[other][-1][0] >= ts_ms)
    return list(levels.items()) or [(0, max(run[-1].value or 0.0 for run in runs))]
