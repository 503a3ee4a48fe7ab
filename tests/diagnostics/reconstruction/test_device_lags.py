"""Quantiles of each device's lag, as a plain sort gives them."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest

from diagnostics.reconstruction import device_lags as module
from diagnostics.reconstruction.device_lags import device_lags
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

WIDTH_MS = 30_000.0

Event = tuple[str | None, int, int]
"""Key, arrival, lag."""


def made_up(lags: int) -> list[Event]:
    """Events of five devices and of none, with lags up to so many ms on either side of zero."""
    chance = random.Random(7)
    keys = (*(f"device-{number}" for number in range(5)), None)
    return [
        (chance.choice(keys), START + chance.randrange(200_000), chance.randrange(-lags, lags)) for _ in range(3_000)
    ]


def nth(values: list[int], share: float) -> int:
    return sorted(values)[math.ceil(share * len(values)) - 1]


def by_hand(events: list[Event]) -> dict[str | None, dict[str, Any]]:
    """What the docstring says, one device after the other."""
    found = {}
    for key in {each[0] for each in events}:
        slices: dict[int, list[Event]] = {}
        for event in events:
            if event[0] == key:
                slices.setdefault(int((event[1] - START) / WIDTH_MS), []).append(event)
        lags = [[event[2] for event in own] for own in slices.values()]
        medians = [nth(own, 0.5) for own in lags]
        enough = [nth(own, 0.5) for own in lags if len(own) >= module.FEWEST_IN_SLICE]
        fast = [own for own in slices.values() if len(own) >= 3 and nth([event[2] for event in own], 0.5) < 0]
        found[key] = {
            "key": key,
            "events": sum(map(len, lags)),
            "lowest_ms": min(enough),
            "highest_ms": max(enough),
            "scatter_ms": nth([nth(own, 0.9) - nth(own, 0.1) for own in lags], 0.5),
            "fast_from_ms": min((event[1] for own in fast for event in own), default=None),
            "typical_ms": nth(medians, 0.5),
            "first_lag_ms": min(map(min, lags)),
            "latest_lag_ms": max(map(max, lags)),
        }
    return found


def measured(spark: SparkSession, events: list[Event]) -> dict[str | None, dict[str, Any]]:
    rows = [{"key": key, "arrival_ms": arrival, "event_ms": arrival - lag} for key, arrival, lag in events]
    found = device_lags(hand_made(spark, event=rows), len(events), START, WIDTH_MS).collect()
    return {row.key: row.asDict() for row in found}


def test_each_device_is_told_by_its_own_slices(spark: SparkSession) -> None:
    events = made_up(20_000)
    assert measured(spark, events) == by_hand(events)


def test_lags_too_far_apart_for_one_number_are_told_the_same(spark: SparkSession) -> None:
    events = made_up(2**61)
    told, expected = measured(spark, events), by_hand(events)
    for name in ("events", "lowest_ms", "fast_from_ms", "first_lag_ms", "latest_lag_ms"):
        assert {key: row[name] for key, row in told.items()} == {
            key: pytest.approx(row[name]) for key, row in expected.items()
        }


def test_devices_may_be_in_different_tasks(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVENTS_OF_TASK", 1_000)
    events = made_up(20_000)
    assert measured(spark, events) == by_hand(events)


def test_a_device_with_too_few_events_in_each_slice_has_no_extremes(spark: SparkSession) -> None:
    row = measured(spark, [("a", START, 700), ("a", START + 60_000, 900)])["a"]
    assert (row["lowest_ms"], row["highest_ms"], row["typical_ms"]) == (None, None, 700)
