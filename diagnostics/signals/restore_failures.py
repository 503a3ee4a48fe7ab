"""Jobs that cannot start from a checkpoint or savepoint: what does not match, missing files, frequency."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from diagnostics.aggregators import restore_records
from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.located import RESTORED_FROM
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults
from diagnostics.reconstruction.failures.fault import Fault, by_job, rounds_of
from diagnostics.reconstruction.job.task_start import TaskStart, task_starts
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.message_remedies import known_message

MOST_LISTED = 12
PLACE = ("ts_ms", *CITATION_COLUMNS)
POSITION_GONE = (
    "trying to read binlog starting at",
    "Could not find first log file name in binary log index file",
    "purged required binary logs",
    "has purged binary logs",
    "do not contain the offset scn",
    "ResumeToken not found",
    "resume of change stream was not possible",
    "resume point may no longer be in the oplog",
    "requested WAL segment",
    "has been removed from the database write-ahead log",
    "can no longer get changes from replication slot",
    "can no longer access replication slot",
    "This slot has been invalidated",
    "ChangeStreamHistoryLost",
)
"""Texts of a CDC source whose database no longer has the restored position. Source: Debezium's connectors and the
databases' own messages.
"""
HISTORY_GONE = ("whose schema isn't known to this connector", "db history topic or its content is fully or partially")
"""Texts of a CDC source whose restored schema history lacks a table. Source: Debezium's connectors."""
RESTORING = (
    *POSITION_GONE,
    *HISTORY_GONE,
    "Could not restore ",
    "Failed to rollback to checkpoint/savepoint",
    "Failed when trying to restore",
    "Failed to restore",
    "Error while restoring",
    "Unable to restore",
    "Can not restore",
    "Cannot find checkpoint or savepoint",
    "Cannot find meta data file",
    "There is no operator for the state",
    "Cannot map checkpoint/savepoint state",
    "StateMigrationException",
    "restored TimerService",
    "Unexpected magic number",
    "Could not retrieve checkpoint",
    "is higher than the max parallelism",
    "Corrupt stream, found tag",
)
"""Texts in an exception chain during a restore of state. Source: Flink's own log statements (restore.*, state.alt.*)
and the restore operations of Flink's state backends.
"""
SINK_FILE = re.compile(
    r"(?:Failed to open input stream for file|File does not exist): \S{1,500}/metadata/\S{1,200}\.avro"
)
"""A manifest that the state of Iceberg's committer names and that is gone. Source: Iceberg's HadoopInputFile; manifests
of a sink are temporary files of the table's metadata folder, named in its state.
"""
RESTORE_FRAMES = re.compile(r"RestoreOperation|Checkpoints\.load|StateAssignmentOperation|BackendRestorerProcedure")
KINDS: Mapping[str, tuple[str, ...]] = {
    "full disk": ("No space left on device", "Disk quota exceeded"),
    "position of the source": POSITION_GONE,
    "schemas of the source": HISTORY_GONE,
    "missing operator": ("Cannot map checkpoint/savepoint state for operator", "There is no operator for the state"),
    "max parallelism": ("Max parallelism mismatch", "is higher than the max parallelism", "Unexpected key-group"),
    "backend": (
        "taken with RocksDB timers enabled with Heap timers",
        "Unexpected state handle type",
        "Incompatible state backend",
        "is not compatible with the state backend",
    ),
    "serializer": (
        "StateMigrationException",
        "erializer must not be incompatible",
        "erializer must be compatible",
        "Unable to restore operator state",
        "Unable to restore broadcast state",
        "Unable to restore keyed state",
        "previous typeSerializer",
        "restored TimerService with new key serializer",
        "InvalidClassException",
    ),
    "missing file": (
        "FileNotFoundException",
        "NoSuchFileException",
        "File does not exist",
        "NoSuchKey",
        "Cannot find checkpoint or savepoint",
        "Cannot find meta data file",
        "No such file or directory",
        "The specified key does not exist",
    ),
    "corrupt file": (
        "Unexpected magic number",
        "EOFException",
        "StreamCorruptedException",
        "Corruption:",
        "ChecksumException",
        "corrupt stream",
    ),
    "in-flight data": ("Corrupt stream, found tag",),
    "missing class": (
        "Could not find class '",
        "ClassNotFoundException",
        "NoClassDefFoundError",
        "Could not deserialize",
        "Cannot load user class",
    ),
    "unreachable": (
        "ConnectException",
        "SocketTimeoutException",
        "UnknownHostException",
        "AccessDenied",
        "Access Denied",
    ),
}
"""Kind of mismatch -> texts of the exception chain; the first match counts. Source: as above."""
OPERATOR = re.compile(r"(?:for operator|for the state|Cannot map operator) ([0-9a-f]{32})")
PARALLELISM = re.compile(r"max parallelism (\d{1,6}) to new program with max parallelism (\d{1,6})")
PATH = re.compile(r"checkpoint/savepoint (\S{1,400}?)\. ")
FILE = re.compile(r"((?:[a-z0-9]{1,10}:)?/[^\s'\"(),;]{1,400})")
RESTORED = re.compile(r"from [A-Za-z ]{1,40} (\d{1,12}) @ (\d{12,14}) for ")
"""Number and trigger time of the restored checkpoint. Source: Flink's own log statements (jm.ckpt.restore_from)."""


@dataclass(frozen=True, slots=True)
class RestoreRecord:
    """One log record about a restore that did not fail."""

    ts_ms: int | None
    event: str
    job_id: str | None
    text: str
    citation: Citation


def measure(evidence: Evidence) -> Measured:
    """Failed restores of each job, and restores that lose state or progress silently.

    Reads   log_record, failure, and the histories of checkpoints.
    Gives   one signal per job that failed while restoring, or whose logs report a restore.
    Empty   NotMeasured without logs and exceptions.
    """
    if not (evidence.has_logs() or evidence.has("failure")):
        yield NotMeasured("restore_failures", "jobmanager-log", "no log and no exceptions were given")
        return
    faults = by_job([each for each in blamed_faults(evidence) if is_restoring(each)])
    told = _restore_records(evidence)
    starts, histories = task_starts(evidence), checkpoint_histories(evidence)
    jobs = sorted({*faults, *(each.job_id for each in told if each.job_id)}, key=repr)
    only = jobs[0] if len(jobs) == 1 else None
    for job in jobs or ([None] if told else []):
        of_job = [each for each in told if (each.job_id or only) == job]
        yield _signal(job, faults.get(job, []), of_job, starts, histories.get(job) or History(job), evidence)


def is_restoring(fault: Fault) -> bool:
    """Whether the exception chain shows a restore of state."""
    text = fault.chain
    if fault.origin.id == "restore" or any(each in text for each in RESTORING) or SINK_FILE.search(text):
        return True
    return any(frame and RESTORE_FRAMES.search(frame) for frame in (fault.frame, fault.thrown_in))


def _restore_records(evidence: Evidence) -> list[RestoreRecord]:
    return [
        RestoreRecord(
            row["ts_ms"],
            row["event"],
            row["job_id"],
            row["message"],
            Citation(kind="log", text=row["message"], **{name: row[name] for name in PLACE}),
        )
        for row in evidence.answer(restore_records.AGGREGATOR).to_pylist()
    ]


def _signal(
    job: str | None,
    faults: Sequence[Fault],
    records: Sequence[RestoreRecord],
    starts: Sequence[TaskStart],
    history: History,
    evidence: Evidence,
) -> Signal:
    restores = [each for each in records if each.event.startswith(("jm.ckpt.restore_from", "jm.ckpt.start_from"))]
    skipped = [each for each in records if each.event == "jm.savepoint.skip"]
    facts: dict[str, FactValue] = {
        "failures": len(faults),
        "restores": len(restores),
        "skipped_operators": len(skipped),
        "alternatives": sum(each.event == "state.alt.warn" for each in records),
        "started_empty": sum(each.event == "jm.ckpt.restore_none" for each in records),
    }
    if restores and (named := RESTORED_FROM.search(restores[-1].text)):
        facts["restored_from"] = named[1]
    facts |= _set_back(restores, history)
    if restores and starts:
        facts |= {"slowest_start_ms": starts[0].took_ms, "slowest_start_vertex": starts[0].vertex}
    if faults:
        facts |= _cause(faults, evidence)
    citations = [fault.citation for fault in faults[:6]]
    citations += [each.citation for each in (*skipped[:2], *restores[-2:])]
    stamps = [fault.ts_ms for fault in faults if fault.ts_ms is not None]
    return Signal(
        "restore_failures",
        Subject(job=job),
        known_facts(facts),
        tuple(citations),
        citation_count=len(faults) + len(skipped) + len(restores),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _set_back(restores: Sequence[RestoreRecord], history: History) -> dict[str, FactValue]:
    """How far the worst restore went back behind the last checkpoint completed by then."""
    worst: dict[str, FactValue] = {}
    furthest_ms = -1.0
    completed = [each for each in history.select_statuses("completed") if each.ended_ms is not None]
    for restore in restores:
        named = RESTORED.search(restore.text)
        if named is None or restore.ts_ms is None:
            continue
        number, taken_ms = int(named[1]), int(named[2])
        newer = [each for each in completed if each.number > number and taken_ms < (each.ended_ms or 0) < restore.ts_ms]
        behind_ms = float((newer[-1].ended_ms or 0) - taken_ms) if newer else 0.0
        if behind_ms > furthest_ms:
            furthest_ms = behind_ms
            worst = {"restored_id": number, "restored_taken_ms": taken_ms, "behind_ms": behind_ms, "newer": len(newer)}
            worst |= {"newest_id": newer[-1].number, "newest_ms": newer[-1].ended_ms} if newer else {}
    return worst


def _cause(faults: Sequence[Fault], evidence: Evidence) -> dict[str, FactValue]:
    """The most frequent failure, with the names in its text."""
    kinds = [fault.kind for fault in faults]
    most = max(dict.fromkeys(kinds), key=kinds.count)
    same = [fault for fault in faults if fault.kind == most]
    first = same[0]
    text = f"{first.causes}\n{first.exception}: {first.message}"
    stamps = [fault.ts_ms for fault in faults if fault.ts_ms is not None]
    rounds = rounds_of(faults)
    gaps = [after - before for before, after in pairwise(rounds)]
    vertices = list(dict.fromkeys(fault.vertex for fault in faults if fault.vertex))
    known, of_sink = known_message(first.chain, first.places), SINK_FILE.search(text) is not None
    return {
        "kind": "file of a sink" if of_sink else kind_of(text),
        "exception_class": first.exception or None,
        "exception": first.exception.rpartition(".")[2] or None,
        "message": first.message,
        "said": first.said,
        "remedy": None if of_sink and known and known.is_general else repair_of(first, evidence),
        "reported_by": first.reported_by,
        "frame": first.frame,
        "rounds": max(len(rounds), 1),
        "first_ms": min(stamps, default=None),
        "interval_ms": median(gaps) if gaps else None,
        "vertices": vertices[:MOST_LISTED] or None,
        **_named(text, first.message),
    }


def kind_of(text: str) -> str:
    """Kind of mismatch from the texts of a chain; `other` when none matches."""
    return next((kind for kind, texts in KINDS.items() if any(each in text for each in texts)), "other")


def _named(text: str, message: str) -> dict[str, Any]:
    operator, parallelism, path = OPERATOR.search(text), PARALLELISM.search(text), PATH.search(text)
    file = FILE.search(message)
    return {
        "operator": operator[1] if operator else None,
        "old_max_parallelism": int(parallelism[1]) if parallelism else None,
        "new_max_parallelism": int(parallelism[2]) if parallelism else None,
        "path": path[1] if path else None,
        "file": file[1].rstrip(".") if file else None,
    }


FACTS = {
    "failures": "failures while state was being restored",
    "kind": "mismatch of the state; file of a sink, missing operator, max parallelism, backend, serializer, missing "
    "file, corrupt file, in-flight data, missing class, full disk, unreachable or other",
    "exception_class": "innermost exception of the most frequent failure",
    "exception": "the same without the package",
    "message": "its message",
    "said": "class and message",
    "remedy": "repair of a failure with this message",
    "reported_by": "who reports it; failure (of a task or job), process, client, error, warning, passed",
    "frame": "its top frame",
    "rounds": "attempts that failed while restoring state",
    "first_ms": "first time, epoch ms",
    "interval_ms": "median time from one to the next, ms",
    "vertices": "tasks in which the restore failed",
    "operator": "operator id that the message names",
    "old_max_parallelism": "max parallelism of the checkpoint or savepoint",
    "new_max_parallelism": "max parallelism of the new program",
    "path": "checkpoint or savepoint that the message names",
    "file": "file that the message names",
    "restores": "restores from a checkpoint or savepoint in the log",
    "restored_from": "checkpoint or savepoint of the last restore",
    "restored_id": "number of the checkpoint or savepoint of the restore that went back furthest",
    "restored_taken_ms": "when that was triggered, epoch ms",
    "newer": "checkpoints of the job that had completed after the restored one, before the restore",
    "newest_id": "the last of them",
    "newest_ms": "when that completed, epoch ms",
    "behind_ms": "age of the restored checkpoint against the newest completed one, ms",
    "started_empty": "starts that found no checkpoint",
    "skipped_operators": "operators whose state was skipped, as allowNonRestoredState allows",
    "alternatives": "restores that failed from one copy of the state and went on with another",
    "slowest_start_ms": "longest time of a task from INITIALIZING to RUNNING in a job that restored state",
    "slowest_start_vertex": "the task that took so long",
}

SIGNALS = (SignalDefinition("restore_failures", "job", FACTS, measure),)
