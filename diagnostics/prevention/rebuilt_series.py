"""Series that a case has no scrapes of, rebuilt from what its charts show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.prevention.series import JOB, TASK, Series, job_points, slot_values, task_labels

MOST_SUBTASKS = 64
"""Subtasks of a task with a series of their own. Our choice."""


def rebuilt_series(
    points: Mapping[str, Mapping[str, Any]],
    job_id: str | None,
    name: str,
    times: Sequence[float],
    *,
    tasks_end: bool,
) -> Iterator[Series]:
    """Checkpoints from their history, load from the heat maps, records and backlog from their charts.

    name       of the job, a label value
    tasks_end  whether the series of tasks end with their last reading
    """
    yield from _checkpoints(job_points(points.get("checkpoint-history"), job_id), name, times)
    yield from _activity(points.get("subtask-activity"), job_id, name, times, tasks_end=tasks_end)
    yield from _records(job_points(points.get("load-by-subtask"), job_id), name, times)
    yield from _backlog(points.get("source-backlog"), job_id, name, times)


def _checkpoints(job: Mapping[str, Any] | None, name: str, times: Sequence[float]) -> Iterator[Series]:
    if job is None:
        return
    ended = sorted(_ended(job), key=lambda each: each.at_ms)
    labels = (("job_name", name),)
    for status, metric in (("completed", "numberOfCompletedCheckpoints"), ("failed", "numberOfFailedCheckpoints")):
        moments = [each.at_ms for each in ended if each.status == status]
        counts = [float(sum(1 for moment in moments if moment <= time)) for time in times]
        yield Series(f"{JOB}{metric}", labels, counts)
    completed = [each for each in ended if each.status == "completed"]
    yield Series(
        f"{JOB}lastCheckpointDuration", labels, _last([(one.at_ms, one.lasted_ms) for one in completed], times)
    )
    for metric, sizes in (
        ("lastCheckpointSize", [(one.at_ms, one.written) for one in completed]),
        ("lastCheckpointFullSize", [(one.at_ms, one.state) for one in completed]),
    ):
        known = [(at_ms, size) for at_ms, size in sizes if size is not None]
        if known:
            yield Series(f"{JOB}{metric}", labels, _last(known, times))


def _last(points: Sequence[tuple[float, float]], times: Sequence[float]) -> list[float | None]:
    """The last value at each time; -1 before the first one, as Flink's gauges of checkpoints say it."""
    return [next((value for at, value in reversed(points) if at <= time), -1.0) for time in times]


@dataclass(frozen=True, slots=True)
class _Ended:
    """A checkpoint that ended; a failed one without a known end ended at the timeout.

    written, state  bytes that it wrote, and of the whole state; None where they are not known
    """

    at_ms: float
    status: str
    lasted_ms: float
    written: float | None
    state: float | None


def _ended(job: Mapping[str, Any]) -> Iterator[_Ended]:
    for checkpoint in job["checkpoints"]:
        if checkpoint.get("savepoint") or checkpoint["status"] in ("in_progress", "unknown"):
            continue
        lasted = checkpoint.get("end_to_end_ms")
        lasted = lasted if lasted is not None else job.get("timeout_ms")
        if checkpoint.get("trigger_ms") is not None and lasted is not None:
            status = "completed" if checkpoint["status"] == "completed" else "failed"
            sizes = checkpoint.get("checkpointed_bytes"), checkpoint.get("state_bytes")
            yield _Ended(checkpoint["trigger_ms"] + lasted, status, float(lasted), *sizes)


def _activity(
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float], *, tasks_end: bool
) -> Iterator[Series]:
    job = job_points(points, job_id)
    if points is None or job is None:
        return
    for vertex in job["vertices"]:
        for subtask in vertex["subtasks"][:MOST_SUBTASKS]:
            labels = task_labels(name, vertex["vertex"], subtask_index=str(subtask["subtask"]))
            for key, metric in (("busy", "busyTimeMsPerSecond"), ("back_pressured", "backPressuredTimeMsPerSecond")):
                values = slot_values(subtask[key], points, times, 1000.0, ends=tasks_end)
                if any(value is not None for value in values):
                    yield Series(f"{TASK}{metric}", labels, values)


def _records(job: Mapping[str, Any] | None, name: str, times: Sequence[float]) -> Iterator[Series]:
    """Each subtask's mean rate over the evidence, because only totals are known."""
    seconds = (times[-1] - times[0]) / 1000
    if job is None or seconds <= 0:
        return
    for vertex in job["vertices"]:
        if vertex.get("direction") != "in":
            continue
        for subtask in vertex["subtasks"][:MOST_SUBTASKS]:
            if subtask.get("records") is not None:
                rate = round(subtask["records"] / seconds, 3)
                labels = task_labels(name, vertex["vertex"], subtask_index=str(subtask["subtask"]))
                yield Series(f"{TASK}numRecordsInPerSecond", labels, [rate] * len(times))


def _backlog(
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float]
) -> Iterator[Series]:
    """One series for each source: its subtasks are summed in the chart."""
    job = job_points(points, job_id)
    if points is None or job is None:
        return
    for source in job["sources"]:
        labels = task_labels(name, source["vertex"])
        yield Series(f"{TASK}operator_pendingRecords", labels, slot_values(source["pending"], points, times))
