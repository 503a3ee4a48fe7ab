"""Subtasks and tasks in answers of Flink's REST API, also where a copied piece does not say which task they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.notation.json_document import Outline
from diagnostics.notation.rest_document import RestDocument, complete, fields, moment, number, small, text, whole

_MEASURED = ("metrics", "status", "duration", "start-time", "read-records", "write-records")
_OTHER = ("ratio", "backpressure-level", "backpressureLevel", "timestamps", "user-accumulators")
"""Fields of subtasks in answers about something else: back pressure, times of state changes, accumulators."""


TASK_NAMES = ("name", "vertex", "vertex-name", "vertex_name", "task", "task-name", "task_name")
"""Fields that name a task: Flink's own, and those of who prints answers of several tasks one below the other."""


def task_key(vertex: Mapping[str, Any], document: RestDocument) -> str:
    """The id of a task: as stated, else that of the path, else its name, as metrics without ids have it; where a piece
    does not name its only task, the file names it.
    """
    named = next((name for field in TASK_NAMES if (name := text(vertex.get(field)))), None)
    return text(vertex.get("id")) or document.path.vertex_id or named or f"({document.name})"


def lists_subtasks(seen: Outline, path: str) -> bool:
    """Whether the objects at `path` are subtasks with what they have done."""
    keys = seen.keys.get(path, frozenset())
    return "subtask" in keys and not keys.isdisjoint(_MEASURED) and keys.isdisjoint(_OTHER)


def subtask_row(subtask: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of one subtask in the table `subtask`."""
    metrics = {**subtask, **fields(subtask.get("metrics"))}
    return {
        "subtask": small(subtask.get("subtask")),
        "attempt": small(subtask.get("attempt")),
        "status": text(subtask.get("status")),
        "task_manager": _task_manager(subtask.get("taskmanager-id")),
        "host": text(subtask.get("endpoint")) or text(subtask.get("host")),
        "start_ms": moment(subtask.get("start-time", subtask.get("start_time"))),
        "duration_ms": whole(subtask.get("duration")),
        "read_records": whole(complete(metrics, "read-records")),
        "write_records": whole(complete(metrics, "write-records")),
        "read_bytes": whole(complete(metrics, "read-bytes")),
        "write_bytes": whole(complete(metrics, "write-bytes")),
        "busy_ms": number(metrics.get("accumulated-busy-time")),
        "back_pressured_ms": number(metrics.get("accumulated-backpressured-time")),
        "idle_ms": number(metrics.get("accumulated-idle-time")),
    }


def _task_manager(value: Any) -> str | None:
    return None if value == "(unassigned)" else text(value)
