"""How long subtasks took to start, from INITIALIZING to RUNNING: restoring state and opening functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import task_state_changes
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once


@dataclass(frozen=True, slots=True)
class TaskStart:
    """One attempt of one subtask that reached RUNNING.

    took_ms     time from INITIALIZING to RUNNING
    running_ms  when it reached RUNNING, epoch ms
    """

    job_id: str | None
    vertex: str
    subtask: int
    took_ms: int
    running_ms: int
    citation: Citation


@read_once
def task_starts(evidence: Evidence) -> tuple[TaskStart, ...]:
    """The starts of subtasks in the logs, the slowest first.

    Reads   log_record (state changes of tasks). Before Flink 1.14 a task is RUNNING while it still opens its functions.
    """
    return tuple(starts_from_rows(evidence.answer(task_state_changes.AGGREGATOR).to_pylist()))


def starts_from_rows(rows: Iterable[Mapping[str, Any]]) -> list[TaskStart]:
    """The starts of subtasks from state changes in time order: from INITIALIZING to the next RUNNING."""
    since: dict[tuple[int, str, int], int] = {}
    starts: list[TaskStart] = []
    for row in rows:
        place = (row["file_id"], row["vertex"], row["subtask"])
        if row["state_to"] == "INITIALIZING":
            since[place] = row["ts_ms"]
        elif place in since:
            named = {name: row[name] for name in ("file_id", "line", "last_line", "ts_ms", "text")}
            took_ms = row["ts_ms"] - since.pop(place)
            citation = Citation(kind="log", **named)
            starts.append(TaskStart(row["job_id"], row["vertex"], row["subtask"], took_ms, row["ts_ms"], citation))
    return sorted(starts, key=lambda each: (-each.took_ms, each.running_ms, each.vertex, each.subtask))
