"""Very many pauses are told as few are."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.evidence import Evidence
from diagnostics.reconstruction import gc_pauses as module
from diagnostics.reconstruction.gc_course import collections_of
from diagnostics.reconstruction.gc_pauses import gc_pauses
from diagnostics.reconstruction.gc_timeline import timelines
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


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


def evidence_of(spark: SparkSession, rows: list[dict[str, Any]]) -> Evidence:
    """One part, as the pauses of a file are."""
    made = hand_made(spark, gc_pause=rows)
    return Evidence(spark, {"gc_pause": made["gc_pause"].coalesce(1)}, made.rows)


def test_many_pauses_give_the_same_chart_and_timeline_as_few(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = made_up()
    few = evidence_of(spark, rows)
    expected = collections_of(few), timelines(few)
    monkeypatch.setattr(module, "FEW_PAUSES", 0)
    many = evidence_of(spark, rows)
    assert (collections_of(many), timelines(many)) == expected


def test_many_pauses_of_one_slice_slot_kind_and_cause_are_one(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW_PAUSES", 0)
    pause = {"kind": "young", "cause": "G1 Evacuation Pause", "ts_ms": START}
    rows = [{**pause, "pause_ms": length} for length in (5.0, 70.0, 5.0)]
    told = gc_pauses(evidence_of(spark, [*rows, {**pause, "kind": "mixed", "pause_ms": 1.0}]))
    assert told is not None
    assert [(row["pause_ms"], row["pauses"], row["sum_ms"]) for row in told.to_pylist()] == [(70, 3, 80), (1, 1, 1)]


@pytest.mark.parametrize("few", [0, 10])
def test_concurrent_cycles_and_pauses_without_a_time_or_a_length_are_none(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(module, "FEW_PAUSES", few)
    rows = [
        {"kind": "concurrent", "ts_ms": START, "pause_ms": 5.0},
        {"kind": "young", "ts_ms": START},
        {"kind": "young", "pause_ms": 5.0},
    ]
    evidence = hand_made(spark, gc_pause=rows)
    assert gc_pauses(evidence) is None
    assert (collections_of(evidence), timelines(evidence)) == ([], ())
