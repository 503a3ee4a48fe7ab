"""Checkpoints that failed before their timeout: reason, operator, exception, user frame and consequences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from diagnostics.arithmetic.onset import END_FACTS, end_facts, ended_ms
from diagnostics.arithmetic.quantiles import highest, known, lowest
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.failure import (
    CheckpointFailure,
    CheckpointFailures,
    FailureReport,
    failures_by_job,
)
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History, NotStarted, checkpoint_histories
from diagnostics.reconstruction.checkpoints.parts import checkpoint_parts
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.task_start import task_starts
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.decline_reasons import OVERTAKEN, STOPPED, WAITING
from diagnostics.vocabulary.fault_origins import UNKNOWN
from diagnostics.vocabulary.message_remedies import remedy_of

SHOWN = 8
STATE_LIMIT = "state_limit"
"""Id of an origin in `vocabulary/fault_origins.yaml`: the state is larger than what the storage takes."""
LOCAL_ORIGINS = ("local_disk", "disk_full")
LOCAL_FILES = ("RocksDBException", "RocksDB instance", "ForSt instance", "/flink-io-", "localState/", "/tm_")
"""Origins that can be of a TaskManager's own disk, and texts of a chain that show that they are: exceptions of RocksDB,
and Flink's names of its local folders. Source: Flink's IOManager and TaskExecutorLocalStateStoresManager.
"""
MOST_LISTED = 12
"""How many checkpoints and subtasks a list holds. Our choice: keeps a sentence readable."""
OF_TASKS = ("snapshot", "alignment limit", "finalize", "trigger", "closing")
"""Kinds of failures that need an explanation; the others are harmless or follow from something else."""
FINISHED = ("but FINISHED instead", "have already finished", "has been finished, abort the checkpoint")
"""Texts of refused triggers when tasks of the job have finished. Source: Flink's own log statements
(jm.ckpt.task_not_running) and Flink's DefaultCheckpointPlanCalculator (the last one: of 1.13)."""

NOT_RUNNING = re.compile(
    r"triggering task ([^\n]{1,300}?) of job [0-9a-f]{32} is not in state RUNNING but (\w{1,20}) instead"
)
"""The task that lets a trigger be refused, and its state; in texts of at most 2,000 characters. Source: Flink's own log
statements before 1.13 (jm.ckpt.task_not_running)."""

WRAPPER = "org.apache.flink.runtime.checkpoint.CheckpointException"
"""Has Flink's reason as its message; the exception that a task failed with is its cause."""
WHOLE = ("alignment limit", "closing")
"""Kinds whose reason says all: no exception is behind it."""

UNANSWERED = re.compile(
    r"(?:Invocation of \[?(?:RemoteRpcInvocation\(|public )[^\n]{0,300}?recipient|Ask timed out on) ?\[(?:Actor\[)?"
    r"\w{1,10}\.tcp://\w{1,40}@([^\s/\]]{1,200})/user/(?:rpc/)?taskmanager_"
)
"""A call to a TaskManager that was not answered within pekko.ask.timeout, with its address; in texts of at most 2,000
characters. Source: Flink's PekkoInvocationHandler, Pekko's AskTimeoutException.
"""

BY_THE_JVM = re.compile(
    r"\.(?:NullPointer|ClassCast|Arithmetic|ArrayStore|NegativeArraySize|\w*IndexOutOfBounds|ConcurrentModification"
    r"|NoSuchElement|NumberFormat)Exception$|Error$"
)
"""Exceptions that code does not throw on purpose. Source: the Java Language Specification, chapter 15.6, and the JDK's
collections."""


def measure(evidence: Evidence) -> Measured:
    """Checkpoints of each job that were declined or failed otherwise, except expired ones.

    Reads   log_record (declines, failed snapshots, job failures), failure, checkpoint, subtask_checkpoint.
    Gives   one signal per job with evidence about checkpoints, also when none failed.
    Empty   NotMeasured without logs, exceptions and checkpoints; additionally NotMeasured beside the signal when a
            checkpoint failed without an exception that explains it.
    """
    if not (evidence.has_logs() or evidence.has("failure") or evidence.has("checkpoint")):
        yield NotMeasured(
            "checkpoint_declines", "jobmanager-log", "no log, no exceptions and no checkpoints were given"
        )
        return
    failed, histories, cluster = failures_by_job(evidence), checkpoint_histories(evidence), cluster_of(evidence)
    jobs = sorted({*failed, *histories}, key=repr)
    for job_id in jobs:
        of_job = failed.get(job_id, CheckpointFailures(job_id))
        history = histories.get(job_id, History(job_id))
        facts = _facts(evidence, of_job, history, cluster)
        unexplained = facts.get("failures") or facts.get("thresholds")
        if unexplained and "exception" not in facts and "whole_reason" not in facts:
            yield NotMeasured("checkpoint_declines", "jobmanager-log", "no exception states why checkpoints failed")
        yield _signal(of_job, history, facts)


def _facts(evidence: Evidence, of_job: CheckpointFailures, history: History, cluster: Cluster) -> dict[str, FactValue]:
    real = _real(of_job)
    facts: dict[str, FactValue] = {
        "failures": len(real),
        "finished_tasks": sum(each.lead.kind == "finished tasks" for each in of_job.failures),
        "declined_not_ready": sum(each.lead.kind == "not ready" for each in of_job.failures),
        "consequences": sum(each.lead.kind == "consequence" for each in of_job.failures),
        "overtaken": sum(each.lead.reason == OVERTAKEN for each in of_job.failures),
        "consequence_reasons": _counted(each.lead.reason for each in of_job.failures if each.lead.kind == "consequence")
        or None,
        "expired": sum(each.lead.kind == "expired" for each in of_job.failures),
        "thresholds": len(of_job.thresholds),
        "threshold_reason": next((each.message for each in of_job.thresholds if each.message), None),
        "threshold_kind": next((each.kind for each in of_job.thresholds if each.reason), None),
        **_refused(history),
    }
    if facts["not_ready"]:
        facts |= _slowest_start(evidence)
    if real:
        facts |= _course(real, history) | _cause(real) | _whole_reason(real) | _places(real)
        if facts.get("origin") == STATE_LIMIT:
            # The limit stays, and the next growth of the state fails again.
            facts.pop("ended_ms", None)
        if "vertex" not in facts:
            facts |= _unacknowledged(evidence, of_job.job_id, real, cluster)
    return known_facts(facts)


def _real(of_job: CheckpointFailures) -> list[CheckpointFailure]:
    return [each for each in of_job.failures if each.lead.kind in OF_TASKS]


def _refused(history: History) -> dict[str, FactValue]:
    """Triggers refused before any task was asked: tasks not running yet, or finished."""
    early = [each for each in history.not_started if each.not_ready and not _has_finished(each.reason)]
    finished = [each for each in history.not_started if _has_finished(each.reason)]
    others = [each for each in history.not_started if not each.not_ready and not _has_finished(each.reason)]
    waiting = [each for each in others if _says(each.reason, WAITING)]
    refused = [each for each in others if not _says(each.reason, (*WAITING, *STOPPED))]
    facts: dict[str, FactValue] = {
        "not_ready": sum(each.count for each in early),
        "finished_refusals": sum(each.count for each in finished),
        "waiting": sum(each.count for each in waiting),
        "refused": sum(each.count for each in refused),
    }
    if waiting:
        facts["waiting_reason"] = waiting[0].reason[:200]
    if refused:
        facts |= {"refused_reason": refused[-1].reason[:200], "refused_is_last": _is_last(refused, history)}
    if early:
        facts["not_ready_reason"] = early[0].reason.partition(" Failure reason:")[0][:200]
        stamps = known(stamp for each in early for stamp in (each.first_ms, each.last_ms))
        if stamps:
            facts |= {"not_ready_first_ms": min(stamps), "not_ready_last_ms": max(stamps)}
        facts["not_ready_is_last"] = _is_last(early, history)
        if named := NOT_RUNNING.search(max(early, key=lambda each: each.last_ms or 0).reason):
            facts |= {"not_ready_task": named[1], "not_ready_state": named[2]}
    if finished:
        facts["finished_reason"] = finished[-1].reason[:200]
        facts["finished_is_last"] = _is_last(finished, history)
    return facts


def _is_last(refused: Sequence[NotStarted], history: History) -> bool:
    """Whether no checkpoint completed after the last refused trigger."""
    last = highest(known(each.last_ms for each in refused))
    completed = highest(known(each.ended_ms for each in history.select_statuses("completed")))
    return last is not None and (completed is None or completed < last)


def _says(reason: str, texts: Iterable[str]) -> bool:
    return any(text in reason for text in texts)


def _slowest_start(evidence: Evidence) -> dict[str, FactValue]:
    """The task that took longest to start, which delayed the first trigger."""
    slowest = next(iter(task_starts(evidence)), None)
    if slowest is None:
        return {}
    return {"slowest_start_vertex": slowest.vertex, "slowest_start_ms": slowest.took_ms}


def _has_finished(reason: str) -> bool:
    return any(text in reason for text in FINISHED)


def _course(real: Sequence[CheckpointFailure], history: History) -> dict[str, FactValue]:
    """When checkpoints failed, how quickly, and which completed before and after."""
    numbers = [each.number for each in real if each.number is not None]
    completed = history.select_statuses("completed")
    facts: dict[str, FactValue] = {
        "ids": numbers[-MOST_LISTED:],
        "reasons": _counted(each.lead.reason for each in real),
        "synchronous": sum(each.lead.reason == "synchronous part failed" for each in real),
        "only_untriggered": all(each.lead.kind == "trigger" for each in real),
        **_unanswered(real),
        "first_ms": lowest(known(each.ts_ms for each in real)),
        "last_ms": highest(known(each.ts_ms for each in real)),
        "shortest_ms": lowest(known(each.duration_ms for each in real)),
        "longest_ms": highest(known(each.duration_ms for each in real)),
    }
    if history.checkpoints and numbers:
        good = [each for each in completed if each.number < numbers[0]]
        facts |= {"first_id": numbers[0], "completed_after": sum(each.number > numbers[-1] for each in completed)}
        facts |= _last_good(good) | end_facts(ended_ms(history.failing_course()))
    return facts


def _unanswered(real: Sequence[CheckpointFailure]) -> dict[str, FactValue]:
    """Triggers that a TaskManager did not answer, and the addresses of these."""
    silent = [hit[1] for each in real if each.lead.kind == "trigger" and (hit := UNANSWERED.search(each.lead.chain))]
    return {"unanswered": len(silent), "unanswered_by": sorted(set(silent))[:SHOWN] or None}


def _last_good(good: Sequence[Checkpoint]) -> dict[str, FactValue]:
    return {"last_good_id": good[-1].number, "last_good_ms": good[-1].ended_ms} if good else {}


def _counted(words: Iterable[str]) -> list[str]:
    return [f"{word} ({count})" for word, count in Counter(words).most_common(SHOWN)]


def _cause(real: Sequence[CheckpointFailure]) -> dict[str, FactValue]:
    """The most frequent exception, described by its first occurrence."""
    told = [each.lead for each in real if each.lead.exception not in (None, WRAPPER)]
    if not told:
        return {}
    kinds = Counter((each.exception, each.frame) for each in told)
    most = kinds.most_common(1)[0][0]
    first = next(each for each in told if (each.exception, each.frame) == most)
    origin = first.origin
    return {
        "exception_class": first.exception,
        "exception": (first.exception or "").rpartition(".")[2],
        "message": first.message,
        "said": first.said,
        "frame": first.frame,
        "user_frame": first.user_frame,
        "own_frames": list(first.own_frames) or None,
        "in_own_code": first.user_frame is not None and first.user_frame == first.thrown_in,
        "refuses": _refuses(first),
        "origin": origin.id,
        "origin_title": origin.title if origin.id != UNKNOWN else None,
        "local_files": origin.id in LOCAL_ORIGINS and any(each in first.chain for each in LOCAL_FILES),
        "remedy": remedy_of(first.chain, first.places),
        "same_cause": kinds[most],
        "causes": len(kinds),
    }


def _whole_reason(real: Sequence[CheckpointFailure]) -> dict[str, FactValue]:
    """The kind of the last failure where its reason says all."""
    last = real[-1].lead
    return {"whole_reason": last.kind} if last.kind in WHOLE and last.exception in (None, WRAPPER) else {}


def _refuses(lead: FailureReport) -> bool | None:
    """Whether the job's own code threw the exception itself, with a message: it checks for something and refuses. None
    without a frame.
    """
    if lead.frame is None:
        return None
    return lead.frame == lead.user_frame and bool(lead.message) and not BY_THE_JVM.search(lead.exception or "")


def _places(real: Sequence[CheckpointFailure]) -> dict[str, FactValue]:
    """The operator with most declines, its subtasks and TaskManagers."""
    votes = Counter(vertex for each in real for vertex in dict.fromkeys(place[0] for place in each.places))
    hosts = sorted({each.task_manager for one in real for each in one.reports if each.task_manager})
    if not votes:
        return {"task_managers": hosts[:MOST_LISTED]} if hosts else {}
    vertex = votes.most_common(1)[0][0]
    subtasks = sorted({subtask for each in real for name, subtask in each.places if name == vertex})
    return {
        "vertex": vertex,
        "vertices": len(votes),
        "in_checkpoints": votes[vertex],
        "subtasks": subtasks[:MOST_LISTED],
        "subtask_count": len(subtasks),
        "task_managers": hosts[:MOST_LISTED] if hosts else None,
    }


def _unacknowledged(
    evidence: Evidence, job_id: str | None, real: Sequence[CheckpointFailure], cluster: Cluster
) -> dict[str, FactValue]:
    """Tasks that never acknowledged these checkpoints; used when no record names the operator."""
    numbers = {each.number for each in real}
    pending = Counter(
        part.vertex_id
        for part in checkpoint_parts(evidence)
        if part.job_id == job_id and part.number in numbers and part.pending
    )
    if not pending:
        return {}
    first = sorted(pending, key=lambda vertex: (-pending[vertex], len(cluster.upstream((job_id, vertex))), vertex))
    return {"unacknowledged": [cluster.vertex_subject(job_id, each).vertex or each for each in first[:MOST_LISTED]]}


def _signal(of_job: CheckpointFailures, history: History, facts: Mapping[str, FactValue]) -> Signal:
    real = _real(of_job)
    citations: list[Citation] = [each.lead.citation for each in real[:SHOWN]]
    citations += [each.citation for one in real[:2] for each in one.reports[1:3]]
    citations += [each.lead.citation for each in of_job.failures if each.lead.kind == "expired"][:2]
    citations += [each.citation for each in of_job.thresholds[:2]]
    citations += [each.citation for each in history.not_started[:2]]
    stamps = [stamp for each in real if (stamp := each.ts_ms) is not None]
    return Signal(
        "checkpoint_declines",
        Subject(job=of_job.job_id),
        facts,
        tuple(dict.fromkeys(citations)),
        citation_count=sum(len(each.reports) for each in real) + len(of_job.thresholds),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


FACTS = {
    "failures": "checkpoints that failed before their timeout, without those that only followed from something else",
    "ids": "which, the last ones",
    "first_id": "the first of them",
    "reasons": "Flink's reasons in words, each with how often",
    "synchronous": "failures in the synchronous part, which fail the task itself",
    "only_untriggered": "whether none of them reached all of its tasks: each could not be triggered",
    "unanswered": "triggers that a TaskManager did not answer in time",
    "unanswered_by": "addresses of these TaskManagers",
    "first_ms": "when the first failed, epoch ms",
    "last_ms": "when the last failed, epoch ms",
    **END_FACTS,
    "shortest_ms": "shortest time from trigger to failure, ms",
    "longest_ms": "longest time from trigger to failure, ms",
    "last_good_id": "last checkpoint that completed before the first failure",
    "last_good_ms": "when it completed, epoch ms",
    "completed_after": "checkpoints completed after the last failure",
    "exception_class": "class of the innermost exception that most failures have",
    "exception": "class of the innermost exception of most failures, without the package",
    "message": "message of the innermost exception of the declined checkpoints",
    "said": "class and message of the innermost exception",
    "whole_reason": "kind of the last failure where Flink's reason says all and no exception is behind it: alignment "
    "limit or closing",
    "frame": "top frame of the innermost exception",
    "user_frame": "innermost frame of the job's own code",
    "own_frames": "frames of the job's own code, innermost first",
    "in_own_code": "whether the job's own code threw the exception, or called the JDK or a library that did",
    "refuses": "whether the job's own code threw it on purpose: it checks for something and refuses the snapshot",
    "origin": "origin of the exception; an id of vocabulary/fault_origins.yaml, or own_code or unknown",
    "origin_title": "origin of the exception in words",
    "local_files": "whether it is about files of RocksDB or Flink on the TaskManager's own disk",
    "remedy": "repair of a failure with this message",
    "same_cause": "failures with this exception and frame",
    "causes": "how many different ones there are",
    "vertex": "operator or task that declined most of them",
    "vertices": "number of operators that declined checkpoints",
    "in_checkpoints": "how many checkpoints it declined",
    "subtasks": "its subtasks that did",
    "subtask_count": "how many subtasks that is",
    "task_managers": "TaskManagers from which the declines came",
    "unacknowledged": "tasks that never acknowledged these checkpoints, where no record names the operator",
    "overtaken": "checkpoints whose task went over to a newer one",
    "consequence_reasons": "why they did, in words, each with how often",
    "thresholds": "failures of the job because too many checkpoints had failed",
    "threshold_reason": "the reason that the job's failure names",
    "threshold_kind": "kind of the last failure of a checkpoint before the job failed",
    "expired": "checkpoints that expired according to an exception alone, whose number or course no file has",
    "not_ready": "triggers refused because not all tasks were running",
    "not_ready_reason": "what the first of them said",
    "not_ready_task": "task that the last of these triggers was refused for, where it is named",
    "not_ready_state": "state of that task when the last trigger was refused",
    "not_ready_first_ms": "when the first was refused, epoch ms",
    "not_ready_last_ms": "when the last was refused, epoch ms",
    "not_ready_is_last": "whether no checkpoint completed after the triggers refused for tasks that were not running",
    "declined_not_ready": "checkpoints that a task declined because it was not running yet",
    "consequences": "checkpoints that failed only because the job went down or a newer one overtook them",
    "waiting": "triggers that came too early: a minimum pause, a checkpoint under way, a full queue",
    "waiting_reason": "what the first of them said",
    "refused": "triggers refused for another reason, before any task was asked",
    "refused_reason": "what the last of them said",
    "refused_is_last": "whether no checkpoint completed after the refused triggers",
    "slowest_start_vertex": "task that took longest from INITIALIZING to RUNNING",
    "slowest_start_ms": "longest time of a task from INITIALIZING to RUNNING",
    "finished_refusals": "triggers refused because tasks have finished",
    "finished_reason": "reason of the last trigger refused because tasks have finished",
    "finished_is_last": "whether no checkpoint completed after the triggers refused because tasks have finished",
    "finished_tasks": "checkpoints that a task declined because an input has finished",
}

SIGNALS = (SignalDefinition("checkpoint_declines", "job", FACTS, measure),)
