"""Clock differences between logs, from state changes of tasks that both a JobManager and a TaskManager logged.

A TaskManager deploys a task after the JobManager has requested it, and the JobManager logs that the task initialises,
runs or has finished after the TaskManager has logged it. Each shared state change therefore bounds the difference of
the two clocks from one side. The tightest bounds enclose the difference, however long the messages took.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import task_steps
from diagnostics.aggregators.task_steps import DOWNWARD, UPWARD
from diagnostics.evidence import Evidence

FEWEST_EVENTS = 3
"""Shared state changes that are needed for an offset. Our choice: one subtask has as many until it is RUNNING."""
JOBMANAGER, TASKMANAGER = "jobmanager", "taskmanager"


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """How far the clock of a log is ahead of another one: between `least_ms` and `most_ms`; None is not bounded.

    against  file id of the JobManager's log
    events   state changes in both logs
    """

    against: int
    least_ms: int | None
    most_ms: int | None
    events: int

    @property
    def contradicts(self) -> bool:
        """Whether no single offset explains all state changes, because a clock was adjusted or drifts."""
        return self.least_ms is not None and self.most_ms is not None and self.least_ms > self.most_ms

    def as_json(self, name: str) -> dict[str, Any]:
        """A mapping of JSON values, with the other file's name."""
        return {"against": name, "least_ms": self.least_ms, "most_ms": self.most_ms, "events": self.events}


def log_clocks(evidence: Evidence, roles: Mapping[int, str | None]) -> Mapping[int, ClockOffset]:
    """The offset of each TaskManager's log to the JobManager's log with which it shares most state changes.

    roles   file id -> role of the process, as recognised by the reader
    Reads   log_record (event task.state).
    Units   milliseconds; ahead is positive.
    """
    if not {JOBMANAGER, TASKMANAGER} <= set(roles.values()):
        return {}
    steps = evidence.answer(task_steps.AGGREGATOR).to_pylist()
    return offsets(((step["file_id"], step["attempt"], step["state_to"], step["ts_ms"]) for step in steps), roles)


def offsets(steps: Iterable[tuple[int, str, str, int]], roles: Mapping[int, str | None]) -> Mapping[int, ClockOffset]:
    """As `log_clocks`, from state changes: (file id, execution id, new state, epoch ms)."""
    by_step: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for file_id, attempt, state, ts_ms in steps:
        by_step[attempt, state].setdefault(file_id, ts_ms)
    shared: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for (_, state), times in by_step.items():
        for below in (each for each in times if roles.get(each) == TASKMANAGER):
            for above in (each for each in times if roles.get(each) == JOBMANAGER):
                shared[below, above].append((state, times[below] - times[above]))
    best: dict[int, int] = {}
    for below, above in sorted(shared):
        if below not in best or len(shared[below, above]) > len(shared[below, best[below]]):
            best[below] = above
    return {
        below: _bounded(above, shared[below, above])
        for below, above in best.items()
        if len(shared[below, above]) >= FEWEST_EVENTS
    }


def _bounded(above: int, differences: Sequence[tuple[str, int]]) -> ClockOffset:
    """The offset with its bounds: states that the TaskManager logs first (UPWARD) give the lower one."""
    least = [difference for state, difference in differences if state in UPWARD]
    most = [difference for state, difference in differences if state in DOWNWARD]
    return ClockOffset(above, max(least, default=None), min(most, default=None), len(differences))
