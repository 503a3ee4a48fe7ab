"""Why checkpoints failed other than by timeout: which subtask declined them, in which operator, with which exception.

A failure is logged up to three times: by the TaskManager that could not take its snapshot, by the JobManager when the
decline message arrives, and by the JobManager when it aborts the checkpoint. These records are merged into one failure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.aggregators import checkpoint_failure_records, checkpoint_failures
from diagnostics.aggregators.checkpoint_failure_records import THRESHOLD
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.failures.fault import job_of_vertex
from diagnostics.reconstruction.failures.thrown import Thrown
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.execution_name import OF_GRAPH, execution_names
from diagnostics.vocabulary.decline_reasons import KIND_ORDER, NOT_TRIGGERED, OTHER, Kind, last_failure_of, reason_of

ABORTED = "java.util.concurrent.CancellationException"
"""The exception of an asynchronous part whose checkpoint was aborted elsewhere: it is never the cause. Of a trigger it
says nothing where the job ends, and much where it comes again and again.
"""
LEAST_CANCELLED = 3
"""Cancelled triggers that are failures. Our choice: one or two come when a job or its coordinator is closed."""

CLOSED = "registry is already closed"
"""Of the exception of a snapshot in a task that ends, as when its job is cancelled: a consequence. Source: Flink's
AbstractCloseableRegistry."""

DECLINED = "jm.ckpt.decline"
"""The log event of a task's decline, as the JobManager logs it."""
TRIGGERING = "jm.ckpt.triggering_failed"
"""The log event of a checkpoint that could not be triggered; its reason is an exception, printed with its message."""
PRINTED = re.compile(r"((?:[a-z_][\w$]{0,60}\.){1,10}[A-Z][\w$]{0,80}): ([^\n]{1,300})")
"""An exception as Java prints it: its class and message."""
STATED = "Failure reason: "
"""In front of the reason of a decline. Source: Flink's CheckpointException, 1.9 and later."""
OF_CHECKPOINT = re.compile(r"(?:checkpoint|snapshot) (\d{1,18})\b")
OF_OPERATOR = re.compile(r"for operator ([^\n]{1,300}?) \((\d{1,7})/\d{1,7}\)")
EXECUTION = re.compile(r"by task ([0-9a-f_]{32,200}) of job")
THRESHOLD_REASON = re.compile(r"The latest checkpoint failed due to ([^\n]{1,200}?)(?:, view the|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport(Thrown):
    """One record about one failed checkpoint.

    by      the process that logged it, `rest`, or `threshold` when the job failed because too many checkpoints failed
    reason  Flink's reason in words, and `kind` its kind (vocabulary/decline_reasons)
    """

    number: int | None = None
    by: str
    reason: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class CheckpointFailure:
    """One checkpoint that failed, with all reports of it, the most informative one first.

    duration_ms  from its trigger to its end; None when one of them is not known
    """

    number: int | None
    ts_ms: int | None
    duration_ms: float | None
    reports: tuple[FailureReport, ...]

    @property
    def lead(self) -> FailureReport:
        """The most informative report."""
        return self.reports[0]

    @property
    def places(self) -> list[tuple[str, int]]:
        """The subtasks that declined it."""
        return sorted(
            {(each.vertex, each.subtask) for each in self.reports if each.vertex and each.subtask is not None}
        )


@dataclass(frozen=True, slots=True)
class CheckpointFailures:
    """The failed checkpoints of one job in time order.

    thresholds  the failures of the job because too many checkpoints had failed
    """

    job_id: str | None
    failures: tuple[CheckpointFailure, ...] = ()
    thresholds: tuple[FailureReport, ...] = ()


@read_once
def failures_by_job(evidence: Evidence) -> Mapping[str | None, CheckpointFailures]:
    """The failed checkpoints of each job, without the expired ones.

    Reads   log_record, failure, and the histories of checkpoints (checkpoint, log_record).
    """
    return _read(evidence)


def _read(evidence: Evidence) -> Mapping[str | None, CheckpointFailures]:
    cluster = cluster_of(evidence)
    rows = evidence.answer(checkpoint_failure_records.AGGREGATOR).to_pylist()
    rows += _answers(evidence)
    names = _names(evidence, rows, cluster)
    reports = [report for row in rows if (report := _failure_report(row, cluster, names))]
    reports += _reports_of_histories(evidence)
    reports = _without_few_cancelled(reports)
    jobs = {each.job_id for each in reports if each.job_id}
    only = only_one(jobs)
    by_job: dict[str | None, list[FailureReport]] = defaultdict(list)
    for report in reports:
        by_job[report.job_id or only].append(report)
    return {job_id: _failures_of_job(evidence, job_id, of_job) for job_id, of_job in by_job.items()}


def _without_few_cancelled(reports: Sequence[FailureReport]) -> list[FailureReport]:
    """The reports without triggers that were cancelled, where these are few."""
    cancelled = sum(each.exception == ABORTED for each in reports)
    return [each for each in reports if each.exception != ABORTED or cancelled >= LEAST_CANCELLED]


def _answers(evidence: Evidence) -> Iterable[Mapping[str, Any]]:
    for row in evidence.answer(checkpoint_failures.AGGREGATOR).to_pylist():
        yield {**dict.fromkeys(("event", "checkpoint_id", "reason")), **row, "process": "rest", "message": ""}


def _names(evidence: Evidence, rows: Sequence[Mapping[str, Any]], cluster: Cluster) -> Mapping[str, tuple[str, int]]:
    """Execution id, or its `task_subtask` part -> task name and subtask; empty when every decline names its task."""
    unnamed = [row for row in rows if row["event"] == DECLINED and not _vertex(row, cluster, {})]
    return execution_names(evidence) if unnamed else {}


def _vertex(
    row: Mapping[str, Any], cluster: Cluster, names: Mapping[str, tuple[str, int]]
) -> tuple[str | None, int | None] | None:
    """The task and subtask of a record; None when it names neither."""
    if row["vertex"] and row["subtask"] is not None:
        return row["vertex"], row["subtask"]
    operator = OF_OPERATOR.search(row["causes"] or "")
    if operator:
        return operator[1], int(operator[2]) - 1
    execution = EXECUTION.search(row["message"] or "")
    if not execution:
        return None
    if execution[1] in names:
        return names[execution[1]]
    parts = OF_GRAPH.fullmatch(execution[1])
    if not parts:
        return None
    task = cluster.tasks.get((row["job_id"], parts[1]))
    return (task.name, int(parts[2])) if task else names.get(f"{parts[1]}_{parts[2]}")


def _failure_report(
    row: Mapping[str, Any], cluster: Cluster, names: Mapping[str, tuple[str, int]]
) -> FailureReport | None:
    text = "\n".join(row[name] for name in ("causes", "exception_message", "reason", "message") if row[name])
    if THRESHOLD in text:
        return _report_of_threshold(row, text)
    reason = reason_of(text) or (OTHER if row["event"] == DECLINED and STATED in text else None)
    printed = _printed(row["reason"] or "") if row["event"] == TRIGGERING and reason is None else None
    if printed:
        row, reason = {**row, **printed}, NOT_TRIGGERED
    exception = row["root_cause_class"] or row["exception_class"]
    if reason is None or (exception == ABORTED and reason[1] != "trigger"):
        return None
    number = row["checkpoint_id"]
    if number is None and (named := OF_CHECKPOINT.search(text)):
        number = int(named[1])
    place = _vertex(row, cluster, names) or (row["vertex"], row["subtask"])
    return FailureReport(
        ts_ms=row["ts_ms"],
        job_id=row["job_id"] or job_of_vertex(place[0], cluster),
        number=number,
        vertex=place[0],
        subtask=place[1],
        task_manager=row["task_manager"],
        by=row["process"] or "",
        reason=reason[0],
        kind=reason[1],
        exception=exception,
        message=((row["root_cause_message"] if row["root_cause_class"] else row["exception_message"]) or "")[:300],
        frame=row["root_cause_frame"],
        user_frame=row["user_frame"],
        thrown_in=row["thrown_in"],
        own_frames=tuple((row["own_frames"] or "").split()),
        causes=row["causes"],
        stack=row["frames"],
        citation=_citation(row),
    )


def _printed(reason: str) -> dict[str, str] | None:
    """The innermost exception that a reason prints, as the columns of a record; None where it prints none."""
    found = None
    while each := PRINTED.match(found[2] if found else reason):
        found = each
    if found is None:
        return None
    return {"root_cause_class": found[1], "root_cause_message": found[2], "causes": reason}


def _report_of_threshold(row: Mapping[str, Any], text: str) -> FailureReport:
    named = THRESHOLD_REASON.search(text)
    reason = reason_of(named[1]) if named else last_failure_of(row["frames"] or "")
    return FailureReport(
        ts_ms=row["ts_ms"],
        job_id=row["job_id"],
        by="threshold",
        reason=reason[0] if reason else "",
        kind=reason[1] if reason else "consequence",
        message=(named[1] if named else "")[:300],
        citation=_citation(row),
    )


def _citation(row: Mapping[str, Any]) -> Citation:
    said = row["message"] or f"{row['exception_class']}: {row['exception_message']}"
    root = ": ".join(part for part in (row["root_cause_class"], row["root_cause_message"]) if part)
    text = f"{said} Caused by {root}" if root else said
    return Citation.cite_row(row, "rest" if row["process"] == "rest" else "log", text[:400])


def _reports_of_histories(evidence: Evidence) -> list[FailureReport]:
    """The failed checkpoints of REST answers, which state a reason but no exception."""
    reports: list[FailureReport] = []
    for job_id, history in checkpoint_histories(evidence).items():
        for checkpoint in history.checkpoints:
            if checkpoint.status in ("completed", "expired", "in_progress", "aborted") or not checkpoint.reason:
                continue
            reason = reason_of(checkpoint.reason)
            if reason and checkpoint.citations:
                blank = FailureReport(
                    ts_ms=checkpoint.ended_ms or checkpoint.triggered_ms,
                    job_id=job_id,
                    number=checkpoint.number,
                    by="rest",
                    reason=reason[0],
                    kind=reason[1],
                    message=checkpoint.reason[:300],
                    citation=checkpoint.citations[-1],
                )
                reports.append(blank)
    return reports


def _failures_of_job(evidence: Evidence, job_id: str | None, reports: Sequence[FailureReport]) -> CheckpointFailures:
    history = checkpoint_histories(evidence).get(job_id)
    known = {each.number: each for each in history.checkpoints} if history else {}
    grouped: dict[tuple[int | None, int | None], list[FailureReport]] = defaultdict(list)
    for each in reports:
        if each.by != "threshold":
            # A trigger that failed before the checkpoint had an id: records of different times are different failures.
            moment = each.ts_ms if each.number is None and each.kind == "trigger" else None
            grouped[each.number, moment].append(each)
    failures = []
    for (number, _), of_number in grouped.items():
        checkpoint = known.get(number) if number is not None else None
        if any(CLOSED in (each.causes or each.message) for each in of_number):
            of_number = [replace(each, kind="consequence") for each in of_number]
        ordered = tuple(sorted(of_number, key=_report_order))
        if checkpoint is not None and _is_other(checkpoint.status, ordered[0]):
            continue
        stamps = [each.ts_ms for each in of_number if each.ts_ms is not None]
        duration_ms = checkpoint.duration_ms if checkpoint else None
        failures.append(CheckpointFailure(number, min(stamps, default=None), duration_ms, ordered))
    failures.sort(key=lambda each: (each.ts_ms is None, each.ts_ms or 0, each.number or 0))
    thresholds = _apart([each for each in reports if each.by == "threshold"])
    return CheckpointFailures(job_id, tuple(failures), tuple(thresholds))


def _is_other(status: str, lead: FailureReport) -> bool:
    """Whether the history shows that the checkpoint ended in another way than the report says."""
    return status == "expired" or (status == "completed" and lead.kind != "snapshot")


def _report_order(report: FailureReport) -> tuple[Any, ...]:
    """Sort key, the most informative first: a failed snapshot before its consequences, with exception and task."""
    return (
        KIND_ORDER.index(report.kind),
        report.user_frame is None,
        report.exception is None,
        report.vertex is None,
        report.ts_ms or 0,
        report.citation.file_id,
        report.citation.line or 0,
    )


SAME_MS = 2_000
"""Records of log and REST within this time are the same failure of the job. Our choice, as for faults."""


def _apart(reports: Sequence[FailureReport]) -> list[FailureReport]:
    """One report for each failure of the job."""
    kept: list[FailureReport] = []
    for each in sorted(reports, key=lambda one: (one.ts_ms or 0, one.citation.file_id, one.citation.line or 0)):
        near = next((one for one in kept if abs((one.ts_ms or 0) - (each.ts_ms or 0)) <= SAME_MS), None)
        if near is None:
            kept.append(each)
        elif not near.reason and each.reason:
            kept[kept.index(near)] = replace(near, reason=each.reason, kind=each.kind, message=each.message)
    return kept
