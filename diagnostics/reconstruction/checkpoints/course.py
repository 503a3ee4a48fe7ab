"""Each checkpoint as charts draw it: trigger time, duration, sizes, and the phases of its slowest subtask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.checkpoints.history import Checkpoint, checkpoint_histories
from diagnostics.reconstruction.checkpoints.parts import PHASES, Part, checkpoint_parts
from diagnostics.reconstruction.checkpoints.timeout import checkpoint_timeouts
from diagnostics.reconstruction.job.cluster import cluster_of

MOST_CHECKPOINTS = 600
"""Checkpoints of a job that are kept; of more, one for each group of successive ones. Our choice."""

NOT_COMPLETED = ("expired", "declined", "failed", "aborted")


def checkpoint_courses(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """The checkpoints of each job that has one with a known time.

    Reads   checkpoint, log_record (through the shared history), subtask_checkpoint, config_option, job.
    Gives   {job_id, name, timeout_ms, left_out, refused, checkpoints}: the points of the chart of the checkpoint
            history; `refused` are triggers that started no checkpoint.
    """
    histories = checkpoint_histories(evidence)
    entries = {
        job_id: [each for one in history.checkpoints if (each := _course_entry(one, history.observed_until_ms))]
        for job_id, history in histories.items()
    }
    if not any(entries.values()):
        return
    slowest = _slowest_subtasks(evidence)
    timeouts = checkpoint_timeouts(evidence)
    names = cluster_of(evidence).job_names
    for job_id in sorted((job_id for job_id in entries if entries[job_id]), key=str):
        checkpoints = [{**each, **slowest.get((job_id, each["id"]), {})} for each in entries[job_id]]
        kept = _kept(checkpoints)
        yield {
            "job_id": job_id,
            "name": names.get(job_id) if job_id else None,
            "timeout_ms": timeouts.get(job_id),
            "left_out": len(checkpoints) - len(kept),
            "refused": sum(each.count for each in histories[job_id].not_started),
            "checkpoints": kept,
        }


def _course_entry(checkpoint: Checkpoint, observed_until_ms: int | None) -> dict[str, Any] | None:
    """The points of one checkpoint; None when its time is not known. One in progress has its age when last seen."""
    if checkpoint.start_ms is None:
        return None
    age_ms = None
    if checkpoint.status == "in_progress" and observed_until_ms is not None:
        age_ms = max(observed_until_ms - checkpoint.start_ms, 0)
    return {
        "id": checkpoint.number,
        "status": checkpoint.status,
        "savepoint": checkpoint.is_savepoint,
        "acknowledged": checkpoint.acknowledged,
        "subtasks": checkpoint.subtasks,
        "trigger_ms": checkpoint.start_ms,
        "ended_ms": checkpoint.ended_ms if checkpoint.status == "completed" else None,
        "end_to_end_ms": checkpoint.end_to_end_ms,
        "age_ms": age_ms,
        "checkpointed_bytes": checkpoint.checkpointed_bytes,
        "state_bytes": checkpoint.state_bytes,
        "processed_bytes": checkpoint.processed_bytes,
        "persisted_bytes": checkpoint.persisted_bytes,
        "failure": checkpoint.reason[:300] if checkpoint.reason else None,
    }


def _slowest_subtasks(evidence: Evidence) -> dict[tuple[str | None, int], dict[str, Any]]:
    """(job, checkpoint) -> phases of the subtask with the longest end to end duration, and the pending subtasks."""
    cluster = cluster_of(evidence)
    by_checkpoint: dict[tuple[str | None, int], list[Part]] = {}
    for part in checkpoint_parts(evidence):
        by_checkpoint.setdefault((part.job_id, part.number), []).append(part)
    phases_of: dict[tuple[str | None, int], dict[str, Any]] = {}
    for place, parts in by_checkpoint.items():
        phases: dict[str, Any] = {"pending": sum(part.subtasks - part.acknowledged for part in parts)}
        measured = [(part, part.slowest) for part in parts if part.slowest]
        if measured:
            part, slowest = max(measured, key=lambda each: (each[1].end_to_end_ms or 0.0, each[0].vertex_id))
            task = cluster.tasks.get((part.job_id, part.vertex_id))
            phases |= {
                "vertex": task.name if task else part.vertex_id,
                "subtask": slowest.subtask,
                "subtask_ms": slowest.end_to_end_ms,
                **{f"{phase}_ms": getattr(slowest, f"{phase}_ms") for phase in PHASES},
            }
        phases_of[place] = phases
    return phases_of


def _kept(checkpoints: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most MOST_CHECKPOINTS: of each group of successive checkpoints a failed one, else the longest one."""
    if len(checkpoints) <= MOST_CHECKPOINTS:
        return list(checkpoints)
    stretch = -(-len(checkpoints) // MOST_CHECKPOINTS)
    return [
        max(
            checkpoints[start : start + stretch],
            key=lambda each: (each["status"] in NOT_COMPLETED, each["end_to_end_ms"] or 0, -each["id"]),
        )
        for start in range(0, len(checkpoints), stretch)
    ]
