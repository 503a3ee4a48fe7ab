"""The part of each task in each checkpoint: sums over its subtasks, and the slowest subtask of each phase."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import subtask_checkpoints
from diagnostics.arithmetic.quantiles import known, total
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.checkpoints.logged_parts import logged_parts

MOST_SUBTASKS = 64
"""Subtasks that are listed individually. Our choice."""
PHASES = ("async", "sync", "alignment", "start_delay")


@dataclass(frozen=True, slots=True)
class Slowest:
    """The subtask of one task that was slowest in one phase, with its place in the evidence."""

    subtask: int
    end_to_end_ms: float | None
    async_ms: float | None
    sync_ms: float | None
    alignment_ms: float | None
    start_delay_ms: float | None
    file_id: int
    line: int | None
    last_line: int | None
    pointer: str | None
    ts_ms: int | None

    def phase(self, name: str) -> float | None:
        """The duration of one of PHASES in ms."""
        value: float | None = getattr(self, f"{name}_ms")
        return value


@dataclass(frozen=True, slots=True)
class Part:
    """The part of one task in one checkpoint.

    pending   the subtasks that have not acknowledged it
    took_ms   how long each of the others took, also those that acknowledged it after it had expired
    slowest   the subtask with the longest end to end duration
    by_phase  phase -> the subtask that was slowest in it
    """

    job_id: str | None
    number: int
    vertex_id: str
    subtasks: int
    acknowledged: int
    pending: tuple[int, ...]
    took_ms: tuple[float, ...]
    unaligned: bool
    checkpointed_bytes: float | None
    state_bytes: float | None
    persisted_bytes: float | None
    state_by_subtask: tuple[float, ...]
    slowest: Slowest | None
    by_phase: Mapping[str, Slowest | None]


Answers = Mapping[tuple[str | None, int, str], Mapping[int, Mapping[str, Any]]]
"""(job, checkpoint, vertex) -> subtask -> its row."""


@read_once
def checkpoint_parts(evidence: Evidence) -> list[Part]:
    """The parts of all checkpoints with subtask details, the latest checkpoint first."""
    answers = subtask_answers(evidence)
    return [_part(*place, answers[place]) for place in sorted(answers, key=lambda place: (-place[1], repr(place)))]


@read_once
def subtask_answers(evidence: Evidence) -> Answers:
    """The last answer about each subtask in each checkpoint, computed once for each Evidence.

    Reads   subtask_checkpoint: one row per (checkpoint_id, vertex_id, subtask) and request; without such rows
            log_record at level DEBUG, where `vertex_id` is the name of the task.
    """
    if not evidence.has("subtask_checkpoint"):
        return _last_answers(logged_parts(evidence))
    return _last_answers(evidence.answer(subtask_checkpoints.AGGREGATOR).to_pylist())


def _last_answers(rows: Iterable[Mapping[str, Any]]) -> Answers:
    """The last answer about each subtask; an acknowledged one takes precedence."""
    answers: dict[tuple[str | None, int, str], dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for row in rows:
        of_vertex = answers[row["job_id"], row["checkpoint_id"], row["vertex_id"]]
        before = of_vertex.get(row["subtask"])
        if before is None or _finality(row) > _finality(before):
            of_vertex[row["subtask"]] = row
    return answers


def _finality(row: Mapping[str, Any]) -> tuple[bool, int, int, int]:
    return row["ack_ms"] is not None, row["ts_ms"] or 0, row["file_id"], row["line"] or 0


def _part(job_id: str | None, number: int, vertex_id: str, by_subtask: Mapping[int, Mapping[str, Any]]) -> Part:
    subtasks = [by_subtask[each] for each in sorted(by_subtask)]

    def slowest(name: str) -> Slowest | None:
        measured = [row for row in subtasks if row[f"{name}_ms"] is not None]
        row = max(measured, key=lambda row: (row[f"{name}_ms"], -row["subtask"]), default=None)
        return Slowest(**{field: row[field] for field in Slowest.__slots__}) if row else None

    return Part(
        job_id=job_id,
        number=number,
        vertex_id=vertex_id,
        subtasks=len(subtasks),
        acknowledged=sum(1 for row in subtasks if row["ack_ms"] is not None),
        pending=tuple(row["subtask"] for row in subtasks if row["ack_ms"] is None)[:MOST_SUBTASKS],
        took_ms=tuple(known(row["end_to_end_ms"] for row in subtasks if row["ack_ms"] is not None)),
        unaligned=any(row["unaligned"] for row in subtasks),
        checkpointed_bytes=total(row["checkpointed_bytes"] for row in subtasks),
        state_bytes=total(row["state_bytes"] for row in subtasks),
        persisted_bytes=total(row["persisted_bytes"] for row in subtasks),
        state_by_subtask=tuple(known(row["state_bytes"] for row in subtasks))[:MOST_SUBTASKS],
        slowest=slowest("end_to_end"),
        by_phase={name: slowest(name) for name in PHASES},
    )


def slowest_part(parts: Sequence[Part]) -> Part | None:
    """The part with the slowest acknowledged subtask."""
    acknowledged = [part for part in parts if part.slowest]
    if not acknowledged:
        return None
    return max(
        acknowledged, key=lambda part: ((part.slowest.end_to_end_ms or 0) if part.slowest else 0, part.vertex_id)
    )


def longest_part(parts: Iterable[Part], phase: str) -> tuple[float, Part, Slowest] | None:
    """The longest time, ms, that a subtask of these parts took for a phase, with its task and itself."""
    found = [
        (value, part, at)
        for part in parts
        if (at := part.by_phase.get(phase)) and (value := at.phase(phase)) is not None
    ]
    return max(found, key=lambda each: (each[0], each[1].vertex_id)) if found else None
