"""Series as they were scraped, from the chart of every metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median_low
from typing import Any

from diagnostics.prevention.series import (
    JOB,
    PROCESS,
    REGISTERED,
    RUNNING_TIME,
    STEP_MS,
    TASK,
    Labels,
    Series,
    Values,
    label_value,
    slot_values,
    task_labels,
)

MOST_APART_MS = 60_000
"""The longest usual scrape interval. Readings further apart are snapshots, which a chart knows better. Our choice."""
WATERMARK = f"{TASK}currentInputWatermark"
OF_TASKS = {"numLateRecordsDropped": f"{TASK}operator_numLateRecordsDropped", "currentInputWatermark": WATERMARK}
"""Metric -> its name in Prometheus, where that is not the metric behind the scope of a task."""


def scraped_series(
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float], *, tasks_end: bool
) -> Iterator[Series]:
    """What the chart of every metric has of the job, of its cluster, and of the TaskManagers' heaps.

    Of several series with the same labels the first one is taken: Prometheus refuses a series that is there twice.

    name       of the job, a label value
    tasks_end  whether the series of tasks end with their last reading
    """
    if points is None:
        return
    seen: set[tuple[str, Labels]] = set()
    for watched in points.get("watched", ()):
        if watched["job_id"] not in (job_id, None) or not _is_scraped(watched, points, times):
            continue
        metric, labels = _named(watched, name)
        if (metric, labels) not in seen:
            seen.add((metric, labels))
            read = _to_last_reading(watched["values"])
            is_of_worker = metric.startswith(PROCESS)
            ends = (tasks_end and metric.startswith(TASK)) or (is_of_worker and not _lasts(read, points, times))
            values = slot_values(read, points, times, ends=ends)
            yield Series(metric, labels, _by_the_clock(values) if metric == WATERMARK else values)
    yield from _running_time(points, job_id, name, times)


def _to_last_reading(values: Sequence[float | None]) -> Sequence[float | None]:
    return values[: max(place for place, value in enumerate(values) if value is not None) + 1]


def _is_scraped(watched: Mapping[str, Any], points: Mapping[str, Any], times: Sequence[float]) -> bool:
    """Whether the readings are as close as those of a scraper; those of the JobManager up to the end of all readings,
    of checkpoints up to the end of the evidence, which logs may show beyond.

    A TaskManager, and with it its tasks, may be gone before.
    """
    read = _to_last_reading(watched["values"])
    places = [place for place, value in enumerate(read) if value is not None]
    slot = points["slot_ms"]
    if len(places) < 2 or median_low(after - before for before, after in pairwise(places)) * slot > MOST_APART_MS:
        return False
    if watched["vertex"] is not None or watched["task_manager"]:
        return True
    end = times[-1] if "Checkpoint" in watched["metric"] else points["to_ms"]
    return _lasts(read, {**points, "to_ms": end}, times)


def _lasts(read: Sequence[float | None], points: Mapping[str, Any], times: Sequence[float]) -> bool:
    """Whether the last reading is at the end of all readings, give or take two steps."""
    slot = points["slot_ms"]
    end = min(points["to_ms"], times[-1])
    return bool(points["from_ms"] + (len(read) - 1) * slot >= end - 2 * max(STEP_MS, slot))


def _named(watched: Mapping[str, Any], job: str) -> tuple[str, Labels]:
    """Name and labels in Prometheus."""
    metric, vertex, process = watched["metric"], watched["vertex"], watched["task_manager"]
    of_process = {"tm_id": label_value(process)} if process else {}
    if vertex is not None:
        subtask = watched.get("subtask")
        of_subtask = {} if subtask is None else {"subtask_index": str(subtask)}
        return OF_TASKS.get(metric, f"{TASK}{metric}"), task_labels(job, vertex, **of_process, **of_subtask)
    if process:
        return f"{PROCESS}{metric.replace('.', '_')}", tuple(of_process.items())
    if watched["metric"] == "numRegisteredTaskManagers":
        return REGISTERED, ()
    return f"{JOB}{metric}", (("job_name", job),)


def _by_the_clock(leads: Values) -> Values:
    """Watermarks, ms, on a clock that begins with the series, as that of a unit test does."""
    return [None if lead is None else step * STEP_MS + lead for step, lead in enumerate(leads)]


def _running_time(points: Mapping[str, Any], job_id: str | None, name: str, times: Sequence[float]) -> Iterator[Series]:
    """How long the job has run, which always varies.

    Before the first sample of a time the job counts as running: nothing shows that it was not.
    """
    of_job = (each for each in points["series"] if each["job_id"] in (job_id, None) and each["metric"] == "runningTime")
    course = next(of_job, None)
    if course is not None:
        values = slot_values(course["mean"], points, times)
        first = next((value for value in values if value is not None), None)
        running = [first if value is None else value for value in values]
        yield Series(RUNNING_TIME, (("job_name", name),), running)
