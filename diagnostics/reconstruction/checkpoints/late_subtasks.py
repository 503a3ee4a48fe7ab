"""The task at which a slow or expired checkpoint stops: the first whose subtasks are late, and which of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from diagnostics.arithmetic.quantiles import known, ratio
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.history import Checkpoint
from diagnostics.reconstruction.checkpoints.parts import Answers
from diagnostics.reconstruction.checkpoints.start_delays import SOURCES
from diagnostics.reconstruction.job.graph import JobGraph

LATE_SHARE = 0.5
"""A subtask is late from this share of the checkpoint's duration on. Our choice: the others are done long before."""
EARLY_SHARE = 0.25
"""The others of its task took at most this share of it, by their median. Our choice: it is apart from them."""
MOST_LISTED = 6
"""How many late subtasks are listed. Our choice."""
NO_ANSWER, BARRIER, SYNCHRONOUS, ASYNCHRONOUS = "no acknowledgement", "barrier", "synchronous part", "asynchronous part"

Row = Mapping[str, Any]
"""A row of subtask_checkpoint."""


@dataclass(frozen=True, slots=True)
class Late:
    """The late subtasks of one task in one checkpoint, and the others of that task."""

    number: int
    vertex_id: str
    rows: tuple[Row, ...]
    others: tuple[Row, ...]

    @property
    def subtasks(self) -> tuple[int, ...]:
        """Indices of the late subtasks."""
        return tuple(row["subtask"] for row in self.rows)


def late_subtask_facts(
    answers: Answers,
    checkpoints: Mapping[int, Checkpoint],
    slow: Collection[int],
    graph: JobGraph,
    name: Callable[[str], str],
    home: Callable[[str, int], str | None],
) -> dict[str, FactValue]:
    """The facts `late_*` of the newest slow or expired checkpoint that stops at one task.

    answers      of the subtasks of one job
    checkpoints  number -> the checkpoint, of those whose end is known
    slow         numbers of the slow checkpoints
    name         of a task by its id
    home         TaskManager of a task's subtask
    """
    tasks: dict[int, dict[str, Sequence[Row]]] = defaultdict(dict)
    for (_, number, vertex_id), by_subtask in answers.items():
        tasks[number][vertex_id] = [by_subtask[each] for each in sorted(by_subtask)]
    expired = {number for number in tasks if number in checkpoints and checkpoints[number].status == "expired"}
    looked = sorted(expired | (set(slow) & tasks.keys()))
    found = [late for number in looked if (late := _first_late(number, tasks[number], checkpoints.get(number), graph))]
    if not found:
        return {}
    last = found[-1]
    same = [each for each in found if each.vertex_id == last.vertex_id and set(each.subtasks) & set(last.subtasks)]
    phase, phase_ms = _phase(last.rows)
    position = graph.position(last.vertex_id)
    homes = {home(last.vertex_id, each) for each in last.subtasks}
    return {
        "late_id": last.number,
        "late_vertex": name(last.vertex_id),
        "late_vertex_id": last.vertex_id,
        "late_at_source": position in SOURCES if position else None,
        "late_subtask": last.subtasks[0] if last.others else None,
        "late_subtasks": list(last.subtasks[:MOST_LISTED]) if last.others else None,
        "late_count": len(last.rows),
        "late_parallelism": len(last.rows) + len(last.others),
        "late_phase": phase,
        "late_ms": phase_ms,
        "late_others_ms": median(known(row["end_to_end_ms"] for row in last.others)) if last.others else None,
        "late_bytes_ratio": _bytes_ratio(last),
        "late_task_manager": homes.pop() if len(homes) == 1 and last.others else None,
        "late_in": len(same),
        "late_of": len(looked),
    }


def _first_late(
    number: int, tasks: Mapping[str, Sequence[Row]], checkpoint: Checkpoint | None, graph: JobGraph
) -> Late | None:
    """The only task with late subtasks above which none is late, if the graph shows it."""
    whole = checkpoint.duration_ms if checkpoint and checkpoint.duration_ms else None
    whole = whole or max(known(row["end_to_end_ms"] for rows in tasks.values() for row in rows), default=None)
    if whole is None:
        return None
    late = {vertex_id: each for vertex_id, rows in tasks.items() if (each := _late(number, vertex_id, rows, whole))}
    if len(late) > 1 and not graph.edges_known:
        return None
    first = [each for each in late.values() if not late.keys() & set(_above(graph, each.vertex_id, len(late)))]
    if len(first) != 1 or any(above not in tasks for above in _above(graph, first[0].vertex_id, len(late))):
        return None
    return first[0] if _is_apart(first[0], whole) else None


def _above(graph: JobGraph, vertex_id: str, late: int) -> Iterable[str]:
    return graph.all_above(vertex_id) if graph.edges_known and late > 1 else ()


def _late(number: int, vertex_id: str, rows: Sequence[Row], whole_ms: float) -> Late | None:
    """The subtasks of a task that did not acknowledge, or late; None where there is none."""
    late = [row for row in rows if row["ack_ms"] is None or (row["end_to_end_ms"] or 0.0) >= LATE_SHARE * whole_ms]
    others = [row for row in rows if row not in late]
    return Late(number, vertex_id, tuple(late), tuple(others)) if late else None


def _is_apart(late: Late, whole_ms: float) -> bool:
    """Whether the late subtasks are the whole task, or at most half of it and apart from the others."""
    took = known(row["end_to_end_ms"] for row in late.others)
    if not late.others:
        return len(late.rows) > 1
    return len(late.rows) <= len(late.others) and bool(took) and median(took) <= EARLY_SHARE * whole_ms


def _phase(rows: Sequence[Row]) -> tuple[str, float | None]:
    """The phase that the late subtasks spend most time in, and its longest duration, ms."""
    if any(row["ack_ms"] is None for row in rows):
        return NO_ANSWER, None
    phases = {
        BARRIER: max((row["start_delay_ms"] or 0.0) + (row["alignment_ms"] or 0.0) for row in rows),
        SYNCHRONOUS: max(row["sync_ms"] or 0.0 for row in rows),
        ASYNCHRONOUS: max(row["async_ms"] or 0.0 for row in rows),
    }
    phase = max(phases, key=lambda each: phases[each])
    return phase, phases[phase]


def _bytes_ratio(late: Late) -> float | None:
    """What a late subtask wrote, as a multiple of what the others wrote by their median."""
    wrote = known(row["checkpointed_bytes"] for row in late.rows)
    others = known(row["checkpointed_bytes"] for row in late.others)
    return ratio(max(wrote), median(others)) if wrote and others else None


FACTS = {
    "late_id": "the newest slow or expired checkpoint that stops at one task",
    "late_vertex": "first task whose subtasks acknowledge the checkpoint late or not at all",
    "late_vertex_id": "id of that task",
    "late_at_source": "whether the first task with late subtasks is a source",
    "late_subtask": "first late subtask of a task whose others are early",
    "late_subtasks": "its late subtasks, where the others are early",
    "late_count": "how many of its subtasks are late",
    "late_parallelism": "how many subtasks that task has",
    "late_phase": "phase of the late subtasks: barrier (start delay and alignment), synchronous part, asynchronous "
    "part, or no acknowledgement",
    "late_ms": "longest time of a late subtask in that phase, ms",
    "late_others_ms": "what the other subtasks of that task usually took for the whole checkpoint, ms",
    "late_bytes_ratio": "bytes of a late subtask over those of the others",
    "late_task_manager": "the TaskManager of all late subtasks",
    "late_in": "slow or expired checkpoints in which the same subtask is late",
    "late_of": "slow or expired checkpoints with subtask details",
}
