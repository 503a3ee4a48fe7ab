"""Failures because a limit of the host or container is reached: disk, open files, processes, reserved memory."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.errors.blamed_fault import blamed_by_job, came_before
from diagnostics.reconstruction.failures.fault import Fault, rounds_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

LIMITS = {
    "disk_full": "a disk is full",
    "open_files": "the limit of open files is reached",
    "processes": "the limit of processes and threads is reached",
    "memory_limit": "the memory set aside for it is used up",
    "slow_start": "the process gets too little processor time to start",
}
"""Origin of a failure -> the limit as a clause."""
SHOWN = 8


def measure(evidence: Evidence) -> Measured:
    """Failures of each job that a limit of a host or container causes.

    Failures during a snapshot are measured in signals/checkpoint_declines.py.

    Reads   log_record, failure, and the histories of checkpoints.
    Gives   one signal per job that failed, also when no failure is of that kind.
    Empty   NotMeasured without logs and exceptions.
    """
    faults = blamed_by_job(evidence)
    if faults is None:
        yield NotMeasured("host_limits", "taskmanager-log", "no log and no exceptions were given")
        return
    yield from (_signal(job, of_job, evidence) for job, of_job in faults)


def _signal(job: str | None, faults: Sequence[Fault], evidence: Evidence) -> Signal:
    limited = [fault for fault in faults if fault.origin.id in LIMITS and not fault.in_snapshot]
    facts: dict[str, FactValue] = {"failures": len(faults), "of_limits": len(limited)}
    if limited:
        first = limited[0]
        facts |= {
            "kind": LIMITS[first.origin.id],
            "said": first.said,
            "remedy": repair_of(first, evidence),
            "reported_by": first.reported_by,
            "is_first": came_before(faults, first) is None,
            "rounds": max(len(rounds_of(limited)), 1),
            "first_ms": first.ts_ms,
            "task_managers": sorted({each.task_manager for each in limited if each.task_manager})[:SHOWN] or None,
        }
    stamps = [fault.ts_ms for fault in limited if fault.ts_ms is not None]
    return Signal(
        "host_limits",
        Subject(job=job),
        known_facts(facts),
        tuple(fault.citation for fault in limited[:SHOWN]),
        citation_count=len(limited),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


FACTS = {
    "failures": "failures of tasks or of the job, and errors where no failure says what is wrong",
    "of_limits": "failures or errors that a limit of a host or container causes",
    "kind": "the limit that is reached",
    "said": "class and message of the innermost exception that the limit causes",
    "remedy": "repair of a failure with this message",
    "reported_by": "who reports it; failure (of a task or job), process, client, error, warning, passed",
    "is_first": "whether the first failure of the job is caused by the limit",
    "rounds": "attempts that failed with it; subtasks that fail together are one",
    "first_ms": "first failure or error with the limit, epoch ms",
    "task_managers": "TaskManagers on which it happened",
}

SIGNALS = (SignalDefinition("host_limits", "job", FACTS, measure),)
