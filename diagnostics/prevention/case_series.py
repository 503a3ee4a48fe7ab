"""The series of one job of a case, from the points of its charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.prevention.rebuilt_series import rebuilt_series
from diagnostics.prevention.scraped_series import scraped_series
from diagnostics.prevention.series import JOB, STEP_MS, TASK, CaseSeries, Series, job_points, label_value

MOST_STEPS = 2_000
"""Eight hours; of longer evidence the last steps are kept. Our choice."""
ENDED = ("FAILED", "CANCELED", "FINISHED")
"""States that a job does not leave; its metrics are unregistered. Source: Flink's JobStatus, terminal states."""


@dataclass(frozen=True, slots=True)
class _End:
    """How the series of a job end.

    job_ms     when it ended for good, epoch ms; None for one that was not seen to end
    tasks_too  whether none of its tasks has a series at the end: it ended, or none ran after its last restart
    """

    job_ms: float | None
    tasks_too: bool


def final_state(signals: Sequence[Mapping[str, Any]], job_id: str | None) -> str | None:
    """The last known state of the job; None where nothing shows it."""
    return _restarts_of(signals, job_id).get("final_state")


def _restarts_of(signals: Sequence[Mapping[str, Any]], job_id: str | None) -> Mapping[str, Any]:
    """The facts of the job's signal `restarts`."""
    own = (each for each in signals if each["key"] == "restarts" and (each.get("subject") or {}).get("job") == job_id)
    return next((each.get("facts") or {} for each in own), {})


def _end_of(signals: Sequence[Mapping[str, Any]], job_id: str | None) -> _End:
    facts = _restarts_of(signals, job_id)
    ended_ms = facts.get("final_ms") if facts.get("final_state") in ENDED else None
    return _End(ended_ms, ended_ms is not None or facts.get("tasks_run") is False)


def case_series(
    points: Mapping[str, Mapping[str, Any]],
    job_id: str | None,
    job_name: str,
    signals: Sequence[Mapping[str, Any]] = (),
    *,
    is_over: bool = False,
) -> CaseSeries:
    """The series of one job from the points of the charts, {chart id: points}; only those that a chart holds.

    The samples of a scraper are used where the evidence holds them; other series are rebuilt from what a chart shows.

    signals  of the case: where they show that the job ended, or that no task ran after its last restart, its series end
    is_over  whether the trouble of the job was over before the end of the evidence
    """
    spans = _spans(points, lambda each: job_points(each, job_id) is not None)
    spans = spans or _spans(points, lambda each: _is_watched(each, job_id))
    if not spans:
        return CaseSeries(label_value(job_name), 0, ())
    life = _end_of(signals, job_id)
    start, end = min(start for start, _ in spans), max(to for _, to in spans)
    seen_to_ms = max(each["to_ms"] for each in points.values() if "to_ms" in each)
    if life.job_ms is not None and end < life.job_ms + STEP_MS < start + MOST_STEPS * STEP_MS:
        end = life.job_ms + STEP_MS
    steps = max(math.ceil((end - start) / STEP_MS) + 1, 1)
    steps = min(steps, MOST_STEPS)
    times = [end - (steps - 1 - step) * STEP_MS for step in range(steps)]
    job = label_value(job_name)
    scraped = list(scraped_series(points.get("metrics"), job_id, job, times, tasks_end=life.tasks_too))
    known = {each.metric for each in scraped}
    rebuilt = rebuilt_series(points, job_id, job, times, tasks_end=life.tasks_too)
    case_metrics = [*scraped, *(each for each in rebuilt if each.metric not in known)]
    until = next((step for step, time in enumerate(times) if life.job_ms is not None and time >= life.job_ms), steps)
    shown = [_until(until, each) for each in case_metrics]
    return CaseSeries(job, steps, shown, until < steps, times[0], seen_to_ms, is_over)


def _spans(
    points: Mapping[str, Mapping[str, Any]], is_of_job: Callable[[Mapping[str, Any]], bool]
) -> list[tuple[float, float]]:
    """First and last time of the charts about the job, epoch ms."""
    return [(each["from_ms"], each["to_ms"]) for each in points.values() if "from_ms" in each and is_of_job(each)]


def _is_watched(points: Mapping[str, Any], job_id: str | None) -> bool:
    """Whether the samples of a scraper hold a metric of the job that alerts watch."""
    return job_id is not None and any(each.get("job_id") == job_id for each in points.get("watched", ()))


def _until(step: int, series: Series) -> Series:
    """The series without what is held after its job ended at that step; those of the cluster go on."""
    if not series.metric.startswith((JOB, TASK)):
        return series
    return replace(series, values=[*series.values[:step], *[None] * (len(series.values) - step)])
