"""Aggregated pauses give the same results as single ones."""

from __future__ import annotations

import random
from typing import Any

import pytest

from diagnostics.aggregators import gc_pauses as module
from diagnostics.reconstruction.gc.course import collections_of
from diagnostics.reconstruction.gc.pauses import gc_pauses
from diagnostics.reconstruction.gc.timeline import timelines
from tests.diagnostics.hand_made import START, hand_made


def made_up() -> list[dict[str, Any]]:
    """Pauses of two JVMs over 17 minutes; a third has no clock."""
    chance = random.Random(7)
    rows = []
    for number in range(600):
        file_id, uptime_ms = number % 3, number * 1_700.0
        rows.append(
            {
                "file_id": file_id,
                "ts_ms": None if file_id == 2 else START + number * 1_700,
                "uptime_ms": uptime_ms,
                "gc_id": number // 3,
                "collector": "G1",
                "kind": chance.choice(("young", "young", "mixed", "full", "concurrent")),
                "cause": chance.choice(("G1 Evacuation Pause", "G1 Humongous Allocation", None)),
                "pause_ms": chance.choice((None, chance.randrange(8_000) / 8)),
                "before_bytes": chance.choice((None, 1024.0 * chance.randrange(500, 1_000))),
                "after_bytes": 1024.0 * chance.randrange(100, 600),
                "total_bytes": 1024.0 * 1_000,
            }
        )
    return rows


def test_many_pauses_give_nearly_the_same_chart_and_timeline_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made_up()
    few = hand_made(gc_pause=rows)
    expected = collections_of(few), timelines(few)
    monkeypatch.setattr(module, "MOST_PAUSES", 250)
    many = hand_made(gc_pause=rows)
    found = collections_of(many), timelines(many)
    for one, other in zip(found[0], expected[0], strict=True):
        assert [one[name] for name in ("process", "pauses", "pause_ms", "full", "causes")] == [
            other[name] for name in ("process", "pauses", "pause_ms", "full", "causes")
        ]
        assert max(row[2] for row in one["collections"]) == max(row[2] for row in other["collections"])
    for one, other in zip(found[1], expected[1], strict=True):
        assert (one.started_ms, one.collector, one.full) == (other.started_ms, other.collector, other.full)
        assert one.pause_ms == pytest.approx(other.pause_ms)
        assert one.span_ms == pytest.approx(other.span_ms, rel=0.02)


def test_many_pauses_of_one_while_kind_and_cause_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAUSES", 2)
    pause = {"kind": "young", "cause": "G1 Evacuation Pause", "ts_ms": START}
    rows = [{**pause, "pause_ms": length} for length in (5.0, 70.0, 5.0)]
    told = gc_pauses(hand_made(gc_pause=[*rows, {**pause, "kind": "mixed", "pause_ms": 1.0}]))
    assert told is not None
    assert [(row["pause_ms"], row["pauses"], row["sum_ms"]) for row in told.to_pylist()] == [(70, 3, 80), (1, 1, 1)]


def test_aggregated_pauses_keep_the_allocation_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {
            "kind": "young",
            "cause": None if number % 3 else "G1 Evacuation Pause",
            "ts_ms": START + number * 100,
            "gc_id": number,
            "pause_ms": 1.0,
            "before_bytes": 500.0 + number,
            "after_bytes": 100.0,
        }
        for number in range(200)
    ]
    monkeypatch.setattr(module, "MOST_PAUSES", 60)
    told = gc_pauses(hand_made(gc_pause=rows))
    assert told is not None
    assert told.num_rows <= 60
    assert sum(told["allocated_bytes"].drop_null().to_pylist()) == sum(400 + number for number in range(1, 200))
    assert sum(told["gap_ms"].drop_null().to_pylist()) == 199 * 100


def test_concurrent_cycles_and_pauses_without_a_time_or_a_length_are_none() -> None:
    rows = [
        {"kind": "concurrent", "ts_ms": START, "pause_ms": 5.0},
        {"kind": "young", "ts_ms": START},
        {"kind": "young", "pause_ms": 5.0},
    ]
    evidence = hand_made(gc_pause=rows)
    assert gc_pauses(evidence) is None
    assert (collections_of(evidence), timelines(evidence)) == ([], ())
