"""Actual time of each checkpoint beside the time that it would take without waits and with evenly spread work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.parts import subtask_answers
from diagnostics.reconstruction.job.cluster import cluster_of

Answer = Mapping[str, Any]
"""A row of subtask_checkpoint."""


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """One checkpoint that every subtask acknowledged.

    actual_ms    trigger to the last acknowledgement
    balanced_ms  the work (synchronous and asynchronous part) if each task spread it evenly over its subtasks: no
                 checkpoint of this state at this storage takes less
    imbalance_ms work of the subtask with most work beyond that
    waiting_ms   the rest: start delay, alignment, and messages between JobManager and tasks
    last         the subtask that acknowledged last, with its phases
    most_work    (vertex, subtask) with most work
    """

    number: int
    actual_ms: float
    balanced_ms: float
    imbalance_ms: float
    waiting_ms: float
    last_vertex: str
    last: Answer
    most_work: tuple[str, int]


@read_once
def critical_paths(evidence: Evidence) -> Mapping[str | None, Sequence[CriticalPath]]:
    """Job -> its checkpoints whose subtasks all acknowledged, by ascending number.

    Reads   subtask_checkpoint, or log_record at level DEBUG.
    """
    only_job = only_one(cluster_of(evidence).job_names)
    tasks: dict[tuple[str | None, int], dict[str, list[Answer]]] = defaultdict(dict)
    for (job_id, number, vertex_id), by_subtask in subtask_answers(evidence).items():
        tasks[job_id or only_job, number][vertex_id] = list(by_subtask.values())
    found: dict[str | None, list[CriticalPath]] = defaultdict(list)
    for job_id, number in sorted(tasks, key=lambda each: (str(each[0]), each[1])):
        path = critical_path(number, tasks[job_id, number])
        if path is not None:
            found[job_id].append(path)
    return found


def critical_path(number: int, tasks: Mapping[str, Sequence[Answer]]) -> CriticalPath | None:
    """The path of one checkpoint from the rows of its tasks; None unless every subtask states its phases and end."""
    rows = [(vertex, row) for vertex, of_task in tasks.items() for row in of_task]
    if not rows or any(row["end_to_end_ms"] is None or _work_ms(row) is None for _, row in rows):
        return None
    last_vertex, last = max(rows, key=lambda each: (each[1]["end_to_end_ms"], each[0], -each[1]["subtask"]))
    vertex, most = max(rows, key=lambda each: (_work_ms(each[1]) or 0.0, each[0], -each[1]["subtask"]))
    actual = float(last["end_to_end_ms"])
    work = min(_work_ms(most) or 0.0, actual)
    balanced = min(max(fmean(_work_ms(row) or 0.0 for row in of_task) for of_task in tasks.values() if of_task), work)
    return CriticalPath(
        number=number,
        actual_ms=actual,
        balanced_ms=balanced,
        imbalance_ms=work - balanced,
        waiting_ms=actual - work,
        last_vertex=last_vertex,
        last=last,
        most_work=(vertex, most["subtask"]),
    )


def _work_ms(row: Answer) -> float | None:
    """Synchronous and asynchronous part; None when the row states neither."""
    known = [float(row[phase]) for phase in ("sync_ms", "async_ms") if row[phase] is not None]
    return sum(known) if known and row["ack_ms"] is not None else None
