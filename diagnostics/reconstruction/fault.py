"""Which failures a job had, which came first, and which only report that something before them failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.citation import Citation
from diagnostics.reconstruction.cluster import Cluster
from diagnostics.reconstruction.incident_log import Failure, IncidentLog, LogEvent

REPORTS = (
    "Recovery is suppressed by",
    "Exceeded checkpoint tolerable failure threshold",
    "Checkpoint Coordinator is suspending",
    "Checkpoint was canceled because a barrier",
    "The job has been suspended",
    "Task has been cancelled",
)
"""Texts of exceptions that report a failure before them. Source: reference/disputed-claims.md."""
REPORT_CLASSES = ("CancellationException", "CancelTaskException", "JobCancellationException", "RestartException")
WRAPPERS = ("SerializedThrowable", "CompletionException", "ExecutionException", "JobExecutionException", "JobException")


@dataclass(frozen=True, slots=True)
class Fault:
    """One failure of a job, wherever it was told."""

    ts_ms: int | None
    job_id: str | None
    vertex: str | None
    subtask: int | None
    task_manager: str | None
    exception: str
    message: str
    frame: str | None
    user_frame: str | None
    citation: Citation

    @property
    def kind(self) -> tuple[str, str | None]:
        """What makes two faults the same: class and top frame of the root cause."""
        return self.exception, self.frame


@dataclass(frozen=True, slots=True)
class FaultKind:
    """Faults with the same root cause."""

    first: Fault
    count: int
    last_ms: int | None


def faults(log: IncidentLog, cluster: Cluster) -> list[Fault]:
    """The failures of tasks and jobs in time order, without those that only report another.

    A failure that several tell is counted once: as the JobManager's log tells it, else a TaskManager's, else REST.
    """
    events = log.of("failure")
    if any(event.process == "jobmanager" and _is_failure(event) for event in events):
        events = [event for event in events if event.process != "taskmanager"]
    told = [fault for event in events if (fault := _of_log(event, cluster))]
    known = {(fault.ts_ms, fault.exception) for fault in told}
    told += [fault for failure in log.failures if (fault := _of_rest(failure)) and not _known(fault, known)]
    return sorted(
        told, key=lambda each: (each.ts_ms is None, each.ts_ms or 0, each.citation.file_id, each.citation.line or 0)
    )


def _known(fault: Fault, known: set[tuple[int | None, str]]) -> bool:
    """The REST time stamp is that of the JobManager's handling, some milliseconds off the log's."""
    return any(
        fault.ts_ms is not None
        and ts_ms is not None
        and abs(fault.ts_ms - ts_ms) <= SAME_MS
        and fault.exception == name
        for ts_ms, name in known
    )


SAME_MS = 2_000


def _of_log(event: LogEvent, cluster: Cluster) -> Fault | None:
    if event.process == "client" or not _is_failure(event):
        return None
    return _fault(event, event.job_id or job_of_vertex(event.vertex, cluster), event.cite())


def _is_failure(event: LogEvent) -> bool:
    """Only what made a task or job fail: warnings with a stack trace are many and mostly harmless."""
    return " to FAILED" in event.message or (
        event.message.startswith("Job ") and event.state_to in ("FAILING", "FAILED", "RESTARTING")
    )


def job_of_vertex(vertex: str | None, cluster: Cluster) -> str | None:
    """The job that has a task of that name, if only one has, or the only job there is."""
    owners = {task.job_id for task in cluster.tasks.values() if vertex and task.name == vertex}
    if len(owners) == 1:
        return next(iter(owners))
    return next(iter(cluster.job_names)) if len(cluster.job_names) == 1 else None


def _of_rest(failure: Failure) -> Fault | None:
    return _fault(failure, failure.job_id, failure.cite())


def _fault(told: Any, job_id: str | None, citation: Citation) -> Fault | None:
    exception = told.root_cause_class or told.exception_class
    message = told.root_cause_message if told.root_cause_class else told.exception_message
    if not exception or _only_reports(exception, message or ""):
        return None
    return Fault(
        ts_ms=told.ts_ms,
        job_id=job_id,
        vertex=told.vertex,
        subtask=told.subtask,
        task_manager=told.task_manager,
        exception=exception,
        message=(message or "")[:300],
        frame=told.root_cause_frame,
        user_frame=told.user_frame,
        citation=citation,
    )


def _only_reports(exception: str, message: str) -> bool:
    simple = exception.rpartition(".")[2]
    return simple in REPORT_CLASSES or any(text in message for text in REPORTS)


def kinds_of(found: Iterable[Fault]) -> list[FaultKind]:
    """The faults by root cause, the first one first."""
    by_kind: dict[tuple[str, str | None], list[Fault]] = {}
    for fault in found:
        by_kind.setdefault(fault.kind, []).append(fault)
    return [
        FaultKind(same[0], len(same), max((each.ts_ms for each in same if each.ts_ms is not None), default=None))
        for same in by_kind.values()
    ]


def by_job(found: Sequence[Fault]) -> Mapping[str | None, list[Fault]]:
    """The faults by job; those whose job is not known belong to the only one there is, if so."""
    jobs = {fault.job_id for fault in found if fault.job_id}
    only = next(iter(jobs)) if len(jobs) == 1 else None
    grouped: dict[str | None, list[Fault]] = {}
    for fault in found:
        grouped.setdefault(fault.job_id or only, []).append(fault)
    return grouped
