"""The subject of a measured fact (a job, a task, a subtask, a TaskManager, a host), and the types of its value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T")

FactValue = float | int | str | bool | None | list[Any]
Level = Literal["case", "job", "vertex", "subtask", "task_manager"]

Lookup = Callable[[str], FactValue]
"""From `<signal key>.<fact>` to the measured value, None when it is unknown."""


def number_of(lookup: Lookup, reference: str) -> float | None:
    """A measured number; None where the fact is not measured or is none."""
    value = lookup(reference)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a signal or a finding, from the job down. Unknown parts are None.

    job is the job id (32 hex digits) when known; vertex and vertex_id are the task (chain) of the job graph;
    subtask counts from 0; task_manager is Flink's resource id; host is a host name or address.
    """

    job: str | None = None
    vertex: str | None = None
    vertex_id: str | None = None
    subtask: int | None = None
    task_manager: str | None = None
    host: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Only the known parts."""
        return {part: getattr(self, part) for part in self.__slots__ if getattr(self, part) is not None}


def only_one(candidates: Collection[T]) -> T | None:
    """The candidate when there is exactly one, e.g. the job of a record without a job id; else None."""
    return next(iter(candidates)) if len(candidates) == 1 else None
