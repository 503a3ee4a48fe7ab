"""Checkpoints that failed because state exceeded the limit of checkpoint storage `jobmanager`, and the restarts that
followed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.parts import checkpoint_parts
from diagnostics.reconstruction.failures.fault import SAME_MS, job_of_vertex
from diagnostics.reconstruction.failures.incident_log import Failure, IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

LIMIT = re.compile(r"Size=(\d{1,18}) ?, ?maxSize=(\d{1,18})")
INVOCATION = re.compile(
    r"invocation size (?P<size>\d{1,18}) exceeds the maximum (?:akka|pekko) framesize"
    r"|Discarding oversized payload sent to .{1,400}? was (?P<payload>\d{1,18}) bytes"
)
CHECKPOINT = re.compile(r"checkpoint (\d{1,12})", re.IGNORECASE)
"""Source: Flink's MemCheckpointStreamFactory and CheckpointCoordinator; texts have a few thousand characters."""
LIMIT_TEXT = "larger than the maximum permitted memory-backed state"
FRAME_TEXT = "framesize"
THRESHOLD_TEXT = "Exceeded checkpoint tolerable failure threshold"
MOST_LISTED = 12

Record = LogEvent | Failure


def measure(evidence: Evidence) -> Measured:
    """State above its limit, messages above theirs, and restarts after exceeded tolerable checkpoint failures.

    Reads   log_record, failure; subtask_checkpoint for what the newest whole checkpoint stored.
    Gives   one signal per job, also without either.
    Units   bytes, as Flink counts one state of one subtask.
    Empty   NotMeasured without logs and exceptions.
    """
    if not (evidence.has_logs() or evidence.has("failure")):
        yield NotMeasured("state_limit", "jobmanager-log", "no log and no exceptions were given")
        return
    log, cluster = incident_log(evidence), cluster_of(evidence)
    over = _by_job([*log.of("state_limit"), *_failures(log, LIMIT_TEXT)], cluster)
    restarted = _by_job([*log.of("tolerance_exceeded"), *_failures(log, THRESHOLD_TEXT)], cluster)
    oversize = _by_job([*log.of("frame_size"), *_failures(log, FRAME_TEXT)], cluster)
    for job_id in sorted({*over, *restarted, *oversize, *cluster.job_names}, key=repr) or [None]:
        told = (over.get(job_id, []), restarted.get(job_id, []), oversize.get(job_id, []))
        yield _signal(job_id, *told, _largest_states(evidence, job_id))


def _failures(log: IncidentLog, text: str) -> Iterable[Failure]:
    return (each for each in log.failures if text in each.texts)


def _by_job(told: Iterable[Record], cluster: Cluster) -> dict[str | None, list[Record]]:
    found: dict[str | None, list[Record]] = defaultdict(list)
    for each in told:
        found[each.job_id or job_of_vertex(each.vertex, cluster)].append(each)
    return found


def _largest_states(evidence: Evidence, job_id: str | None) -> Sequence[tuple[int, float]]:
    """(checkpoint, largest state of one subtask) of each task in the newest checkpoint that all its subtasks took."""
    whole = [
        (part.number, max(part.state_by_subtask))
        for part in checkpoint_parts(evidence)
        if part.job_id == job_id and part.acknowledged == part.subtasks and part.state_by_subtask
    ]
    return [each for each in whole if each[0] == whole[0][0]]


def _signal(
    job_id: str | None,
    over: Sequence[Record],
    restarted: Sequence[Record],
    oversize: Sequence[Record],
    newest: Sequence[tuple[int, float]],
) -> Signal:
    found = [hit for each in oversize if (hit := INVOCATION.search(each.texts))]
    invocations = [int(hit["size"] or hit["payload"]) for hit in found]
    sizes = [(int(hit[1]), int(hit[2])) for each in over if (hit := LIMIT.search(each.texts))]
    numbers = sorted({int(hit[1]) for each in over for hit in CHECKPOINT.finditer(_message(each))})
    facts: dict[str, FactValue] = {
        "records": len(over),
        "checkpoints": len(numbers) or (1 if over else 0),
        "checkpoint_ids": list(numbers[:MOST_LISTED]) or None,
        "size_bytes": max(sizes)[0] if sizes else None,
        "limit_bytes": max(sizes)[1] if sizes else None,
        "vertex": next((each.vertex for each in over if each.vertex), None),
        "first_ms": min((each.ts_ms for each in over if each.ts_ms is not None), default=None),
        "restarts": _times(restarted),
        "oversize": len(invocations),
        "oversize_bytes": max(invocations, default=None),
    }
    if over and sizes and newest:
        number, largest = max(newest, key=lambda each: each[1])
        limit = max(sizes)[1]
        facts |= {
            "last_id": number,
            "last_bytes": largest,
            "last_ratio": largest / limit,
            "room_bytes": limit - largest if largest <= limit else None,
        }
    shown = [*over[:4], *restarted[:2], *oversize[:2]]
    return Signal(
        "state_limit",
        Subject(job=job_id),
        known_facts(facts),
        tuple(_cite(each) for each in shown),
        citation_count=len(over) + len(restarted) + len(oversize),
    )


def _times(told: Sequence[Record]) -> int:
    """Number of distinct moments; log and REST report the same one some milliseconds apart."""
    stamps = sorted(each.ts_ms for each in told if each.ts_ms is not None)
    apart = sum(after - before > SAME_MS for before, after in pairwise(stamps))
    return apart + 1 if stamps else len(told)


def _message(told: Record) -> str:
    return told.message if isinstance(told, LogEvent) else ""


def _cite(told: Record) -> Citation:
    if isinstance(told, Failure):
        return told.cite()
    hit = LIMIT.search(told.texts)
    return told.cite(f"{told.message[:200]} ... {hit[0]}" if hit else None)


FACTS = {
    "oversize": "messages between processes that were larger than their limit (pekko.framesize)",
    "oversize_bytes": "the largest of them",
    "records": "log records and REST entries that tell of a state over the limit",
    "checkpoints": "checkpoints that failed with it",
    "checkpoint_ids": "their numbers",
    "size_bytes": "the largest of these states",
    "limit_bytes": "the most that one state may have",
    "last_id": "number of the newest checkpoint that every subtask of a task stored",
    "last_bytes": "largest state of one subtask in the newest whole checkpoint",
    "last_ratio": "largest state of one subtask in the newest whole checkpoint, as a part of the limit",
    "room_bytes": "bytes between the largest state of one subtask in the newest whole checkpoint and the limit",
    "vertex": "a task that has such a state",
    "first_ms": "first report of a state over the limit, epoch ms",
    "restarts": "restarts of the job because more checkpoints failed than are tolerated",
}

SIGNALS = (SignalDefinition("state_limit", "job", FACTS, measure),)
