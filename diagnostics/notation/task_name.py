"""Parses a task's name as Flink prints it, `name (i/n)#attempt`, also in the names of its threads."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_NAME = 2_000

_SUBTASK = re.compile(r"\((\d{1,7})/(\d{1,7})\)(?:#(\d{1,9})| - execution #(\d{1,9}))?")

_QUOTED = re.compile(
    rf"(?<=Cannot initialize task ').{{1,{MOST_NAME}}}?(?=': )"
    rf"|(?<=OperatorCoordinator for ').{{1,{MOST_NAME}}}?(?=' \(operator )"
    rf"|(?<=Thread 'SourceCoordinator-).{{1,{MOST_NAME}}}?(?=' produced an uncaught exception)"
    rf"|(?<= for operator ).{{1,{MOST_NAME}}}?(?= \(\d{{1,7}}/\d{{1,7}}\))"
)
"""How Flink's messages name a task or operator. Source: DefaultExecutionGraphBuilder, OperatorCoordinatorHolder,
SourceCoordinatorProvider, StreamTask, StreamOperatorStateHandler and AsyncCheckpointRunnable.
"""

LEGACY_SOURCE = "Legacy Source Thread - "
"""The thread that runs a source function of the old interface; a task's other extra threads only wait or flush."""


@dataclass(frozen=True, slots=True)
class TaskName:
    """A subtask by its name.

    vertex       task name without the subtask
    subtask      index from 0 (Flink prints from 1)
    parallelism  as printed
    attempt      from 0, None before 1.14, which did not print it
    """

    vertex: str
    subtask: int
    parallelism: int
    attempt: int | None


def task_name(printed: str) -> TaskName | None:
    """The parts of `name (i/n)#attempt`, `name (i/n)` or `name (i/n) - execution #attempt`; None for anything else."""
    if len(printed) > MOST_NAME:
        return None
    start = printed.rfind(" (")
    found = _SUBTASK.fullmatch(printed, start + 1) if start > 0 else None
    if not found:
        return None
    subtask, parallelism = int(found.group(1)), int(found.group(2))
    attempt = found.group(3) or found.group(4)
    if not 1 <= subtask <= parallelism:
        return None
    return TaskName(printed[:start], subtask - 1, parallelism, int(attempt) if attempt else None)


def without_names(message: str) -> str:
    """A message of Flink without the names of tasks in it: these are the job's words, not the failure's."""
    return _QUOTED.sub("", message)


def task_of_thread(thread: str) -> TaskName | None:
    """The subtask whose code a thread runs: its own thread or its legacy source's, not its timers and flushers."""
    for helper in (
        "System Time Trigger for ",
        "Time Trigger for ",
        "OutputFlusher for ",
        "Async calls on ",
        "Canceler",
    ):
        if thread.startswith(helper):
            return None
    return task_name(thread.removeprefix(LEGACY_SOURCE))
