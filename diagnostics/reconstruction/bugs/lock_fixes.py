"""What later releases of Flink or a connector repaired in the code of threads that wait for each other's locks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.bugs.running_release import stated_in_class_paths
from diagnostics.reconstruction.configuration.flink_releases import flink_releases
from diagnostics.reconstruction.stacks.thread_locks import DumpedThread
from diagnostics.vocabulary.known_bug import FLINK, Release, release_of
from diagnostics.vocabulary.later_fix import LaterFix, fixes_of_locks, products

LOCKS = "java.util.concurrent.locks."
ACQUIRING = (".lock", ".lockInterruptibly", ".acquire", ".acquireShared")
LOCK_FIX_FACTS = {
    "fix": "change of a later release that repairs a deadlock, in the code in which the threads wait",
    "fix_title": "title of that change",
    "fix_program": "whose change it is",
    "fix_release": "the nearest release above the one that runs, or the first of all, that has it",
    "fix_url": "where that change is described",
    "fix_running": "the release that runs, where a file states it",
}
"""What the facts of `lock_fix` mean."""


def waits_for_lock(thread: DumpedThread) -> bool:
    """Whether a thread waits until it gets a lock, not for work: it is BLOCKED, or acquires a lock of Java's."""
    inner = thread.frames[-4:]
    acquires = any(each.startswith(LOCKS) and each.endswith(ACQUIRING) for each in inner)
    awaits = any(each.endswith((".await", ".awaitNanos", "ConditionObject.awaitUntil")) for each in inner)
    return thread.state == "BLOCKED" or (acquires and not awaits)


def lock_fix(
    threads: Iterable[DumpedThread], file_id: int, ts_ms: int | None, evidence: Evidence, *, is_circle: bool
) -> dict[str, FactValue]:
    """The later fix of a deadlock in the code in which threads of one dump wait; empty without one.

    is_circle  whether each of them holds the lock that the next one waits for

    Gives  the facts of LOCK_FIX_FACTS
    """
    stacks = [[*reversed(each.frames)] for each in threads]
    running = {name: release for name in products() if (release := _running(name, file_id, ts_ms, evidence))}
    fix = next(iter(fixes_of_locks(stacks, running, is_circle=is_circle)), None)
    return {} if fix is None else _facts(fix, running)


def _facts(fix: LaterFix, running: Mapping[str, Release]) -> dict[str, FactValue]:
    release = running.get(fix.product.name)
    return {
        "fix": f"#{fix.change}" if fix.change.isdigit() else fix.change,
        "fix_title": fix.title.rstrip("."),
        "fix_program": fix.product.program,
        "fix_release": ".".join(map(str, fix.first_after(release))),
        "fix_url": fix.product.address_of(fix.change),
        "fix_running": ".".join(map(str, release)) if release else None,
    }


def _running(product: str, file_id: int, ts_ms: int | None, evidence: Evidence) -> Release | None:
    """The release of a product in the process of a dump, as far as files state it."""
    if product == FLINK:
        return flink_releases(evidence).at(file_id, ts_ms)

    def among(jars: Sequence[tuple[str, str]]) -> Release | None:
        return next((release_of(release) for name, release in jars if products()[product].ships(name)), None)

    return stated_in_class_paths(file_id, evidence, among)
