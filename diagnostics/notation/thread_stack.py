"""Threads of a dump: header, state, frames and locks, from jstack, `jcmd Thread.dump_to_file` and Flink's REST API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from diagnostics.notation.stack_frame import MOST_FRAMES, frame_name
from diagnostics.notation.task_name import task_of_thread

STATES = r"(?:NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED)\b"
ATTRIBUTES = r"(?: *(?:#\d{1,19}|\[\w{1,40}\]|[A-Za-z_]{1,20}=\S{1,60}|daemon|virtual) ){0,12}"
"""What a header has between the name and the state: the number, priorities, and the times that Arthas prints."""

HEADER = re.compile(rf'"(.{{0,2000}}?)" *(?:#|\[|Id=|id=|daemon|prio=|os_prio=|tid=|virtual|in |{STATES}|$)')
"""A thread's header: its name, then its number, priority or state, in the layouts of all JDKs and as people cut it."""

TO_FILE_HEADER = re.compile(r'#\d{1,19} "(.{0,2000}?)"(?: virtual)?(?: (?:[A-Z_]{3,20} )?\d{4}-\S{1,40})?$')
"""The header in `jcmd Thread.dump_to_file`, also of virtual threads; JDK 25 adds the state and the time."""

_TIMES = re.compile(r" cpu=(\d{1,15}\.?\d{0,9})ms elapsed=(\d{1,12}\.?\d{0,9})s ")
"""CPU time and age of a thread in its header. Source: JDK 11 and later, https://bugs.openjdk.org/browse/JDK-8200720
"""

TITLE = "Full thread dump "
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.\d]{0,10}Z?$")
_PLAIN_FRAME = re.compile(r"[\w.$/@<>-]{1,2000}\([^()]{0,300}\)$")
_STATE_BEHIND_NAME = re.compile(r'" (?:virtual )?(RUNNABLE|BLOCKED|WAITING|TIMED_WAITING) \d')

STATE_LINE = rf"java\.lang\.Thread\.State: (?P<state>{STATES})"
_STATE_LINE = re.compile(STATE_LINE)
_STATE_IN_HEADER = re.compile(rf'" *{ATTRIBUTES}(?:in )?({STATES})')
IN_WAIT = " in Object.wait()"
"""In the header of a waiting thread; with the state RUNNABLE it waits for another thread to initialize a class.

Source: https://www.farside.org.uk/201510/deadlocks_in_java_class_initialisation
"""
_LOCK = re.compile(
    r"- {1,3}(?P<how>locked|waiting to lock|waiting to re-lock in wait\(\)|waiting on|blocked on|parking to wait for)?"
    r" {0,3}"
    r"(?:<(?P<address>0x[0-9a-f]{1,16})>(?: \(a (?P<kind>[^()]{1,300})\))?|(?P<object>[\w.$\[]{1,300}@[0-9a-f]{1,16}))$"
)
"""A lock in jstack (`- locked <0x1> (a X)`) and in Java's ThreadInfo (`- locked X@1`); without a verb in the list of
locked synchronizers.
"""
WAITING_TO_ENTER = ("waiting to lock", "waiting to re-lock in wait()", "blocked on", "parking to wait for")
MOST_LOCKS = 50


@dataclass(slots=True)
class ThreadStack:
    """A thread; frames are in the printed order, top first; line numbers are the caller's.

    waits_for  the lock it waits for, `class@address`: to enter a monitor, or parked for a synchronizer
    holds      the locks it holds, except those released in Object.wait
    is_plain   whether its frames are printed without `at`
    in_wait    whether it waits, by its header
    is_named   whether its header is there; without one its name is its line, so that threads of a dump differ
    cpu_ms     CPU time that it has used, elapsed_ms its age; None before JDK 11
    """

    thread: str
    state: str | None
    first_line: int
    last_line: int
    frames: list[str] = field(default_factory=list)
    waits_for: str | None = None
    holds: list[str] = field(default_factory=list)
    is_plain: bool = False
    in_wait: bool = False
    is_named: bool = True
    cpu_ms: float | None = None
    elapsed_ms: float | None = None
    _released: set[str] = field(default_factory=set)

    def take_lock(self, how: str | None, lock: str) -> None:
        """Add a line about a lock."""
        if how in ("waiting on", "waiting to re-lock in wait()"):
            self._released.add(lock)
        if how in WAITING_TO_ENTER:
            self.waits_for = self.waits_for or lock
        elif how in ("locked", None) and lock not in self._released and len(self.holds) < MOST_LOCKS:
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
    """The thread that a header line begins; None for other lines."""
    is_plain = line.startswith("#")
    header = TO_FILE_HEADER.match(line) if is_plain else HEADER.match(line) if line.startswith('"') else None
    if not header:
        return None
    state = (_STATE_BEHIND_NAME if is_plain else _STATE_IN_HEADER).search(line, header.end(1))
    name = header.group(1).encode("utf-8", "replace").decode("utf-8")
    in_wait = IN_WAIT in line[header.end(1) :]
    thread = ThreadStack(name, state.group(1) if state else None, number, number, is_plain=is_plain, in_wait=in_wait)
    if times := _TIMES.search(line, header.end(1)):
        thread.cpu_ms, thread.elapsed_ms = float(times[1]), float(times[2]) * 1000
    return thread


def take_line(thread: ThreadStack, line: str, number: int) -> None:
    """Add a line below a header: a frame, the state or a lock; other lines are ignored."""
    stripped = line.strip()
    is_plain_frame = thread.is_plain and _PLAIN_FRAME.match(stripped) is not None
    if is_plain_frame or stripped.startswith("at "):
        thread.last_line = number
        if len(thread.frames) < MOST_FRAMES:
            thread.frames.append(frame_name(stripped if is_plain_frame else stripped[3:]))
    elif stripped.startswith("- "):
        found = _LOCK.match(stripped)
        if found:
            lock = found["object"] or f"{found['kind'] or 'lock'}@{found['address']}"
            thread.take_lock(found["how"], lock)
    elif thread.state is None and not thread.frames:
        state = _STATE_LINE.match(stripped)
        if state:
            waits = thread.in_wait and state["state"] == "RUNNABLE"
            thread.state, thread.last_line = "WAITING" if waits else state["state"], number


def _unnamed_thread(line: str, number: int, before: ThreadStack | None) -> ThreadStack | None:
    """The thread that a line with a state begins when its header was not copied; None for other lines.

    before  the thread above; the line gives its state when it has a header and no frames yet
    """
    if before and before.is_named and not before.frames:
        return None
    found = _STATE_LINE.match(line.strip())
    name = f"unnamed thread at line {number}"
    return ThreadStack(name, found["state"], number, number, is_named=False) if found else None


def dumped_threads(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int | None, ThreadStack]]:
    """The threads of each dump among numbered lines, with the time above the dump in epoch ms.

    That time has no zone and is read as UTC.
    """
    ts_ms = written_ms = None
    thread: ThreadStack | None = None
    for number, line in lines:
        begun = thread_header(line, number) or _unnamed_thread(line, number, thread)
        is_title = line.startswith(TITLE)
        if begun or is_title:
            if thread:
                yield ts_ms, thread
            elif begun and written_ms is not None:
                ts_ms, written_ms = written_ms, None
            thread = begun
        elif thread:
            take_line(thread, line, number)
        if is_title:
            ts_ms, written_ms = written_ms, None
        elif _TIME.match(line):
            written_ms = _epoch_ms(line)
    if thread:
        yield ts_ms, thread


def _epoch_ms(line: str) -> int | None:
    try:
        return round(datetime.fromisoformat(line.rstrip("Z")).replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


def thread_of(lines: Iterable[str]) -> ThreadStack | None:
    """A thread from its own lines, header first."""
    thread: ThreadStack | None = None
    for number, line in enumerate(lines, 1):
        if thread is None:
            thread = thread_header(line, number)
        else:
            take_line(thread, line, number)
    return thread
