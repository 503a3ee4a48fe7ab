"""Tasks that do not end when cancelled: a call blocks and ignores the interruption; and what it waits for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from diagnostics.arithmetic.quantiles import highest
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.fault import job_of_vertex
from diagnostics.reconstruction.failures.incident_log import LogEvent, incident_log
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.known_frames import OUTSIDE, stack

FRAME = re.compile(r"(?:^|\s)(?:[\w.@-]{1,80}/)?((?:[\w$-]{1,200}\.){1,30}[\w$<>]{1,200})\(")
"""A frame among the lines below the warning. Source: Flink's Task, which prints the stack of the stuck thread."""
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
        frames = next((frames for each in stuck if (frames := FRAME.findall(each.reason or ""))), [])
        facts: dict[str, FactValue] = {
            "warnings": len(stuck),
            "killed": len(job_events) - len(stuck),
            "tasks": len({(each.vertex, each.subtask) for each in stuck}),
            "vertex": next((each.vertex for each in stuck if each.vertex), None),
            "frame": frames[0] if frames else None,
            **_waits_for(frames),
            "longest_ms": highest(each.count * 1000.0 if each.count is not None else None for each in stuck),
        }
        yield Signal(
            "stuck_tasks",
            Subject(job=job),
            known_facts(facts),
            tuple(each.cite() for each in job_events[:SHOWN]),
            citation_count=len(job_events),
        )


def _waits_for(frames: Sequence[str]) -> dict[str, FactValue]:
    """The outside system whose client the task is stuck in, and what for; frames have the innermost first.

    As in signals/blocking_calls.py, a plain call (HTTP, socket) in an operator that is no sink counts as a look-up.
    """
    waiting = stack(frames[::-1]) if frames else None
    if waiting is None or waiting.idle or waiting.purpose not in OUTSIDE:
        return {}
    role: str | None = waiting.purpose
    if waiting.role in ("sink", "look-up", "source"):
        role = waiting.role
    elif waiting.role == "transform" and role == "call":
        role = "look-up"
    return {"system": waiting.system, "role": role, "own_frame": waiting.user}


FACTS = {
    "warnings": "warnings that a task did not react to its cancellation",
    "killed": "TaskManagers that ended themselves because a task never reacted to its cancellation",
    "tasks": "different tasks that were warned of",
    "vertex": "first task that is stuck",
    "frame": "method that the task is stuck in",
    "system": "outside system whose client is on its stack",
    "role": "purpose of the call to the outside system; look-up, sink, source or call (not known)",
    "own_frame": "innermost method of the job's own code on its stack",
    "longest_ms": "longest time that one was stuck, ms",
}

SIGNALS = (SignalDefinition("stuck_tasks", "job", FACTS, measure),)
