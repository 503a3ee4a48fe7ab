"""The failures of a job in time order, without exceptions that only report an earlier failure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.failures.fetchers import thrown_by_fetchers
from diagnostics.reconstruction.failures.incident_log import Failure, IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.failures.thrown import Thrown
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.vocabulary.fault_origins import is_in_snapshot
from diagnostics.vocabulary.harmless_errors import says_harmless

REPORTS = (
    "Recovery is suppressed by",
    "Exceeded checkpoint tolerable failure threshold",
    "Checkpoint Coordinator is suspending",
    "Checkpoint was canceled because a barrier",
    "The job has been suspended",
    "Task has been cancelled",
)
"""Texts of exceptions that only report an earlier failure. Source: vocabulary/disputed_claims.yaml."""
REPORT_CLASSES = (
    "CancellationException",
    "CancelTaskException",
    "JobCancellationException",
    "RestartException",
    "Py4JJavaError",
    "ProgramAbortException",
)
"""Classes that do so; Python prints Py4JJavaError before the trace of what Java threw, and Flink's client ends with the
last where the program, such as one of Python, has ended before it. Source: py4j.protocol, Flink's PythonDriver.
"""
TELLS_NO_REASON = (
    "Could not deploy Yarn",
    "Couldn't deploy Yarn",
    "Couldn't retrieve Yarn cluster",
    "Could not create Kubernetes cluster",
    "Could not deploy application",
    "Could not execute application",
    "Could not execute SQL statement",
    "Could not retrieve the execution result",
    "Could not start cluster entrypoint",
    "Could not start the JobMaster",
    "Could not stop with a savepoint",
    "Failed to execute job",
    "Failed to execute sql",
    "Failed to execute the operation",
    "Failed to fetch job execution result",
    "Failed to fetch next result",
    "Failed to initialize the cluster entrypoint",
    "Failed to stop with savepoint",
    "Failed to submit job",
    "Failed to submit JobGraph",
    "Failed to wait job finish",
    "Job execution failed",
    "Job failed",
)
"""Texts of Flink's exceptions that name what failed and leave the reason to their cause: where a trace is cut after
one, no reason is known. Source: Flink's client, runtime and table API.
"""
_CALLER = "The main method caused an error: "
_JOB = re.compile(r" ?\(JobID: \w+\)")


Reporter = Literal["failure", "process", "client", "error", "warning", "passed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Thrown):
    """One failure of a job or task, from a log or a REST answer, or an error that a log holds.

    exception  class of the root cause; empty for an error that prints none
    reported_by    who reports it: the failure itself, a process that ends with it, a client, or an error or warning in
                   a log; `passed` where the log goes on for long after that
    logger     of the error or warning that a log holds
    """

    exception: str
    reported_by: Reporter = "failure"
    logger: str | None = None

    @property
    def in_snapshot(self) -> bool:
        """Whether the task failed while it took its part of a checkpoint."""
        return is_in_snapshot(self.causes)

    @property
    def kind(self) -> tuple[str, str | None]:
        """Class and top frame of the root cause: faults that share them are of the same kind."""
        return self.exception, self.frame


@dataclass(frozen=True, slots=True)
class FaultKind:
    """Faults of the same kind: the first one, their number, and the time of the last one."""

    first: Fault
    count: int
    last_ms: int | None


@read_once
def faults_in(evidence: Evidence) -> Sequence[Fault]:
    """The failures of tasks and jobs in the evidence, see `faults`.

    Reads   log_record, failure.
    """
    found = faults(incident_log(evidence), cluster_of(evidence))
    if not any(_passes_on(each) for each in found):
        return found
    return [_with_reason(each, thrown_by_fetchers(evidence)) for each in found]


PASSED_ON = "One or more fetchers have encountered exception"
"""A source's failure whose cause is what its fetcher threw, which the fetcher's log holds, too. Source: Flink's
SplitFetcherManager.
"""


def _passes_on(fault: Fault) -> bool:
    """Whether its trace was cut before the exception that it passes on."""
    return fault.message.startswith(PASSED_ON)


def _with_reason(fault: Fault, thrown: Sequence[Mapping[str, Any]]) -> Fault:
    """The fault with what a fetcher of the same process threw just before it, where the log holds that."""
    if not _passes_on(fault) or fault.ts_ms is None:
        return fault
    for row in reversed(thrown):
        if row["file_id"] == fault.citation.file_id and 0 <= fault.ts_ms - row["ts_ms"] <= SAME_MS:
            return replace(
                fault,
                exception=row["root_cause_class"] or row["exception_class"] or fault.exception,
                message=(row["root_cause_message"] if row["root_cause_class"] else row["exception_message"]) or "",
                frame=row["root_cause_frame"],
                user_frame=row["user_frame"],
                thrown_in=row["thrown_in"],
                own_frames=tuple((row["own_frames"] or "").split()),
                causes="\n".join(text for text in (fault.causes, row["causes"]) if text),
            )
    return fault


def faults(log: IncidentLog, cluster: Cluster) -> list[Fault]:
    """The failures of tasks and jobs in time order, without exceptions that only report an earlier failure.

    A failure in several sources counts once: from the JobManager's log, else from a TaskManager's log, else from REST.
    A pasted stack trace without a log counts as a failure. Next to a log it does not: code that caught the exception
    may have printed it. Nor does one below a message that is logged while a job is well.
    """
    events = log.of("failure")
    if any(event.process == "jobmanager" and _is_failure(event) for event in events):
        events = [event for event in events if event.process != "taskmanager"]
    falls = find_falls(log)
    reported = [fault for event in events if (fault := _fault_in_log(event, cluster, falls))]
    known = {(fault.ts_ms, fault.exception) for fault in reported}
    reported += [fault for failure in log.failures if (fault := _fault_in_rest(failure)) and not _known(fault, known)]
    if not log.is_log and not reported:
        pasted = [event for event in log.of("pasted") if not says_harmless(event.message)]
        reported = [fault for event in pasted if (fault := _fault(event, event.job_id, event.cite()))]
    ordered = sorted(
        reported, key=lambda each: (each.ts_ms is None, each.ts_ms or 0, each.citation.file_id, each.citation.line or 0)
    )
    return list(_once(ordered))


def _once(ordered: Sequence[Fault]) -> Iterator[Fault]:
    """The faults without repeats: the job reports the failure of its task again, for each of its state changes."""
    last: dict[tuple[str, str | None], int] = {}
    for fault in ordered:
        before = last.get(fault.kind)
        is_repeat = before is not None and fault.ts_ms is not None and fault.ts_ms - before <= SAME_MS
        if fault.ts_ms is not None:
            last[fault.kind] = fault.ts_ms
        if fault.vertex is not None or not is_repeat:
            yield fault


def _known(fault: Fault, known: set[tuple[int | None, str]]) -> bool:
    """Whether a log shows the fault; REST states the time when the JobManager handled it, some ms after the log."""
    return any(
        fault.ts_ms is not None
        and ts_ms is not None
        and abs(fault.ts_ms - ts_ms) <= SAME_MS
        and fault.exception == name
        for ts_ms, name in known
    )


FALLEN = ("FAILING", "FAILED", "RESTARTING")
"""States of a job after a failure."""
Falls = Sequence[tuple[int | None, str | None]]
"""When jobs came into one of these states, epoch ms, and their ids."""
SAME_MS = 2_000
"""Records of the same exception within this time are about one failure. Our choice."""

OF_THE_JOB = (
    "Trying to recover from a global failure",
    "Failed to submit job ",
    "Application failed unexpectedly",
    "Could not execute application",
)
"""Messages about failures of the whole job. Source: Flink's schedulers, Dispatcher and application mode."""


def _fault_in_log(event: LogEvent, cluster: Cluster, falls: Falls) -> Fault | None:
    if event.process == "client" or not _is_failure(event):
        return None
    job = event.job_id or job_of_vertex(event.vertex, cluster) or job_that_fell(event.ts_ms, falls)
    return _fault(event, job, event.cite())


def find_falls(log: IncidentLog) -> Falls:
    """When jobs left their running state, by the JobManager's log."""
    return [(each.ts_ms, each.job_id) for each in log.of("job_state") if each.state_to in FALLEN]


def job_that_fell(ts_ms: int | None, falls: Falls) -> str | None:
    """The only job that left its running state right after a record. What a JobManager with several jobs logs of a
    failed task names none of them.
    """
    if ts_ms is None:
        return None
    return only_one({job for at_ms, job in falls if job and at_ms is not None and 0 <= at_ms - ts_ms <= SAME_MS})


def _is_failure(event: LogEvent) -> bool:
    """Whether the record is about a failed task or job; other stack traces are mostly harmless warnings."""
    message = event.message
    if message.startswith("Job "):
        return event.state_to in FALLEN
    return " to FAILED" in message or message.startswith(OF_THE_JOB)


def job_of_vertex(vertex: str | None, cluster: Cluster) -> str | None:
    """The only job with a task of that name, which metric reporters print with other characters. Where no known task
    has the name, the only job whose tasks no file lists. Else the only job of the cluster, else None.
    """
    printed = normalised(vertex)
    owners = {task.job_id for task in cluster.tasks.values() if printed and normalised(task.name) == printed}
    if len(owners) == 1:
        return next(iter(owners))
    listed = {task.job_id for task in cluster.tasks.values()}
    if printed and not owners and (unlisted := only_one(cluster.job_names.keys() - listed)):
        return unlisted
    return only_one(cluster.job_names)


def _fault_in_rest(failure: Failure) -> Fault | None:
    return _fault(failure, failure.job_id, failure.cite())


def _fault(source: Any, job_id: str | None, citation: Citation) -> Fault | None:
    exception = source.root_cause_class or source.exception_class or ""
    message = source.root_cause_message if source.root_cause_class else source.exception_message
    if not (exception or message) or is_report(exception, message or ""):
        return None
    return Fault(
        ts_ms=source.ts_ms,
        job_id=job_id,
        vertex=source.vertex,
        subtask=source.subtask,
        task_manager=source.task_manager,
        exception=exception,
        message=(message or "")[:500],
        frame=source.root_cause_frame,
        user_frame=source.user_frame,
        thrown_in=source.thrown_in,
        own_frames=tuple((source.own_frames or "").split()),
        causes=source.causes,
        stack=source.frames,
        citation=citation,
    )


def is_report(exception: str, message: str) -> bool:
    """Whether an exception only reports an earlier failure, or what failed without the reason."""
    simple = exception.rpartition(".")[2]
    return simple in REPORT_CLASSES or any(text in message for text in REPORTS) or _tells_no_reason(message)


def _tells_no_reason(message: str) -> bool:
    said = _JOB.sub("", message.strip().removeprefix(_CALLER))
    return said.startswith(TELLS_NO_REASON) and ": " not in said and "\n" not in said


def kinds_of(found: Iterable[Fault]) -> list[FaultKind]:
    """The kinds of faults, in the order in which they first occurred."""
    by_kind: dict[tuple[str, str | None], list[Fault]] = {}
    for fault in found:
        by_kind.setdefault(fault.kind, []).append(fault)
    return [
        FaultKind(same[0], len(same), max((each.ts_ms for each in same if each.ts_ms is not None), default=None))
        for same in by_kind.values()
    ]


def rounds_of(found: Iterable[Fault]) -> list[int]:
    """The time of each failed attempt; faults of several subtasks at the same time are one attempt."""
    stamps = [fault.ts_ms for fault in found if fault.ts_ms is not None]
    return [stamp for place, stamp in enumerate(stamps) if not place or stamp - stamps[place - 1] > SAME_MS]


def by_job(found: Sequence[Fault]) -> Mapping[str | None, list[Fault]]:
    """The faults by job; faults without a job id belong to the only job, if there is only one."""
    jobs = {fault.job_id for fault in found if fault.job_id}
    only = only_one(jobs)
    grouped: dict[str | None, list[Fault]] = {}
    for fault in found:
        grouped.setdefault(fault.job_id or only, []).append(fault)
    return grouped
