"""Tasks that do not end when cancelled: a call blocks and ignores the interruption."""

from __future__ import annotations

import re

from diagnostics.arithmetic.quantiles import highest
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.fault import job_of_vertex
from diagnostics.reconstruction.failures.incident_log import LogEvent, incident_log
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

FRAME = re.compile(r"^[ \t]{0,20}(?:at )?(?:[\w.@-]{1,80}/)?((?:[\w$-]+\.){1,30}[\w$<>]{1,200})\(", re.MULTILINE)
"""A stack line of the warning. Source: Flink's Task, which prints the stack of the stuck thread."""
SHOWN = 4


def measure(evidence: Evidence) -> Measured:
    """Cancellations that hang, with the blocking method, per job.

    Reads   log_record (warnings of Task).
    Gives   one signal per job, also without such a warning.
    Empty   NotMeasured without Flink's logs.
    """
    if not evidence.has_logs():
        yield NotMeasured("stuck_tasks", "taskmanager-log", "no log was given")
        return
    log, cluster = incident_log(evidence), cluster_of(evidence)
    by_job: dict[str | None, list[LogEvent]] = {each: [] for each in cluster.job_names} or {None: []}
    for event in log.of("stuck"):
        by_job.setdefault(event.job_id or job_of_vertex(event.vertex, cluster), []).append(event)
    for job, job_events in sorted(by_job.items(), key=lambda item: repr(item[0])):
        stuck = [each for each in job_events if each.event != "task.cancel.timeout"]
        frame = next((hit[1] for each in stuck if (hit := FRAME.search(each.message))), None)
        facts: dict[str, FactValue] = {
            "warnings": len(stuck),
            "killed": len(job_events) - len(stuck),
            "tasks": len({(each.vertex, each.subtask) for each in stuck}),
            "vertex": next((each.vertex for each in stuck if each.vertex), None),
            "frame": frame,
            "longest_ms": highest(each.count * 1000.0 if each.count is not None else None for each in stuck),
        }
        yield Signal(
            "stuck_tasks",
            Subject(job=job),
            known_facts(facts),
            tuple(each.cite() for each in job_events[:SHOWN]),
            citation_count=len(job_events),
        )


FACTS = {
    "warnings": "warnings that a task did not react to its cancellation",
    "killed": "TaskManagers that ended themselves because a task never reacted to its cancellation",
    "tasks": "different tasks that were warned of",
    "vertex": "first task that is stuck",
    "frame": "method that the task is stuck in",
    "longest_ms": "longest time that one was stuck, ms",
}

SIGNALS = (SignalDefinition("stuck_tasks", "job", FACTS, measure),)
