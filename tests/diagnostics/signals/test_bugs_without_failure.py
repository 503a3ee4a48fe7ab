"""Bugs that throw nothing: threads, readings and calls show them, and a release with the fix keeps them silent."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import known_bugs, thread_locks
from diagnostics.vocabulary.bug_sign import sign_of
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, only, signals_of_key

HYBRID = "org.apache.flink.runtime.io.network.partition.hybrid."
MAX_WATERMARK = 9223372036854775807.0
CALLS = [
    {"kind": "call-of-a-sign", "name": name, "line": 2, "last_line": 2}
    for name in ("withIdleness", "withWatermarkAlignment")
]


def started(version: str) -> dict[str, Any]:
    """The line with which a process names its version."""
    message = f" Starting TaskManager (Version: {version}, Scala: 2.12, Rev:a, Date:b)"
    return {"ts_ms": START, "level": "INFO", "message": message, "kinds": "version"}


def thread(name: str, state: str, *inner: str, waits_for: str | None = None) -> dict[str, Any]:
    """A thread of a dump; its frames have the innermost first."""
    return {
        "profile": "thread-dump",
        "mode": "dump",
        "thread": name,
        "state": state,
        "frames": [*reversed(inner)],
        "weight": 1.0,
        "waits_for": waits_for,
        "holds": [],
    }


def waiting_in_hybrid_shuffle() -> list[dict[str, Any]]:
    """The two threads of FLINK-28785."""
    lock = "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock"
    return [
        thread(
            "Flink Netty Server",
            "WAITING",
            "java.util.concurrent.locks.LockSupport.park",
            lock,
            f"{HYBRID}HsMemoryDataManager.callWithLock",
            f"{HYBRID}HsSubpartitionView.getNextBuffer",
        ),
        thread(
            "Map (1/4)#0",
            "BLOCKED",
            f"{HYBRID}HsSubpartitionView.notifyDataAvailable",
            f"{HYBRID}HsMemoryDataManager.append",
            waits_for="java.lang.Object@5c2",
        ),
    ]


def standing(watermark: float = MAX_WATERMARK, rate: float = 0.0) -> list[dict[str, Any]]:
    """Readings of a source."""
    values = {"currentOutputWatermark": watermark, "numRecordsOutPerSecond": rate}
    return [
        {
            "ts_ms": START,
            "metric": metric,
            "value": value,
            "job_id": JOB,
            "vertex_id": SOURCE,
            "vertex": "Source: orders",
            "operator": "Source: orders",
            "subtask": 0,
        }
        for metric, value in values.items()
    ]


def test_threads_that_wait_where_a_later_release_ended_a_deadlock_name_it() -> None:
    facts = only(thread_locks.measure(hand_made(stack_sample=waiting_in_hybrid_shuffle())), "thread_locks").facts
    assert (facts["fix"], facts["fix_release"], facts["fix_program"]) == ("FLINK-28785", "1.16.0", "Flink")


@pytest.mark.parametrize(
    "threads",
    [
        waiting_in_hybrid_shuffle()[:1],
        [{**each, "state": "RUNNABLE", "frames": each["frames"][:1]} for each in waiting_in_hybrid_shuffle()],
        [thread(f"pool-{n}", "BLOCKED", "org.acme.Cache.get", waits_for="org.acme.Cache@1") for n in range(3)],
    ],
)
def test_other_threads_name_no_fix(threads: list[dict[str, Any]]) -> None:
    assert "fix" not in only(thread_locks.measure(hand_made(stack_sample=threads)), "thread_locks").facts


def test_a_release_with_the_fix_of_a_deadlock_names_none() -> None:
    evidence = hand_made(stack_sample=waiting_in_hybrid_shuffle(), log_record=[started("1.17.1")])
    assert "fix" not in only(thread_locks.measure(evidence), "thread_locks").facts


def test_an_idle_source_that_is_aligned_shows_the_bug_without_a_release() -> None:
    evidence = hand_made(metric_sample=standing(), code_call=CALLS)
    facts = only(known_bugs.measure(evidence), "known_bugs").facts
    assert (facts["bug"], facts["sign"]) == ("FLINK-32496", "readings")
    assert "release" not in facts


@pytest.mark.parametrize(
    ("version", "readings", "calls"),
    [
        ("1.18.0", standing(), CALLS),
        ("1.17.1", standing(watermark=1.7e12), CALLS),
        ("1.17.1", standing(rate=100.0), CALLS),
        ("1.17.1", standing(), CALLS[:1]),
        ("1.17.1", standing(), []),
    ],
)
def test_a_fixed_release_or_a_missing_part_of_the_sign_shows_nothing(
    version: str, readings: list[dict[str, Any]], calls: list[dict[str, Any]]
) -> None:
    evidence = hand_made(metric_sample=readings, code_call=calls, log_record=[started(version)])
    assert signals_of_key(known_bugs.measure(evidence), "known_bugs") == []


def test_threads_that_many_faults_have_count_only_in_a_release_with_the_bug() -> None:
    frame = "org.apache.flink.runtime.io.network.netty.PartitionRequestClientFactory.createPartitionRequestClient"
    dump = [thread("Source: orders (1/2)#0", "WAITING", "java.lang.Object.wait", frame)]
    assert signals_of_key(known_bugs.measure(hand_made(stack_sample=dump)), "known_bugs") == []
    evidence = hand_made(stack_sample=dump, log_record=[started("1.11.1")])
    assert only(known_bugs.measure(evidence), "known_bugs").facts["next_fixed"] == "1.11.2"


def test_threads_left_behind_are_counted_by_their_name() -> None:
    dump = [thread(f"SourceCoordinator-Source: orders-{n}", "WAITING", "java.lang.Object.wait") for n in range(60)]
    evidence = hand_made(stack_sample=dump, log_record=[started("1.16.2")])
    assert only(known_bugs.measure(evidence), "known_bugs").facts["bug"] == "FLINK-32411"
    fewer = hand_made(stack_sample=dump[:9], log_record=[started("1.16.2")])
    assert signals_of_key(known_bugs.measure(fewer), "known_bugs") == []


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"unknown": []},
        {"threads": ["not a list"]},
        {"threads": [[]]},
        {"threads": [["short"]]},
        {"metrics": {"pendingRecords": {}}},
        {"metrics": {"pendingRecords": {"above": 1}}},
        {"settings": {"parallelism.default": "1"}},
        {"calls": ["x"]},
        {"named": []},
    ],
)
def test_an_entry_that_says_nothing_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        sign_of(entry)
