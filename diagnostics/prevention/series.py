"""Series that Prometheus would have scraped during an incident, on common steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

STEP_MS = 15_000
"""Prometheus' scrape interval in its own examples."""

JOB = "flink_jobmanager_job_"
TASK = "flink_taskmanager_job_task_"
PROCESS = "flink_taskmanager_"
RUNNING_TIME = f"{JOB}runningTime"
"""How long the job has been RUNNING, 0 in any other state. Source: Flink documentation, Metrics, since 1.15."""
REGISTERED = "flink_jobmanager_numRegisteredTaskManagers"
UNFIT = re.compile(r"[^a-zA-Z0-9:_]")

Labels = tuple[tuple[str, str], ...]
Values = list[float | None]


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
    seen_to_ms end of the evidence, epoch ms; the steps may go on for one more, in which an end of the job shows
    is_over    whether the trouble was over within them: then nothing of it goes on after them
    """

    job: str
    steps: int
    series: Sequence[Series]
    job_ended: bool = False
    from_ms: float = 0.0
    seen_to_ms: float | None = None
    is_over: bool = False

    def of(self, metric: str) -> list[Series]:
        """The series of one metric."""
        return [each for each in self.series if each.metric == metric]

    @property
    def to_ms(self) -> float:
        """Time of the last step, epoch ms."""
        return self.from_ms + max(self.steps - 1, 0) * STEP_MS

    @property
    def evidence_to_ms(self) -> float:
        """End of the evidence, epoch ms."""
        return self.to_ms if self.seen_to_ms is None else min(self.seen_to_ms, self.to_ms)


def label_value(name: str) -> str:
    """A name as the reporter writes it into a label."""
    return UNFIT.sub("_", name)


def job_points(points: Mapping[str, Any] | None, job_id: str | None) -> Mapping[str, Any] | None:
    """The part of a chart's points about the job."""
    for job in (points or {}).get("jobs", ()):
        if job_id is None or job["job_id"] == job_id:
            return dict(job)
    return None


def task_labels(job: str, task: str, **others: str) -> Labels:
    """The labels of a series of a task; `others` are those of its subtask or of the TaskManager."""
    return (("job_name", job), ("task_name", label_value(task)), *others.items())


def slot_values(
    values: Sequence[float | None],
    points: Mapping[str, Any],
    times: Sequence[float],
    factor: float = 1.0,
    *,
    ends: bool = False,
) -> Values:
    """Values of equal slots at the given times; gaps repeat the last value, and so do times after the last slot unless
    the series ends there.
    """
    held: Values = []
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
