"""CPU time of a task's threads from thread dumps: by subtask, between two dumps, and of the collector."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.thread_cpu import measure
from tests.diagnostics.hand_made import START, hand_made, needs, only


def _time(thread: str, cpu_ms: float, elapsed_ms: float, at_ms: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "ts_ms": START + at_ms,
        "kind": "other",
        "thread": thread,
        "cpu_ms": cpu_ms,
        "elapsed_ms": elapsed_ms,
    } | more


def _task(subtask: int, cpu_ms: float, elapsed_ms: float, at_ms: int = 0, attempt: int = 0) -> dict[str, Any]:
    name = f"score ({subtask + 1}/2)#{attempt}"
    return _time(name, cpu_ms, elapsed_ms, at_ms, kind="task", vertex="score", subtask=subtask, parallelism=2)


def test_the_share_of_a_subtask_is_its_growth_between_two_dumps() -> None:
    rows = [
        _task(0, 1_000, 60_000),
        _task(0, 9_000, 70_000, 10_000),
        _task(1, 500, 60_000),
        _task(1, 600, 70_000, 10_000),
    ]
    facts = only(measure(hand_made(thread_time=rows)), "thread_cpu").facts
    assert facts["busiest_subtask"] == 0
    assert facts["busiest_ratio"] == pytest.approx(0.8)
    assert facts["others_max_ratio"] == facts["least_ratio"] == pytest.approx(0.01)
    assert facts["between_dumps"] is True
    assert facts["all_seen"] is True


def test_a_single_dump_tells_the_mean_since_the_thread_began() -> None:
    facts = only(measure(hand_made(thread_time=[_task(1, 30_000, 60_000)])), "thread_cpu").facts
    assert (facts["busiest_ratio"], facts["between_dumps"], facts["all_seen"]) == (0.5, False, False)


def test_a_thread_of_another_attempt_is_not_compared_and_a_young_one_is_left_out() -> None:
    restarted = [_task(0, 50_000, 60_000), _task(0, 9_000, 10_000, 70_000, attempt=1)]
    assert not [each for each in measure(hand_made(thread_time=restarted)) if each.key == "thread_cpu"]


def test_the_part_of_the_collector_is_that_of_its_process() -> None:
    rows = [_time("GC Thread#0", 40_000, 80_000, kind="gc"), _time("main", 10_000, 80_000), _task(0, 30_000, 60_000)]
    facts = only(measure(hand_made(thread_time=rows)), "thread_cpu.collection").facts
    assert (facts["share_ratio"], facts["cores_used"], facts["threads"]) == (0.5, 0.5, 1)


def test_without_times_in_the_headers_nothing_is_measured() -> None:
    assert needs(measure(hand_made())) == {"thread_cpu": "thread-dumps", "thread_cpu.collection": "thread-dumps"}
