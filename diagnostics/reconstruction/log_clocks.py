"""How far the clocks of logs are apart, from steps of tasks that a JobManager's and a TaskManager's log both tell of.

A TaskManager deploys a task after the JobManager has told it to, and the JobManager knows that the task initialises,
runs or has finished after the TaskManager does. So each shared step bounds the difference of the two clocks from one
side, and the tightest bounds hold it between them, however long the messages took.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.evidence import Evidence

DOWNWARD = ("DEPLOYING",)
UPWARD = ("INITIALIZING", "RUNNING", "FINISHED")
"""States that a task reaches first in the JobManager's log, and those that it reaches first in the TaskManager's."""
MOST_STEPS = 20_000
"""Steps that are read, the earliest. Our choice: a job of a thousand subtasks that restarts twice."""
FEWEST_EVENTS = 3
"""Shared steps below which nothing is said. Our choice: one subtask's way to RUNNING has as many."""
_ATTEMPT = re.compile(r"\(([0-9a-f_]{32,120})\) switched from ")
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
    Reads   log_record (task.state). One Spark job, none without logs of both roles.
    Units   milliseconds; ahead is positive.
    """
    if not evidence.has_logs() or not {JOBMANAGER, TASKMANAGER} <= set(roles.values()):
        return {}
    if not evidence.may_have("log_record", "event", ("task.state",)):
        return {}
    states = ", ".join(f"'{state}'" for state in (*DOWNWARD, *UPWARD))
    rows = (
        evidence["log_record"]
        .where(f"event = 'task.state' AND ts_ms IS NOT NULL AND state_to IN ({states})")
        .select("file_id", "ts_ms", "state_to", "message")
        .orderBy("ts_ms", "file_id", "message")
        .limit(MOST_STEPS)
        .collect()
    )
    return offsets(
        (
            (row.file_id, attempt, row.state_to, row.ts_ms)
            for row in rows
            if (attempt := attempt_of(row.message)) is not None
        ),
        roles,
    )


def attempt_of(message: str) -> str | None:
    """The id of a task's attempt as the message of a step has it: the same in every process."""
    found = _ATTEMPT.search(message)
    return found[1] if found else None


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
