"""Log patterns and frames that appeared, vanished, grew or shrank."""

from __future__ import annotations

from typing import Any

from diagnostics.proof.lists import frame_effects, pattern_effects

EXPIRED, SLOW = ("WARN", "Checkpoint <*> expired before completing"), ("WARN", "Took <*> ms")


def judged(before: dict[Any, int], after: dict[Any, int], hours: float = 1.0) -> dict[str, str]:
    """`before` and `after` tell how many records there are; they come evenly."""
    counts = [{each: [1] * records for each, records in side.items()} for side in (before, after)]
    return {each.quantity.title: each.judgement for each in pattern_effects(counts[0], 1.0, counts[1], hours)}


def test_a_warning_that_is_gone_is_fixed_and_a_new_one_worse() -> None:
    assert judged({EXPIRED: 40}, {SLOW: 40}) == {
        "WARN Checkpoint <*> expired before completing": "fixed",
        "WARN Took <*> ms": "worse",
    }


def test_a_rare_warning_that_is_not_seen_for_a_while_is_not_said_to_be_gone() -> None:
    assert judged({EXPIRED: 2}, {}, hours=0.5) == {}


def test_records_that_come_in_one_burst_are_not_said_to_be_more() -> None:
    even, burst = {SLOW: [1] * 20}, {SLOW: [40, *[0] * 19]}
    assert [each.judgement for each in pattern_effects(even, 1.0, {SLOW: [2] * 20}, 1.0)] == ["worse"]
    assert pattern_effects(even, 1.0, burst, 1.0) == []


def test_patterns_of_equal_frequency_are_not_reported() -> None:
    assert judged({SLOW: 100}, {SLOW: 104}) == {}


def graph(vertex: str = "Sink", **own: float) -> dict[str, Any]:
    frames = [["all", -1, 1000.0, 0.0, 0.0], *([name, 0, weight, 0.0, weight] for name, weight in own.items())]
    task = {"vertex": vertex, "profile": "flame-graph", "mode": "full", "total": 1000.0}
    return {"jobs": [{"job_id": "a", **task, "frames": frames}]}


def test_frames_that_grew_or_shrank_are_reported_without_calling_it_better_or_worse() -> None:
    told = frame_effects(graph(poll=900, hash=100), graph(poll=100, hash=900), ("a", "a"))
    assert {each.quantity.title: (each.judgement, each.because) for each in told} == {
        "poll": ("changed", "It fell beyond the noise band."),
        "hash": ("changed", "It rose beyond the noise band."),
    }


def test_graphs_of_two_tasks_are_not_compared() -> None:
    assert frame_effects(graph(poll=900), graph("Source", poll=100), ("a", "a")) == []
