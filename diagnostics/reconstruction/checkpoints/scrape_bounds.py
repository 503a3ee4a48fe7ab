"""Lower bounds of the time at which metrics without a time were read, from what the same files hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from diagnostics.aggregators import jobs
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series

By = Literal["restored", "completed", "running", "triggered"]

EPOCH_GAUGES: Mapping[str, By] = {
    "lastCheckpointRestoreTimestamp": "restored",
    "lastCheckpointCompletedTimestamp": "completed",
}
"""Gauges of the JobManager with a moment that has passed, epoch ms. Source: Flink, "Metrics", Checkpointing."""
RUNNING = ("uptime", "runningTime")
"""Gauges of how long a job has run without an interruption, ms. Source: Flink, "Metrics", Availability."""
COMPLETED = "numberOfCompletedCheckpoints"
LEAST_MS = 1_000_000_000_000
"""Smaller values are no moment in which Flink ran: September 2001. Our choice."""


@dataclass(frozen=True, slots=True)
class ScrapeBound:
    """A moment that had passed when a file without times was read.

    ms       the moment, epoch ms
    by       why: the job's state was restored then, a checkpoint had completed then, the job had run for that time
             since it was submitted, or as many checkpoints as the counter says cannot have completed earlier
    file_id  the file that holds the metric
    """

    ms: int
    by: By
    file_id: int


@read_once
def scrape_bounds(evidence: Evidence) -> Mapping[str | None, tuple[ScrapeBound, ...]]:
    """The bounds by job, the latest first.

    Reads   metric_sample (gauges of the JobManager without a time), job and checkpoint (answers of REST).

    A log's own times are no bound: their zone is not known.
    """
    series, only_job = metric_series(evidence), only_one(cluster_of(evidence).job_names)
    started = _started(evidence)
    histories = checkpoint_histories(evidence)
    bounds_of: dict[str | None, list[ScrapeBound]] = {}
    for job_id, bound in _bounds(series, only_job, started, histories):
        bounds_of.setdefault(job_id, []).append(bound)
    return {job_id: tuple(sorted(bounds, key=lambda each: -each.ms)) for job_id, bounds in bounds_of.items()}


def _bounds(
    series: MetricSeries,
    only_job: str | None,
    started: Mapping[str, int],
    histories: Mapping[str | None, History],
) -> Iterator[tuple[str | None, ScrapeBound]]:
    for metric in (*EPOCH_GAUGES, *RUNNING, COMPLETED):
        for gauge in series.of(metric):
            job_id = gauge.job_id or only_job
            for point in gauge.known:
                if point.ts_ms is not None or point.value is None:
                    continue
                by, moment = _moment(metric, point.value, started.get(job_id or ""), histories.get(job_id))
                if moment is not None and moment >= LEAST_MS:
                    yield job_id, ScrapeBound(moment, by, point.file_id)


def _moment(metric: str, value: float, started_ms: int | None, history: History | None) -> tuple[By, int | None]:
    if metric in EPOCH_GAUGES:
        return EPOCH_GAUGES[metric], round(value)
    if metric in RUNNING:
        return "running", None if started_ms is None else round(started_ms + value)
    return "triggered", _triggered(round(value), history)


def _triggered(completed: int, history: History | None) -> int | None:
    """When the last checkpoint was triggered that came before as many had completed: ids only grow, from 1."""
    seen = history.checkpoints if history else ()
    earlier = [each.triggered_ms for each in seen if each.seen_by_rest and each.number <= completed]
    return max((each for each in earlier if each is not None), default=None)


def _started(evidence: Evidence) -> Mapping[str, int]:
    """When each job was first submitted: it ran for no longer."""
    started: dict[str, int] = {}
    for row in named_rows(evidence.answer(jobs.AGGREGATOR)):
        if row.start_ms is not None:
            started[row.job_id] = min(row.start_ms, started.get(row.job_id, row.start_ms))
    return started
