"""Whether there are enough task slots for each job."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import pairwise

from diagnostics.aggregators import jobs, vertices
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.configuration.deployment import submitted_ms
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults
from diagnostics.reconstruction.failures.fault import SAME_MS
from diagnostics.reconstruction.failures.incident_log import Failure, IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.failures.job_states import newest_states
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.jobmanager_gauge import gauge_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.message_remedies import remedy_of

REFUSED = (
    "NoResourceAvailableException",
    "Could not acquire the minimum required resources",
    "Pending slot request timed out in SlotPool",
    "Slot allocation request timed out",
    "Slot request timed out",
    ") is unfulfillable",
)
QUEUED = (
    "Application is added to the scheduler and is not yet activated",
    "waiting for resources to be assigned for AM",
)
"""How YARN reports an application whose first container it does not start. Source: Hadoop's
AMState and SchedulerApplicationAttempt of the Capacity and Fair Schedulers.
"""
SHORTLY_MS = 15_000
"""The number of slots at a refusal is read within this time of it. Our choice: a few scrapes."""
STILL_PENDING = "no node has taken the pod"
"""What the readers of pods write of one that had no node when it was printed."""
SHOWN = 6
NOT_DEPLOYED = ("SCHEDULED", "CREATED")
"""States of a task that has no slot yet. Source: Flink's ExecutionState."""
LONG_MS = 60_000
"""A job none of whose tasks was deployed for this time waits for its slots. Our choice: TaskManagers that Flink asks
for mostly come within a minute.
"""
REGISTERED = re.compile(
    r"Registering TaskManager (?:with ResourceID )?(\S{1,200})|Registered TaskManager at \S{1,200} \((\S{1,200})\)"
)
CLOSED = re.compile(
    r"(?:Closing TaskExecutor connection|of TaskManager with id|TaskManager with id|Task manager(?= akka)) (\S{1,200})"
)
"""Source: Flink's own log statements (res.tm.register, res.tm.closing, hb.tm)."""
GENERATED = re.compile(r":\d{1,5}-[0-9a-f]{6}$")
"""End of a ResourceID that a TaskManager generated itself, `host:port-` and six random digits: no other process has it,
so a repeated registration is its owner after a lost connection. Source: Flink's TaskManagerRunner, 1.11 and later.
"""


def measure(evidence: Evidence) -> Measured:
    """Slots that each job needs, existing slots, and failed requests.

    Reads   log_record (also events of Kubernetes), failure, metric_sample (taskSlotsTotal, taskSlotsAvailable,
            numRunningJobs), vertex, job.
    Gives   one signal per job; a pod without a node counts for its job, or for every job where that is unknown.
    Empty   NotMeasured without logs, exceptions and metrics.
    """
    if not any(evidence.has(table) for table in ("log_record", "failure", "metric_sample")):
        yield NotMeasured("slots", "jobmanager-log", "no log, exception or metric mentions slots")
        return
    log, cluster = incident_log(evidence), cluster_of(evidence)
    refused: list[LogEvent | Failure] = [*log.of("no_resource")]
    refused += [each for each in log.failures if _is_refusal(each)]
    named = sorted({each.job_id for each in refused if each.job_id} | set(cluster.job_names))
    listed: list[str | None] = [*named] or [None]
    common = _under_one_name(log) if evidence.has_logs() else {}
    running = {job_id for job_id, state in newest_states(evidence).items() if state == "RUNNING"}
    queued = [each.message for each in blamed_faults(evidence) if any(text in each.message for text in QUEUED)]
    for job in listed:
        pods = [each for each in log.of("unschedulable") if each.job_id in (None, job)]
        own = [each for each in refused if each.job_id == job or (each.job_id is None and len(listed) == 1)]
        from_ms = submitted_ms(evidence).get(job, 0) if job else 0
        unnamed = [
            each
            for each in refused
            if each.job_id is None and len(listed) > 1 and each not in own and not _is_of_another(each, job, refused)
        ]
        own += [each for each in unnamed if each.ts_ms is None or each.ts_ms >= from_ms]
        totals = _totals(evidence, job)
        facts: dict[str, FactValue] = {"resource": "slots", **_without_node(pods), **common, **totals}
        if evidence.has_logs() or evidence.has("failure"):
            facts["refused"] = _times(own)
        if (waited := _waited_ms(evidence, job)) is not None:
            facts["waited_ms"] = waited
        if queued:
            facts |= {"queued": len(queued), "queued_remedy": remedy_of(queued[-1])}
        needed = _needed(job, cluster)
        if needed:
            facts["required"] = needed
            total = totals.get("total_end")
            if isinstance(total, int):
                facts["missing"] = max(0, needed - total)
                facts["parallelism_that_fits"] = total or None
                facts["needed_slots"] = _slots_by_task_manager(needed, total, cluster)
                if own:
                    refused_jobs = {each.job_id for each in refused}
                    facts |= _held_by_others(needed, total, running - {job} - refused_jobs, cluster)
        stamps = [each.ts_ms for each in own if each.ts_ms is not None]
        if stamps:
            facts |= {"first_ms": min(stamps), "last_ms": max(stamps), "from_start": _is_from_start(log, min(stamps))}
            facts |= _at_refusal(evidence, job, min(stamps), needed)
            lost = [each.ts_ms for each in log.of("lost") if each.ts_ms is not None]
            facts["refused_before_loss"] = (
                _times([each for each in own if (each.ts_ms or 0) < min(lost)]) if lost else None
            )
        yield Signal(
            key="slots",
            subject=Subject(job=job),
            facts=known_facts(facts),
            citations=tuple(each.cite() for each in [*own[:SHOWN], *pods[:SHOWN]]),
            citation_count=len(own) + len(pods),
            window=(min(stamps), max(stamps)) if stamps else None,
        )


def _is_from_start(log: IncidentLog, refused_ms: int) -> bool:
    """Whether the JobManager's log begins with its start, so that no TaskManager was lost before it."""
    starts = [each for each in log.of("process_start") if each.process == "jobmanager"]
    return any(each.ts_ms is not None and each.ts_ms <= refused_ms for each in starts)


def _is_of_another(unnamed: LogEvent | Failure, job: str | None, refused: Sequence[LogEvent | Failure]) -> bool:
    """Whether a refusal whose record names no job is that of another one: a refusal of that job, and none of this one,
    is of the same time.
    """
    near = {
        each.job_id
        for each in refused
        if each.job_id
        and each.ts_ms is not None
        and unnamed.ts_ms is not None
        and abs(each.ts_ms - unnamed.ts_ms) <= SAME_MS
    }
    return bool(near) and job not in near


def _is_refusal(failure: Failure) -> bool:
    told = f"{failure.exception_class} {failure.root_cause_class} {failure.texts}"
    return any(text in told for text in REFUSED)


def _waited_ms(evidence: Evidence, job: str | None) -> int | None:
    """How long the newest answer of REST shows a job without a task that has a slot; None where one has."""
    answers = [row for row in named_rows(evidence.answer(jobs.AGGREGATOR)) if row.job_id == job and row.start_ms]
    tasks = [row for row in named_rows(evidence.answer(vertices.AGGREGATOR)) if row.job_id == job and row.status]
    newest = max((row.ts_ms or 0 for row in tasks), default=None)
    states = {row.status for row in tasks if (row.ts_ms or 0) == newest}
    if not answers or "SCHEDULED" not in states or not states.issubset(NOT_DEPLOYED):
        return None
    answer = max(answers, key=lambda row: row.ts_ms or 0)
    waited = (newest or 0) - int(answer.start_ms)
    return waited if answer.state in ("RUNNING", "CREATED") and waited >= LONG_MS else None


def _needed(job: str | None, cluster: Cluster) -> int | None:
    """Slots of the job: its highest parallelism, as with one slot sharing group (Flink's default)."""
    return max(
        (task.parallelism for task in cluster.tasks.values() if task.job_id == job and task.parallelism), default=None
    )


def _held_by_others(needed: int, total: int, others: Set[str], cluster: Cluster) -> dict[str, FactValue]:
    """Slots that other running jobs hold, where they are the reason why a job that would fit has too few.

    `missing` and `needed_slots` then count the slots for all of these jobs.
    """
    held = {job: slots for job in others if (slots := _needed(job, cluster))}
    taken = sum(held.values())
    if not held or needed > total or needed + taken <= total:
        return {}
    holder = max(held, key=lambda job: (held[job], job))
    return {
        "held_by_others": min(taken, total),
        "holder": cluster.job_names.get(holder) or holder,
        "missing": needed + taken - total,
        "needed_slots": _slots_by_task_manager(needed + taken, total, cluster),
        "left_by_others": max(total - taken, 0),
    }


def _slots_by_task_manager(needed: int, total: int, cluster: Cluster) -> int | None:
    """Slots that each TaskManager needs so that the job fits; None when it does, or when they are not known."""
    task_managers = len(cluster.task_managers)
    return -(-needed // task_managers) if task_managers and needed > total else None


def _totals(evidence: Evidence, job: str | None) -> dict[str, FactValue]:
    """Slots at the end and at most, and how many slots and running jobs are missing from the most."""
    facts: dict[str, FactValue] = {}
    for metric, name, fell_by in (
        ("taskSlotsTotal", "total", "fell_by"),
        ("taskSlotsAvailable", "free", None),
        ("numRunningJobs", None, "running_jobs_fell_by"),
    ):
        gauge = gauge_of(evidence, metric, job)
        if gauge and name:
            facts |= {f"{name}_end": gauge.newest, f"{name}_most": gauge.most}
        if gauge and fell_by:
            facts[fell_by] = gauge.most - gauge.newest
    return facts


def _times(refused: Sequence[LogEvent | Failure]) -> int:
    """Number of refusals; task, job and REST report the same refusal within seconds."""
    stamps = sorted(each.ts_ms for each in refused if each.ts_ms is not None)
    apart = sum(after - before > SAME_MS for before, after in pairwise(stamps))
    return apart + 1 if stamps else len(refused)


def _without_node(pods: Sequence[LogEvent]) -> dict[str, FactValue]:
    """Pods that Kubernetes could not schedule, and the reason."""
    if not pods:
        return {}
    still = [each for each in pods if STILL_PENDING in each.message]
    events = [each for each in pods if each not in still] or pods
    reason = Counter(each.message.partition(": ")[2] or each.message for each in events).most_common(1)[0][0]
    return {
        "unscheduled": sum(int(each.count or 1) for each in events),
        "unscheduled_reason": reason[:200],
        "unscheduled_remedy": remedy_of(reason),
        "pending": len(still),
    }


def _under_one_name(log: IncidentLog) -> dict[str, FactValue]:
    """The ResourceID registered most often while still registered: each time another process used the same id.

    Registrations after a ResourceManager's start or change of leader do not count.
    """
    kinds = ("registered", "closed", "lost", "leadership", "process_start")
    events = [each for kind in kinds for each in log.of(kind)]
    present: set[str] = set()
    again: Counter[str] = Counter()
    for change in sorted(events, key=lambda event: (event.ts_ms or 0, event.kind)):
        if change.kind == "registered" and (hit := REGISTERED.match(change.message)):
            name = hit[1] or hit[2]
            again[name] += name in present and not GENERATED.search(name)
            present.add(name)
        elif change.kind in ("leadership", "process_start"):
            if change.process == "jobmanager":
                present.clear()
        elif hit := CLOSED.search(change.message):
            present.discard(hit[1])
    taken = [(count, name) for name, count in again.items() if count]
    return {"replaced": max(taken)[0], "replaced_id": max(taken)[1]} if taken else {"replaced": 0}


def _at_refusal(evidence: Evidence, job: str | None, refused_ms: int, needed: int | None) -> dict[str, FactValue]:
    """Fewest slots from shortly before the first refusal on."""
    gauge = gauge_of(evidence, "taskSlotsTotal", job)
    near = range(refused_ms - SHORTLY_MS, refused_ms + SHORTLY_MS + 1)
    counts = [value for ts_ms, value in gauge.levels if ts_ms in near] if gauge else []
    if not counts:
        return {}
    least = round(min(counts))
    return {"total_then": least, "missing_then": max(0, needed - least) if needed else None}


SIGNALS = (
    SignalDefinition(
        key="slots",
        level="job",
        facts={
            "resource": "`slots`",
            "refused": "requests for slots that were not fulfilled",
            "unscheduled": "events of Kubernetes about a pod for which no node has room",
            "unscheduled_reason": "the reason that most of them give",
            "unscheduled_remedy": "remedy of the reason for which a pod has no node",
            "pending": "pods that had no node yet when they were listed or described",
            "required": "slots the job needs with one slot sharing group: its highest parallelism",
            "total_end": "slots of all TaskManagers at the end",
            "total_most": "most slots at any time",
            "free_end": "free slots at the end",
            "free_most": "most free slots at any time",
            "fell_by": "slots at most minus slots at the end",
            "running_jobs_fell_by": "jobs that ran at most minus jobs that run at the end",
            "refused_before_loss": "requests for slots not fulfilled before any TaskManager was lost, where one was",
            "from_start": "whether the JobManager's log shows its start before the first refusal",
            "missing": "slots that are missing at the end, also for the other jobs that run",
            "held_by_others": "slots that other running jobs hold, where the job would fit without them",
            "holder": "the other job that holds most of them",
            "left_by_others": "slots that the other running jobs leave",
            "parallelism_that_fits": "highest parallelism for the slots at the end; absent without a slot",
            "needed_slots": "slots that each TaskManager needs so that the job fits",
            "queued": "reports of YARN that the application waits for its first container",
            "queued_remedy": "remedy of the reason for which YARN starts no container of the application",
            "waited_ms": "time of a job without a task that has a slot, ms",
            "total_then": "fewest slots around the first refusal",
            "missing_then": "slots that were missing around the first refusal",
            "replaced": "registrations of a TaskManager under a ResourceID that was still in use, the most of any",
            "replaced_id": "that ResourceID",
            "first_ms": "first refusal, epoch ms",
            "last_ms": "last refusal, epoch ms",
        },
        measure=measure,
    ),
)
