"""Threads that become more and more."""

from __future__ import annotations

from diagnostics.signals.thread_counts import measure
from tests.diagnostics.hand_made import START, hand_made, needs, only


def test_the_growth_of_a_process_is_that_of_its_quarters() -> None:
    rows = [
        {
            "scope": "taskmanager",
            "metric": "Status.JVM.Threads.Count",
            "task_manager": "tm_1",
            "ts_ms": START + 60_000 * step,
            "value": 200.0 + 100 * step,
        }
        for step in range(16)
    ]
    facts = only(measure(hand_made(metric_sample=rows)), "thread_counts").facts
    assert (facts["threads_early"], facts["threads_late"]) == (500, 1400)


def test_threads_of_one_pool_are_counted_by_their_name_without_numbers() -> None:
    rows = [
        {
            "profile": "thread-dump",
            "mode": "dump",
            "ts_ms": START,
            "thread": f"iceberg-worker-pool-{number}",
            "state": "WAITING",
            "frames": ["java.lang.Thread.run"],
            "weight": 1.0,
        }
        for number in range(20)
    ]
    facts = only(measure(hand_made(stack_sample=rows)), "thread_counts").facts
    assert (facts["group"], facts["group_threads"]) == ("iceberg-worker-pool-*", 20)


def test_without_metrics_and_dumps_nothing_is_counted() -> None:
    assert needs(measure(hand_made())) == {"thread_counts": "metric-scrapes"}
