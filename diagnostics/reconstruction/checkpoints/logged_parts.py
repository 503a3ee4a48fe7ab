"""The part of each subtask in each checkpoint, from DEBUG logs; used when there are no REST answers about subtasks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.aggregators import checkpoint_part_records
from diagnostics.aggregators.checkpoint_part_records import ACKNOWLEDGED, ASYNCHRONOUS, SYNCHRONOUS
from diagnostics.arithmetic.quantiles import known
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.history import Checkpoint, checkpoint_histories
from diagnostics.reconstruction.job.execution_name import OF_GRAPH, execution_names

ALIGNMENT = re.compile(r"Alignment duration: (\d{1,12}) ms")
UNALIGNED = "is unaligned checkpoint : true"
EXECUTION = re.compile(r"from task ([0-9a-f_]{32,200}) of job")

Place = tuple[str | None, int, str, int]
"""(job id, checkpoint id, task name, subtask)."""


def logged_parts(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """One row for each subtask and checkpoint that a TaskManager or the JobManager logged.

    `ack_ms` is None for a subtask that started its part, or acknowledged other checkpoints, but not this one. The start
    delay is the time from trigger to acknowledgement minus alignment, synchronous and asynchronous part.

    Reads   log_record (DEBUG records of StreamTask, AsyncCheckpointRunnable and CheckpointCoordinator), the histories.
    """
    rows: dict[Place, dict[str, Any]] = {}
    jobs = {job_id for job_id in checkpoint_histories(evidence) if job_id}
    only = only_one(jobs)
    for record in evidence.answer(checkpoint_part_records.AGGREGATOR).to_pylist():
        place = _place(evidence, record, record["job_id"] or only)
        if place is not None:
            _take(rows.setdefault(place, {"ts_ms": None, "ack_ms": None, **_source(record)}), record)
    checkpoints = _checkpoints(evidence)
    _add_pending(rows, checkpoints)
    for (job_id, number, task, subtask), row in rows.items():
        checkpoint = checkpoints.get((job_id, number))
        yield {
            "job_id": job_id,
            "checkpoint_id": number,
            "vertex_id": task,
            "subtask": subtask,
            "checkpointed_bytes": None,
            "state_bytes": None,
            "persisted_bytes": None,
            **_timed(row, checkpoint.triggered_ms if checkpoint else None),
        }


def _place(evidence: Evidence, record: Mapping[str, Any], job_id: str | None) -> Place | None:
    if record["checkpoint_id"] is None:
        return None
    if record["vertex"] and record["subtask"] is not None:
        return job_id, record["checkpoint_id"], record["vertex"], record["subtask"]
    execution = EXECUTION.search(record["message"] or "")
    if execution is None:
        return None
    names, parts = execution_names(evidence), OF_GRAPH.fullmatch(execution[1])
    named = names.get(execution[1]) or (names.get(f"{parts[1]}_{parts[2]}") if parts else None)
    return (job_id, record["checkpoint_id"], *named) if named else None


def _source(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in ("file_id", "line", "last_line", "pointer")}


def _take(row: dict[str, Any], record: Mapping[str, Any]) -> None:
    if record["event"] in SYNCHRONOUS:
        alignment = ALIGNMENT.search(record["message"])
        row["sync_ms"] = record["duration_ms"]
        row["alignment_ms"] = float(alignment[1]) if alignment else None
        row["unaligned"] = UNALIGNED in record["message"]
    elif record["event"] == ASYNCHRONOUS:
        row["async_ms"] = record["duration_ms"]
    if record["event"] in (ASYNCHRONOUS, ACKNOWLEDGED):
        row["ack_ms"] = max(known([row["ack_ms"], record["ts_ms"]]), default=None)
        row |= _source(record)


def _checkpoints(evidence: Evidence) -> Mapping[tuple[str | None, int], Checkpoint]:
    return {
        (job_id, each.number): each
        for job_id, history in checkpoint_histories(evidence).items()
        for each in history.checkpoints
    }


def _add_pending(rows: dict[Place, dict[str, Any]], checkpoints: Mapping[tuple[str | None, int], Checkpoint]) -> None:
    """Add the subtasks that acknowledged other checkpoints but not one that expired."""
    tasks = {(place[0], place[2], place[3]): row for place, row in rows.items() if row["ack_ms"] is not None}
    seen = {(place[0], place[1]) for place in rows}
    for job_id, number in sorted(seen, key=repr):
        checkpoint = checkpoints.get((job_id, number))
        if checkpoint is None or checkpoint.status != "expired":
            continue
        for (job, task, subtask), row in tasks.items():
            if job == job_id:
                blank = {
                    "ts_ms": None,
                    "ack_ms": None,
                    **{name: row[name] for name in ("file_id", "line", "last_line")},
                }
                rows.setdefault((job_id, number, task, subtask), {**blank, "pointer": None})


def _timed(row: Mapping[str, Any], triggered_ms: int | None) -> dict[str, Any]:
    ack_ms = row["ack_ms"]
    whole = float(ack_ms - triggered_ms) if ack_ms is not None and triggered_ms and ack_ms >= triggered_ms else None
    parts = {f"{name}_ms": row.get(f"{name}_ms") for name in ("async", "sync", "alignment")}
    measured = known(parts.values())
    return {
        **{name: row.get(name) for name in ("ts_ms", "ack_ms", "unaligned", "file_id", "line", "last_line", "pointer")},
        **parts,
        "end_to_end_ms": whole,
        "start_delay_ms": max(whole - sum(measured), 0.0)
        if whole is not None and len(measured) == len(parts)
        else None,
    }
