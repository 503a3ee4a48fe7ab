"""Lock contention in a thread dump: which threads wait for which lock, chains of waiting threads, and deadlocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DumpedThread:
    """A thread of one dump with its locks."""

    name: str
    state: str | None
    frames: tuple[str, ...]
    waits_for: str | None
    holds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LockQueue:
    """A lock with the threads that wait for it.

    holder  the thread that holds it, None when the dump does not show it
    chain   the threads from the holder on, each waiting for a lock of the next one
    circle  the threads in a deadlock, in order; empty without one. Threads, as a JVM may give several one name.
    """

    lock: str
    waiting: tuple[DumpedThread, ...]
    holder: DumpedThread | None
    chain: tuple[DumpedThread, ...]
    circle: tuple[DumpedThread, ...]


def lock_queues(threads: Sequence[DumpedThread]) -> list[LockQueue]:
    """The locks of one dump that threads wait for, deadlocks first, then by how many wait.

    A lock counts only when its holder is known or a thread is BLOCKED on it. A thread that parks on a lock without a
    holder waits for work, as the threads of pools do.
    """
    holders = {lock: thread for thread in threads for lock in thread.holds}
    waiting: dict[str, list[DumpedThread]] = {}
    for thread in threads:
        if thread.waits_for and (thread.waits_for in holders or thread.state == "BLOCKED"):
            waiting.setdefault(thread.waits_for, []).append(thread)
    found = []
    for lock, queue in waiting.items():
        holder = holders.get(lock)
        chain, circle = _followed(holder, holders)
        found.append(LockQueue(lock, tuple(queue), holder, chain, circle))
    return sorted(found, key=lambda each: (not each.circle, -len(each.waiting), each.lock))


def _followed(
    holder: DumpedThread | None, holders: Mapping[str, DumpedThread]
) -> tuple[tuple[DumpedThread, ...], tuple[DumpedThread, ...]]:
    chain: list[DumpedThread] = []
    here = holder
    while here is not None:
        if here in chain:
            return tuple(chain), tuple(chain[chain.index(here) :])
        chain.append(here)
        here = holders.get(here.waits_for) if here.waits_for else None
    return tuple(chain), ()
