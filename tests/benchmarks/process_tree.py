"""Resources of a process and its children: processor time, and the peak of their common memory."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

import psutil

SAMPLE_SECONDS = 0.2
"""How often memory is looked at. Our choice: reading it costs 1 ms for each GB."""


def processes(root: int | None = None) -> list[psutil.Process]:
    """The process (this one when none is named) and everything that it started and that still lives."""
    try:
        parent = psutil.Process(root or os.getpid())
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(root: int | None = None) -> float:
    """Processor time of the tree so far, of ended children too when their parent has waited for them."""
    total = 0.0
    for each in processes(root):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = each.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def memory_bytes(root: int | None = None) -> int:
    """Memory of the tree; what processes share is counted once (PSS)."""
    total = 0
    for each in processes(root):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            total += each.memory_full_info().pss
    return total


class Peak:
    """The most memory the tree of this process held while a block ran, in `bytes`."""

    def __init__(self) -> None:
        self.bytes = 0
        self._ended = threading.Event()

    def __enter__(self) -> Peak:
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self.bytes = max(self.bytes, memory_bytes())
            if self._ended.wait(SAMPLE_SECONDS):
                return


@contextlib.contextmanager
def on_cores(count: int) -> Iterator[None]:
    """This process, and what it starts meanwhile, on so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(before)[:count]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
