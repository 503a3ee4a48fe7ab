"""How far the clocks of logs are apart, from steps of tasks that a JobManager's and a TaskManager's log both tell of.

A TaskManager deploys a task after the JobManager has told it to, and the JobManager knows that the task initialises,
runs or has finished after the TaskManager does. So each shared step bounds the difference of the two clocks from one
side, and the tightest bounds hold it between them, however long the messages took.
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
"""Shared steps below which nothing is said. Our choice: one subtask's way to RUNNING has as many."""
JOBMANAGER, TASKMANAGER = "jobmanager", "taskmanager"


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """How far a file's clock is ahead of another file's: between `least_ms` and `most_ms`, None for not bounded.

    against  file id of the JobManager's log
    events   steps that both tell of
    """

    against: int
    least_ms: int | None
    most_ms: int | None
    events: int

    @property
    def contradicts(self) -> bool:
        """Whether no one offset explains all steps: a clock was set, or drifts."""
        return self.least_ms is not None and self.most_ms is not None and self.least_ms > self.most_ms

    def as_json(self, name: str) -> dict[str, Any]:
        """A mapping of JSON values, with the other file's name."""
        return {"against": name, "least_ms": self.least_ms, "most_ms": self.most_ms, "events": self.events}


def log_clocks(evidence: Evidence, roles: Mapping[int, str | None]) -> Mapping[int, ClockOffset]:
    """The offset of each TaskManager's log against the JobManager's log that it shares most steps with.

    roles   file id -> role, as the reader told it
    Reads   log_record (task.state).
    Units   milliseconds; ahead is positive.
    """
    if not {JOBMANAGER, TASKMANAGER} <= set(roles.values()):
        return {}
    steps = evidence.answer(task_steps.AGGREGATOR).to_pylist()
    return offsets(((step["file_id"], step["attempt"], step["state_to"], step["ts_ms"]) for step in steps), roles)


def offsets(steps: Iterable[tuple[int, str, str, int]], roles: Mapping[int, str | None]) -> Mapping[int, ClockOffset]:
    """As `log_clocks`, from steps: file id, id of the task's attempt, state that it reached, time."""
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
    """Upward the TaskManager is earlier, so its clock is at least as far ahead as the difference; downward at most."""
    least = [difference for state, difference in differences if state in UPWARD]
    most = [difference for state, difference in differences if state in DOWNWARD]
    return ClockOffset(above, max(least, default=None), min(most, default=None), len(differences))
