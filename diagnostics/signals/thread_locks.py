"""Locks that threads wait for in thread dumps: deadlocks, and one lock that many threads queue for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.bugs.lock_fixes import LOCK_FIX_FACTS, lock_fix, waits_for_lock
from diagnostics.reconstruction.stacks.sampled_stacks import MOST_THREADS, sampled_stacks
from diagnostics.reconstruction.stacks.thread_locks import DumpedThread, LockQueue, lock_queues
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.known_frames import stack
from diagnostics.wording.cited_text import STATE_OF_THREAD, cited_text

MOST_WAITING = 200
"""Waiting threads of a dump whose code is looked up. Our choice: deadlocks need two."""
MOST_NAMED = 6
"""Threads that are named, and records that are cited. Our choice."""
JAVA = ("java.", "jdk.", "sun.")


def measure(evidence: Evidence) -> Measured:
    """Deadlocks of all dumps, and the lock for which most threads wait in most of them.

    Reads   stack_sample, only thread dumps.
    Gives   one signal of the case.
    Empty   NotMeasured without a thread dump.
    """
    dumps, places = _dumps(evidence)
    if not dumps:
        yield NotMeasured("thread_locks", "thread-dumps", "no file has the locks of threads")
        return
    queues = [(dump, queue) for dump in sorted(dumps) for queue in lock_queues(dumps[dump])]
    # Each lock of a circle, and each in front of it, leads to the same threads.
    circles = {(dump, frozenset(queue.circle)): queue.circle for dump, queue in queues if queue.circle}
    contended: dict[str, list[LockQueue]] = defaultdict(list)
    for _, queue in queues:
        contended[_called(queue)].append(queue)
    facts: dict[str, FactValue] = {"dumps": len(dumps), "deadlocks": len(circles)}
    shown: list[DumpedThread] = []
    deadlocked = [(dump, circle) for (dump, _), circle in circles.items()]
    fixed = next(_fixes(dumps, deadlocked, evidence), None)
    if deadlocked:
        locked = deadlocked[0][1]
        facts |= {"deadlocked": [each.name for each in locked[:MOST_NAMED]], "deadlock_frames": _frames(locked)}
        shown = list(locked)
    elif contended:
        most = max(contended.values(), key=lambda each: (len(each), max(len(one.waiting) for one in each)))
        largest = max(most, key=lambda each: len(each.waiting))
        facts |= {
            "contended_dumps": len(most),
            "waiting": len(largest.waiting),
            "wait_frame": _telling_frame(largest.waiting[0]),
            "holder": largest.holder.name if largest.holder else None,
            "holder_frame": _telling_frame(largest.holder) if largest.holder else None,
        }
        shown = [*([largest.holder] if largest.holder else []), *largest.waiting]
    if fixed is not None:
        waiting, of_fix = fixed
        facts |= of_fix
        shown = shown or list(waiting)
    cited = tuple(places[each.name, each.frames] for each in shown[:MOST_NAMED])
    yield Signal("thread_locks", Subject(), known_facts(facts), cited, citation_count=len(cited))


def _fixes(
    dumps: Mapping[tuple[int, int], Sequence[DumpedThread]],
    circles: Sequence[tuple[tuple[int, int], Sequence[DumpedThread]]],
    evidence: Evidence,
) -> Iterator[tuple[Sequence[DumpedThread], dict[str, FactValue]]]:
    """The threads that wait for locks in code whose deadlock a later release repaired, and that fix; circles first.

    circles  of each deadlock its dump, and its threads
    """
    waiting = [(dump, [each for each in dumps[dump] if waits_for_lock(each)][:MOST_WAITING]) for dump in sorted(dumps)]
    for places, is_circle in ((circles, True), (waiting, False)):
        for (file_id, ts_ms), threads in places:
            of_fix = lock_fix(threads, file_id, ts_ms or None, evidence, is_circle=is_circle)
            if of_fix:
                yield threads, of_fix


def _dumps(
    evidence: Evidence,
) -> tuple[Mapping[tuple[int, int], Sequence[DumpedThread]], Mapping[tuple[str, tuple[str, ...]], Citation]]:
    """(file, time) -> the threads of a dump; and where each thread with its stack was seen first."""
    stacks = sampled_stacks(evidence)
    dumps: dict[tuple[int, int], list[DumpedThread]] = defaultdict(list)
    places: dict[tuple[str, tuple[str, ...]], Citation] = {}
    if stacks is None:
        return dumps, places
    names = set(stacks.threads.column_names)
    columns = [each for each in dict.fromkeys((*COLUMNS, *CITATION_COLUMNS)) if each in names]
    for row in stacks.rows(stacks.threads.select(columns)[:MOST_THREADS]):
        thread = _thread(row)
        dumps[row["file_id"], row["ts_ms"] or 0].append(thread)
        if thread.waits_for or thread.holds or waits_for_lock(thread):
            place = _telling_frame(thread) or "unknown"
            said = cited_text(STATE_OF_THREAD, thread=thread.name, state=thread.state or "unknown", frame=place)
            places.setdefault((thread.name, thread.frames), Citation.cite_row(row, "thread", said))
    return dumps, places


COLUMNS = ("file_id", "ts_ms", "thread", "state", "frames", "waits_for", "holds")


def _thread(row: Mapping[str, Any]) -> DumpedThread:
    holds = tuple(row["holds"] or ())
    return DumpedThread(row["thread"] or "", row["state"], tuple(row["frames"]), row["waits_for"], holds)


def _called(queue: LockQueue) -> str:
    """A name of the same lock in other dumps of the process: the class before its address, and where threads wait."""
    return f"{queue.lock.partition('@')[0]} {_telling_frame(queue.waiting[0])}"


def _telling_frame(thread: DumpedThread) -> str | None:
    """The frame that characterises a stack: the job's own, else the first outside of Java, else the innermost."""
    if not thread.frames:
        return None
    own = stack(thread.frames).user
    outside = next((frame for frame in reversed(thread.frames) if not frame.startswith(JAVA)), None)
    return own or outside or thread.frames[-1]


def _frames(threads: Sequence[DumpedThread]) -> list[str]:
    return list(dict.fromkeys(told for each in threads[:MOST_NAMED] if (told := _telling_frame(each))))


SIGNALS = (
    SignalDefinition(
        key="thread_locks",
        level="case",
        facts={
            "dumps": "thread dumps that were read",
            "deadlocks": "deadlocks in all thread dumps",
            "deadlocked": "threads of the first deadlock",
            "deadlock_frames": "frames in which the threads of the first deadlock wait",
            "contended_dumps": "dumps in which threads wait for the lock that is contended most",
            "waiting": "most threads that wait for the lock that is contended most",
            "wait_frame": "frame in which threads wait for the lock that is contended most",
            "holder": "thread that holds the lock that is contended most",
            "holder_frame": "frame in which that lock is held",
            **LOCK_FIX_FACTS,
        },
        measure=measure,
    ),
)
