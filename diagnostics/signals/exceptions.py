"""Failures of tasks and jobs, grouped by root cause, the first one first."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.bugs.connector_release import program_of, release_shown
from diagnostics.reconstruction.bugs.later_fixes import FIX_FACTS, later_fix
from diagnostics.reconstruction.checkpoints.running_tasks import running_tasks_ms
from diagnostics.reconstruction.failures.fault import SAME_MS, Fault, by_job, faults_in, kinds_of
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

SHOWN = 8
SHUT_DOWN = "The TaskExecutor is shutting down"
"""What tasks fail with whose TaskManager ends in order, by a signal or after an error of its own. A process that is
killed or crashes says nothing any more. Source: Flink's TaskExecutor (onStop)."""


ANSWER = "flink-rest-exceptions"
"""Format of REST's answer about failures: one without an entry says that nothing failed."""


def measure(evidence: Evidence) -> Measured:
    """Failures of each job.

    Reads   log_record, failure, and as `running_tasks_ms`.
    Gives   one signal for each job that failed; without failures one of the case that says so.
    Empty   NotMeasured without logs, exceptions, and an answer of REST about them.
    """
    if not (evidence.has_logs() or evidence.has("failure") or ANSWER in evidence.formats):
        yield NotMeasured("exceptions", "jobmanager-log", "no log and no exceptions were given")
        return
    cluster = cluster_of(evidence)
    found = by_job(faults_in(evidence))
    for job in sorted({*found, *cluster.job_names}, key=repr):
        yield _signal(job, found.get(job, []), evidence)
    if not found and not cluster.job_names:
        yield _signal(None, [], evidence)


def _signal(job: str | None, faults: Sequence[Fault], evidence: Evidence) -> Signal:
    kinds = kinds_of(faults)
    ran_ms = running_tasks_ms(evidence).get(job)
    facts: dict[str, FactValue] = {"failures": len(faults), "kinds": len(kinds)}
    if faults:
        first = faults[0]
        most = max(kinds, key=lambda kind: kind.count)
        remedy = repair_of(first, evidence)
        newest = None if remedy else release_shown(first, evidence)
        if remedy is None:
            facts |= {f"first_{name}": value for name, value in later_fix(first, evidence).items()}
        facts |= {
            "first_class": first.exception or None,
            "first_name": _name_of(first),
            "first_message": first.message,
            "first_remedy": remedy,
            "first_release": newest.release if newest else None,
            "first_flink": newest.flink if newest else None,
            "first_running": newest.running if newest else None,
            "first_program": program_of(first) if len(kinds) == 1 else None,
            "first_frame": first.frame,
            "first_frames": list(first.passed)[:SHOWN] or None,
            "first_user_frame": first.user_frame,
            "first_in_user_code": first.user_frame is not None and first.user_frame == first.frame,
            "first_ms": first.ts_ms,
            "only_shut_down": all(SHUT_DOWN in fault.message for fault in faults) or None,
            "ran_again_ms": ran_ms if ran_ms and first.ts_ms and ran_ms > first.ts_ms + SAME_MS else None,
            "first_vertex": first.vertex,
            "first_subtask": first.subtask,
            "first_task_manager": first.task_manager,
            "most_class": most.first.exception or None,
            "most_name": _name_of(most.first),
            "most_message": most.first.message,
            "most_count": most.count,
            "classes": [_name_of(kind.first) for kind in kinds[:SHOWN]],
        }
        last_ms = max((fault.ts_ms for fault in faults if fault.ts_ms is not None), default=None)
        facts["ran_since_ms"] = ran_ms - last_ms if ran_ms and last_ms and ran_ms > last_ms + SAME_MS else None
    shown = [kind.first for kind in kinds[:SHOWN]]
    shown += [fault for fault in faults if fault not in shown][: SHOWN - len(shown)]
    stamps = [fault.ts_ms for fault in faults if fault.ts_ms is not None]
    return Signal(
        key="exceptions",
        subject=Subject(job=job),
        facts=known_facts(facts),
        citations=tuple(fault.citation for fault in shown),
        citation_count=len(faults),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def measure_first(evidence: Evidence) -> Measured:
    """The first failure of any job, for rules of the whole case.

    Reads   log_record, failure.
    Gives   one signal of the case; none without a failure.
    Empty   NotMeasured without logs and exceptions.
    """
    if not (evidence.has_logs() or evidence.has("failure") or ANSWER in evidence.formats):
        yield NotMeasured("first_failure", "jobmanager-log", "no log and no exceptions were given")
        return
    first = next(iter(faults_in(evidence)), None)
    if first is None:
        return
    facts: dict[str, FactValue] = {
        "remedy": repair_of(first, evidence),
        "origin": first.origin.id,
        "said": first.said,
        "first_ms": first.ts_ms,
    }
    window = (first.ts_ms, first.ts_ms) if first.ts_ms is not None else None
    yield Signal("first_failure", Subject(), known_facts(facts), (first.citation,), citation_count=1, window=window)


def _name_of(fault: Fault) -> str:
    """The class of the root cause without its package; a cut record may print a message alone."""
    return fault.exception.rpartition(".")[2] or "an error without a class"


SIGNALS = (
    SignalDefinition(
        key="exceptions",
        level="job",
        facts={
            "failures": "failures of tasks or of the job, without those that only report another",
            "kinds": "different root causes (class and top frame)",
            "classes": "their classes, the first one first",
            "first_class": "root cause class of the first failure",
            "first_name": "class of the first failure's root cause without its package",
            "first_message": "message of the first failure's root cause",
            "first_remedy": "known repair of the first failure, by its message",
            "first_release": "newest known release of the connector at which the first failure happened",
            "first_flink": "the version of Flink that runs, for which the connector's release is chosen",
            **{f"first_{name}": meaning for name, meaning in FIX_FACTS.items()},
            "first_program": "the program in whose code the only kind of failure happened, as upgrades are named",
            "first_running": "the older release of that connector that runs, where the evidence shows it",
            "first_frames": "the frames through which the first failure went, the innermost first",
            "first_frame": "top frame of the first failure's root cause",
            "first_user_frame": "its first frame of the job's own code",
            "first_in_user_code": "whether the job's own code threw it",
            "first_ms": "time of the first failure, epoch ms",
            "only_shut_down": "true where TaskManagers that ended in order are all that tasks failed of",
            "ran_again_ms": "last time at which a task of the job ran after the first failure, epoch ms",
            "ran_since_ms": "time for which the job was seen running after its last failure, ms",
            "first_vertex": "task of the first failure",
            "first_subtask": "subtask in which it happened",
            "first_task_manager": "TaskManager on which it happened",
            "most_class": "root cause class that came most often",
            "most_name": "the same without the package",
            "most_message": "message of the most frequent failure",
            "most_count": "how often it came",
        },
        measure=measure,
    ),
    SignalDefinition(
        key="first_failure",
        level="case",
        facts={
            "remedy": "known repair of the first failure of any job, by its message",
            "origin": "origin of the first failure; memory, network, outside_system, own_code and others",
            "said": "class and message of the first failure's root cause",
            "first_ms": "time of the first failure, epoch ms",
        },
        measure=measure_first,
    ),
)
