"""Samples of a profiler as rows of `stack_sample`, for every file type: thread, task, frames and mode."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from diagnostics.evidence.rows import Rows
from diagnostics.language import say
from diagnostics.notation.stack_frame import MOST_FRAMES, frame_name
from diagnostics.notation.task_name import task_of_thread

ROWS_AT_ONCE, FRAMES_AT_ONCE = 2_000, 40_000
"""Of one batch, 20 MB at most: a frame has up to 500 bytes there. Our choice."""

MOST_STACK_FRAMES = 20_000_000
"""Frames of all distinct stacks of one file: formats that share frames store a stack in a few bytes, and a profile of a
megabyte can expand to thousands of millions of frames. Our choice: 200,000 stacks of a hundred frames.
"""

WAITING_SHARE = 0.2
"""From this share of parked threads on, a profile is wall-clock time: one of CPU time has none. Our choice."""

WAITING = frozenset(
    (
        "jdk.internal.misc.Unsafe.park",
        "sun.misc.Unsafe.park",
        "java.lang.Object.wait",
        "java.lang.Object.wait0",
        "java.lang.Thread.sleep",
        "java.lang.Thread.sleep0",
        "__pthread_cond_wait",
        "pthread_cond_wait",
    )
)

NATIVE_ROOTS = frozenset(
    ("start_thread", "clone", "clone3", "__clone", "__clone3", "_start", "__libc_start_main", "thread_start")
)

JAVA_FRAME = re.compile(r"(?:[A-Za-z_$][\w$]*[./])+[\w$<>]+(?:_\[[a-z0-9]\])?$")
_MAPPED = re.compile(r"L([\w/$]{1,500});(?:::|\.)([\w$<>]{1,200})$")
_NAME_MODE = re.compile(r"(?:^|[^a-z])(wall|cpu|itimer|alloc|lock)(?:[^a-z]|$)")
_THREAD_ID = re.compile(r"(?:^\[(.+) tid=\d+\]|(.+?)(?:-\?)?/\d+| tid=\d+)$")


def sample_row(thread: str | None, frames: Sequence[str], weight: float) -> dict[str, Any]:
    """A row without its line: `frames` as printed, root first, without the thread."""
    task = task_of_thread(thread) if thread else None
    return {
        "thread": thread,
        "vertex": task.vertex if task else None,
        "subtask": task.subtask if task else None,
        "frames": [frame_name(frame) for frame in frames[-MOST_FRAMES:]],
        "weight": weight,
    }


class FrameAllowance:
    """How many frames the distinct stacks of a file may still have."""

    def __init__(self) -> None:
        self._left = MOST_STACK_FRAMES

    def take(self, frames: int) -> bool:
        """Whether a stack with this number of frames is kept."""
        if frames > self._left:
            self._left = 0
            return False
        self._left -= frames
        return True

    def report(self, warn: Callable[[str], None]) -> None:
        """Warns where stacks were left out."""
        if not self._left:
            warn(
                say(
                    "more than {bound:,} frames in all its stacks: those beyond them are not counted",
                    bound=MOST_STACK_FRAMES,
                )
            )


def stack_batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[Rows]:
    """The rows of `stack_sample` in batches of bounded memory, however deep the stacks are."""
    batch: list[Mapping[str, Any]] = []
    frames = 0
    for row in rows:
        frames += len(row["frames"])
        if batch and (len(batch) == ROWS_AT_ONCE or frames > FRAMES_AT_ONCE):
            yield Rows("stack_sample", batch)
            batch, frames = [], len(row["frames"])
        batch.append(row)
    if batch:
        yield Rows("stack_sample", batch)


def thread_of(root: str) -> str | None:
    """The thread that a root frame names; None when it is a Java method or a native entry point."""
    if root in NATIVE_ROOTS or root.startswith("[unknown") or "::" in root or JAVA_FRAME.match(root):
        return None
    if task_of_thread(root):
        return root
    found = _THREAD_ID.match(root)
    return (found.group(1) or found.group(2) or root) if found else root


def mapped_symbol(symbol: str) -> str:
    """A symbol as other profilers print it: perf-map-agent prints a Java method as `Lpackage/Class;::method`."""
    mapped = _MAPPED.match(symbol)
    return f"{mapped[1]}.{mapped[2]}" if mapped else symbol


def mode_of(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """wall, cpu, alloc, lock or unknown, from the file's name or else the share of waiting samples."""
    named = _NAME_MODE.search(name.replace("\\", "/").rpartition("/")[2].lower())
    if named:
        return "cpu" if named.group(1) == "itimer" else named.group(1)
    waiting = total = 0.0
    for row in rows:
        total += row["weight"]
        waiting += row["weight"] if row["frames"] and row["frames"][-1] in WAITING else 0.0
    return "wall" if total and waiting >= WAITING_SHARE * total else "unknown"
