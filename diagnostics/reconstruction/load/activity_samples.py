"""Busy and back-pressured time of every subtask, sample by sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators import back_pressure_samples
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.reconstruction.metrics.metric_series import metric_series

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

ActivitySamples = dict[tuple[str | None, str, int], dict[int, tuple[float | None, float | None]]]
"""(job, vertex id or name, subtask) -> time -> (busy ratio, back-pressured ratio)."""


def activity_samples(evidence: Evidence) -> ActivitySamples:
    """The ratios of 0 to 1 that metrics state; those of REST where no metric states one.

    Reads   metric_sample (busyTimeMsPerSecond, backPressuredTimeMsPerSecond), back_pressure.
    """
    return _from_metrics(evidence) or _from_rest(evidence)


def _from_metrics(evidence: Evidence) -> ActivitySamples:
    series = metric_series(evidence)
    cells: ActivitySamples = {}
    for place, metric in enumerate(("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond")):
        for (job_id, vertex), found in series.by_vertex(metric, operators=False).items():
            for each in found:
                if each.subtask is None:
                    continue
                cell = cells.setdefault((job_id, vertex, each.subtask), {})
                for point in each.points:
                    if point.ts_ms is not None and point.value is not None:
                        pair = list(cell.get(point.ts_ms, (None, None)))
                        pair[place] = min(max(point.value / 1000, 0.0), 1.0)
                        cell[point.ts_ms] = (pair[0], pair[1])
    return cells


def _from_rest(evidence: Evidence) -> ActivitySamples:
    cells: ActivitySamples = {}
    for row in named_rows(evidence.answer(back_pressure_samples.AGGREGATOR)):
        if row.ts_ms is not None:
            cell = cells.setdefault((row.job_id, row.vertex_id, row.subtask), {})
            cell[row.ts_ms] = (row.busy_ratio, row.back_pressured_ratio)
    return cells
