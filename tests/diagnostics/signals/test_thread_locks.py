"""Deadlocks and contended locks in thread dumps."""

from __future__ import annotations

from typing import Any

from diagnostics.signals.thread_locks import measure
from tests.diagnostics.hand_made import START, hand_made, needs, only

TASK = ["java.lang.Thread.run", "org.apache.flink.streaming.runtime.tasks.StreamTask.invoke"]


def thread(name: str, dump: int, waits_for: str | None = None, holds: list[str] | None = None) -> dict[str, Any]:
    return {
        "profile": "thread-dump",
        "mode": "dump",
        "ts_ms": START + dump * 10_000,
        "thread": name,
        "state": "BLOCKED" if waits_for else "RUNNABLE",
        "frames": [*TASK, "com.acme.Cache.get"],
        "weight": 1.0,
        "waits_for": waits_for,
        "holds": holds,
    }


def test_a_circle_of_locks_is_a_deadlock() -> None:
    dump = [thread("one", 0, "java.lang.Object@a", ["java.lang.Object@b"])]
    dump += [thread("two", 0, "java.lang.Object@b", ["java.lang.Object@a"])]
    facts = only(measure(hand_made(stack_sample=dump)), "thread_locks").facts
    assert facts["deadlocks"] == 1
    assert set(facts["deadlocked"]) == {"one", "two"}  # type: ignore[arg-type]
    assert facts["deadlock_frames"] == ["com.acme.Cache.get"]


def test_a_deadlock_of_threads_whose_names_others_have_too_is_found_with_its_place() -> None:
    dump = [thread("pool-1-thread-1", 0, "java.lang.Object@a", ["java.lang.Object@b"])]
    dump += [thread("pool-2-thread-1", 0, "java.lang.Object@b", ["java.lang.Object@a"])]
    dump += [thread("waits-in-front", 0, "java.lang.Object@a"), thread("pool-1-thread-1", 0)]
    found = only(measure(hand_made(stack_sample=dump)), "thread_locks")
    assert (found.facts["deadlocks"], sorted(each.line or 0 for each in found.citations)) == (1, [1, 2])


def test_a_lock_that_threads_queue_for_is_counted_over_the_dumps() -> None:
    rows = []
    for dump in range(3):
        rows += [thread(f"enrich ({place}/3)", dump, "com.acme.Cache@a") for place in (1, 2)]
        rows.append(thread("enrich (3/3)", dump, holds=["com.acme.Cache@a"]))
    facts = only(measure(hand_made(stack_sample=rows)), "thread_locks").facts
    assert (facts["contended_dumps"], facts["waiting"], facts["holder"]) == (3, 2, "enrich (3/3)")
    assert facts["wait_frame"] == "com.acme.Cache.get"


def test_without_dumps_it_asks_for_some() -> None:
    assert needs(measure(hand_made())) == {"thread_locks": "thread-dumps"}
