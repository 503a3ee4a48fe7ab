"""One thread of a dump: its header, state, frames and locks, as jstack and as Flink's REST API print it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from diagnostics.notation.stack_frame import MOST_FRAMES, frame_name
from diagnostics.notation.task_name import task_of_thread

HEADER = re.compile(r'"(.{0,2000}?)" *(?:#|\[|Id=|id=|daemon|prio=|os_prio=|tid=|virtual|in |$)')
"""A thread's header: its name, then its number or priority, whatever the JDK prints first."""

_STATE_LINE = re.compile(r"java\.lang\.Thread\.State: (NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED)")
_STATE_IN_HEADER = re.compile(r'" *(?:Id|id)=\d{1,12} (?:in )?(NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED)')
_LOCK = re.compile(
    r"- {1,3}(?P<how>locked|waiting to lock|waiting to re-lock in wait\(\)|waiting on|blocked on|parking to wait for)?"
    r" {0,3}"
    r"(?:<(?P<address>0x[0-9a-f]{1,16})>(?: \(a (?P<kind>[^()]{1,300})\))?|(?P<object>[\w.$\[]{1,300}@[0-9a-f]{1,16}))$"
)
"""What jstack (`- locked <0x1> (a X)`) and Java's ThreadInfo (`- locked X@1`) tell of a lock; without a word for how it
stands in the list of locked synchronizers."""
WAITING_TO_ENTER = ("waiting to lock", "waiting to re-lock in wait()", "blocked on", "parking to wait for")
MOST_LOCKS = 50


@dataclass(slots=True)
class ThreadStack:
    """A thread; frames are in the printed order, top first. Lines count as the caller counted.

    waits_for  the lock it waits for, `class@address`: to enter a monitor, or parked for a synchronizer
    holds      the locks it holds; one that it gave up in Object.wait is none of them
    """

    thread: str
    state: str | None
    first_line: int
    last_line: int
    frames: list[str] = field(default_factory=list)
    waits_for: str | None = None
    holds: list[str] = field(default_factory=list)
    _given_up: set[str] = field(default_factory=set)

    def take_lock(self, how: str | None, lock: str) -> None:
        """Adds a line about a lock."""
        if how in ("waiting on", "waiting to re-lock in wait()"):
            self._given_up.add(lock)
        if how in WAITING_TO_ENTER:
            self.waits_for = self.waits_for or lock
        elif how in ("locked", None) and lock not in self._given_up and len(self.holds) < MOST_LOCKS:
            self.holds.append(lock)

    def as_row(self) -> dict[str, object]:
        """The columns of `stack_sample` that a dump fills, root frame first."""
        task = task_of_thread(self.thread)
        return {
            "profile": "thread-dump",
            "mode": "dump",
            "vertex": task.vertex if task else None,
            "subtask": task.subtask if task else None,
            "thread": self.thread,
            "state": self.state,
            "frames": self.frames[::-1],
            "weight": 1.0,
            "waits_for": self.waits_for,
            "holds": self.holds or None,
        }


def thread_header(line: str, number: int) -> ThreadStack | None:
    """The thread that a header line begins; None for any other line."""
    found = HEADER.match(line) if line.startswith('"') else None
    if not found:
        return None
    state = _STATE_IN_HEADER.search(line, found.end(1))
    name = found.group(1).encode("utf-8", "replace").decode("utf-8")
    return ThreadStack(name, state.group(1) if state else None, number, number)


def take_line(thread: ThreadStack, line: str, number: int) -> None:
    """Adds a line below a header: a frame, the state, a lock; everything else is left out."""
    stripped = line.strip()
    if stripped.startswith("at "):
        thread.last_line = number
        if len(thread.frames) < MOST_FRAMES:
            thread.frames.append(frame_name(stripped[3:]))
    elif stripped.startswith("- "):
        found = _LOCK.match(stripped)
        if found:
            lock = found["object"] or f"{found['kind'] or 'lock'}@{found['address']}"
            thread.take_lock(found["how"], lock)
    elif thread.state is None and not thread.frames:
        state = _STATE_LINE.match(stripped)
        if state:
            thread.state, thread.last_line = state.group(1), number


def thread_of(lines: Iterable[str]) -> ThreadStack | None:
    """A thread from its own lines only, header first."""
    thread: ThreadStack | None = None
    for number, line in enumerate(lines, 1):
        if thread is None:
            thread = thread_header(line, number)
        else:
            take_line(thread, line, number)
    return thread
