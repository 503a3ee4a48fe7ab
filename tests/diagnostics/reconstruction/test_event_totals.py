"""How many events, keys and arrivals there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import diagnostics.evidence as tables
from diagnostics.reconstruction.event_totals import EventTotals, event_totals
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def events() -> list[dict[str, Any]]:
    """Twelve keys, of which each has one event more than the one before; of the first only the arrival is known."""
    timed = {"event_ms": START}
    return [
        *(
            {"key": f"k-{number:02}", "arrival_ms": START + number, **(timed if number else {})}
            for number in range(12)
            for _ in range(number + 1)
        ),
        {"arrival_ms": START + 50, **timed},
        {"arrival_ms": START + 99},
    ]


EXPECTED = EventTotals(
    keyed=78,  # 1 + 2 + ... + 12
    keys=12,
    timed=78,  # one of a key without both times, one with them without a key
    timed_keys=11,
    from_ms=START + 1,
    to_ms=START + 50,
    frequent=[(f"k-{number:02}", number + 1) for number in range(11, 1, -1)],
)


def test_events_are_counted_with_and_without_key_and_times(spark: SparkSession) -> None:
    assert event_totals(hand_made(spark, event=events())) == EXPECTED


def test_keys_that_different_tasks_count_are_told_together(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "FEW_ROWS", 0)
    monkeypatch.setattr(tables, "ROWS_TOGETHER", 20)
    assert event_totals(hand_made(spark, event=events())) == EXPECTED


def test_keys_with_as_many_events_are_in_order_of_their_names(spark: SparkSession) -> None:
    told = event_totals(hand_made(spark, event=[{"key": key} for key in "bca"]))
    assert told.frequent == [("a", 1), ("b", 1), ("c", 1)]
    assert (told.timed, told.from_ms, told.to_ms) == (0, None, None)
