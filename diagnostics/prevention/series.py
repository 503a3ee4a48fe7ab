"""Reconstructs the series that Prometheus would have scraped during the incident, from the points of the charts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

STEP_MS = 15_000
"""Prometheus' scrape interval in its own examples."""
MOST_STEPS = 2_000
"""Eight hours; of longer evidence the last steps are kept. Our choice."""
MOST_SUBTASKS = 64
"""Subtasks of a task with a series of their own. Our choice."""

JOB = "flink_jobmanager_job_"
TASK = "flink_taskmanager_job_task_"
RUNNING_TIME = f"{JOB}runningTime"
"""How long the job has been RUNNING, 0 in any other state. Source: Flink documentation, Metrics, since 1.15."""
REGISTERED = "flink_jobmanager_numRegisteredTaskManagers"
UNFIT = re.compile(r"[^a-zA-Z0-9:_]")

ENDED = ("FAILED", "CANCELED", "FINISHED")
"""States that a job does not leave; its metrics are unregistered. Source: Flink's JobStatus, terminal states."""

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One series on the common steps.

    values  None before the first sample and after the job or its tasks ended; a gap between holds the last value, as
            Prometheus does when it looks back
    """

    metric: str
    labels: Labels
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class CaseSeries:
    """All series of one job.

    job        its name as a label value
    steps      number of steps that the evidence covers, from step 0
    from_ms    time of step 0, epoch ms
    series     values for exactly these steps
    job_ended  whether the job ended for good within them
    """

    job: str
    steps: int
    series: Sequence[Series]
    job_ended: bool = False
    from_ms: float = 0.0

    def of(self, metric: str) -> list[Series]:
        """The series of one metric."""
        return [each for each in self.series if each.metric == metric]


def label_value(name: str) -> str:
    """A name as the reporter writes it into a label."""
    return UNFIT.sub("_", name)


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
) -> CaseSeries:
    """The series of one job from the points of the charts, {chart id: points}; only those that a chart holds.

    signals  of the case: where they show that the job ended, or that no task ran after its last restart, its series end
    """
    spans = [(each["from_ms"], each["to_ms"]) for each in points.values() if "from_ms" in each and _job(each, job_id)]
    if not spans:
        return CaseSeries(label_value(job_name), 0, ())
    life = _end_of(signals, job_id)
    start, end = min(start for start, _ in spans), max(to for _, to in spans)
    if life.job_ms is not None and end < life.job_ms + STEP_MS < start + MOST_STEPS * STEP_MS:
        end = life.job_ms + STEP_MS
    steps = max(math.ceil((end - start) / STEP_MS) + 1, 1)
    steps = min(steps, MOST_STEPS)
    times = [end - (steps - 1 - step) * STEP_MS for step in range(steps)]
    job = label_value(job_name)
    scraped = list(_failed_of_metrics(points.get("metrics"), job_id, job, times))
    known = {each.metric for each in scraped}
    case_metrics = [
        *scraped,
        *(
            each
            for each in _checkpoints(_job(points.get("checkpoint-history"), job_id), job, times)
            if each.metric not in known
        ),
        *_activity(points.get("subtask-activity"), job_id, job, times, life),
        *_records(_job(points.get("load-by-subtask"), job_id), job, times),
        *_lateness(points.get("watermarks"), job_id, job, times),
        *_backlog(points.get("source-backlog"), job_id, job, times),
        *_presence(points.get("metrics"), job_id, job, times),
    ]
    until = next((step for step, time in enumerate(times) if life.job_ms is not None and time >= life.job_ms), steps)
    return CaseSeries(job, steps, [_until(until, each) for each in case_metrics], until < steps, times[0])


def _until(step: int, series: Series) -> Series:
    """The series without what is held after its job ended at that step; those of the cluster go on."""
    if not series.metric.startswith((JOB, TASK)):
        return series
    return replace(series, values=[*series.values[:step], *[None] * (len(series.values) - step)])


def _job(points: Mapping[str, Any] | None, job_id: str | None) -> Mapping[str, Any] | None:
    """The part of a chart's points about the job."""
    for job in (points or {}).get("jobs", ()):
        if job_id is None or job["job_id"] == job_id:
            return dict(job)
    return None


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


def _failed_of_metrics(
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float]
) -> Iterator[Series]:
    """Flink's own count of failed checkpoints, where the chart of every metric has it up to the end of the evidence.

    It counts triggers that were refused before a checkpoint began, which no history holds. Source: Flink's
    CheckpointStatsTracker, reportFailedCheckpointsWithoutInProgress.
    """
    course = _courses(points, job_id).get("numberOfFailedCheckpoints")
    if points is None or course is None:
        return
    slot = points["slot_ms"]
    read = [place for place, rate in enumerate(course["mean"]) if rate is not None]
    if not read or points["from_ms"] + read[-1] * slot < times[-1] - 2 * max(STEP_MS, slot):
        return
    totals: list[float | None] = [None] * len(course["mean"])
    total = 0.0
    for before, place in zip([read[0] - 1, *read], read, strict=False):
        # The rate is the mean since the reading before it.
        total += (course["mean"][place] or 0.0) * (place - before) * slot / 1000
        totals[place] = float(round(total))
    values = _slots(totals, points, times, 1.0)
    yield Series(f"{JOB}numberOfFailedCheckpoints", (("job_name", name),), [value or 0.0 for value in values])


def _courses(points: Mapping[str, Any] | None, job_id: str | None) -> dict[str, Mapping[str, Any]]:
    """The job's and the cluster's metrics of the chart of every metric.

    Of a metric that two exporters report the first series is taken: Prometheus refuses one that is there twice.
    """
    series = reversed((points or {}).get("series", ()))
    return {each["metric"]: each for each in series if each["job_id"] in (job_id, None)}


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
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float], life: _End
) -> Iterator[Series]:
    job = _job(points, job_id)
    if points is None or job is None:
        return
    for vertex in job["vertices"]:
        for subtask in vertex["subtasks"][:MOST_SUBTASKS]:
            labels = _task_labels(name, vertex["vertex"], subtask["subtask"])
            for key, metric in (("busy", "busyTimeMsPerSecond"), ("back_pressured", "backPressuredTimeMsPerSecond")):
                values = _slots(subtask[key], points, times, 1000.0, ends=life.tasks_too)
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
                labels = _task_labels(name, vertex["vertex"], subtask["subtask"])
                yield Series(f"{TASK}numRecordsInPerSecond", labels, [rate] * len(times))


def _lateness(
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float]
) -> Iterator[Series]:
    job = _job(points, job_id)
    if points is None or job is None:
        return
    for vertex in job["vertices"]:
        if not vertex.get("late_per_s"):
            continue
        rates = _slots(vertex["late_per_s"], points, times, 1.0)
        total, counts = 0.0, []
        for rate in rates:
            total += (rate or 0.0) * STEP_MS / 1000
            counts.append(round(total, 3))
        labels = (("job_name", name), ("task_name", label_value(vertex["vertex"])))
        yield Series(f"{TASK}operator_numLateRecordsDropped", labels, counts)


def _backlog(
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float]
) -> Iterator[Series]:
    """One series for each source: its subtasks are summed in the chart."""
    job = _job(points, job_id)
    if points is None or job is None:
        return
    for source in job["sources"]:
        labels = (("job_name", name), ("task_name", label_value(source["vertex"])))
        yield Series(f"{TASK}operator_pendingRecords", labels, _slots(source["pending"], points, times, 1.0))


def _presence(
    points: Mapping[str, Any] | None, job_id: str | None, name: str, times: Sequence[float]
) -> Iterator[Series]:
    """What no chart of its own draws, from the chart of every metric.

    Before the first sample of a time the job counts as running: nothing shows that it was not.
    """
    if points is None:
        return
    labels = (("job_name", name),)
    courses = _courses(points, job_id)
    for course in courses.values():
        if course["metric"] == "numRestarts" and course["is_rate"]:
            grown = accumulate((rate or 0.0) * points["slot_ms"] / 1000 for rate in course["mean"])
            totals: list[float | None] = [float(round(total)) for total in grown]
            yield Series(f"{JOB}numRestarts", labels, _slots(totals, points, times, 1.0))
        elif course["metric"] == "runningTime":
            values = _slots(course["mean"], points, times, 1.0)
            first = next((value for value in values if value is not None), None)
            yield Series(RUNNING_TIME, labels, [first if value is None else value for value in values])
            if "numRestarts" not in courses and not points.get("left_out"):
                # The chart holds what varies: a job with this metric has the other one too, which stayed as it was.
                yield Series(f"{JOB}numRestarts", labels, [0.0] * len(times))
        elif course["metric"] == "numRegisteredTaskManagers" and not course["is_rate"]:
            yield Series(REGISTERED, (), _slots(course["mean"], points, times, 1.0))


def _task_labels(job: str, task: str, subtask: int) -> Labels:
    return (("job_name", job), ("task_name", label_value(task)), ("subtask_index", str(subtask)))


def _slots(
    values: Sequence[float | None],
    points: Mapping[str, Any],
    times: Sequence[float],
    factor: float,
    *,
    ends: bool = False,
) -> list[float | None]:
    """Values of equal slots at the given times; gaps repeat the last value, and so do times after the last slot unless
    the series ends there.
    """
    held: list[float | None] = []
    last: float | None = None
    place = 0
    for time in times:
        until = int((time - points["from_ms"]) // points["slot_ms"])
        while place <= min(until, len(values) - 1):
            value = values[place]
            last = round(value * factor, 3) if value is not None else last
            place += 1
        held.append(None if ends and until >= len(values) else last)
    return held
