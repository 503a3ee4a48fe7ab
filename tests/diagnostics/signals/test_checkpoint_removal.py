"""Threads of the JobManager that remove old checkpoints are counted in each dump."""

from __future__ import annotations

from typing import Any

from diagnostics.signals.checkpoint_removal import measure
from tests.diagnostics.hand_made import START, hand_made, only

REMOVES = ["java.lang.Thread.run", "org.apache.flink.runtime.state.SharedStateRegistryImpl$AsyncDisposalRunnable.run"]
IDLE = ["java.lang.Thread.run", "java.util.concurrent.ThreadPoolExecutor.getTask"]


def thread(name: str, frames: list[str]) -> dict[str, Any]:
    return {
        "profile": "thread-dump",
        "mode": "dump",
        "ts_ms": START,
        "thread": name,
        "state": "RUNNABLE",
        "frames": frames,
        "weight": 1.0,
    }


def facts_of(*frames: list[str]) -> dict[str, object]:
    rows = [thread(f"jobmanager-io-thread-{place}", each) for place, each in enumerate(frames, 1)]
    other = thread("flink-metrics-4", REMOVES)
    return dict(only(measure(hand_made(stack_sample=[*rows, other])), "checkpoint_removal").facts)


def test_a_pool_that_only_removes_is_counted() -> None:
    assert facts_of(REMOVES, REMOVES) == {"pool": 2, "removing": 2, "dumps": 1}


def test_each_thread_that_removes_is_cited() -> None:
    rows = [thread("jobmanager-io-thread-1", REMOVES), thread("jobmanager-io-thread-2", IDLE)]
    signal = only(measure(hand_made(stack_sample=rows)), "checkpoint_removal")
    assert [each.text for each in signal.citations] == [
        "thread jobmanager-io-thread-1 is RUNNABLE in org.apache.flink.runtime.state.SharedStateRegistryImpl"
        "$AsyncDisposalRunnable.run"
    ]


def test_a_pool_with_an_idle_thread_is_not_full() -> None:
    assert facts_of(REMOVES, IDLE) == {"pool": 2, "removing": 1, "dumps": 0}
