"""Counts of lags, and medians that are read off them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import diagnostics.evidence as tables
from diagnostics.reconstruction.lag_counts import lag_classes, partition_lags
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from diagnostics.evidence import Evidence

pytestmark = pytest.mark.spark


def events(spark: SparkSession, lags: list[int], key: str | None = "a", partition: str | None = "0") -> Evidence:
    rows = [{"key": key, "partition": partition, "arrival_ms": START, "event_ms": START - lag} for lag in lags]
    return hand_made(spark, event=[*rows, {"key": "b", "arrival_ms": START}, {"key": "b", "event_ms": START}])


@pytest.mark.parametrize(
    ("lag", "middle"),
    [
        (0, 0),
        (24, 0),
        (25, 50),
        (-25, -50),
        (60_000, 60_000),
        (61_400, 61_000),
        (-61_500, -62_000),
        (3_600_000, 3_600_000),
        (5_390_000, 5_400_000),
        (-(10**12), -43_200 * 60_000),
        (2**61, 43_200 * 60_000),
    ],
)
def test_a_lag_is_counted_in_the_class_that_is_nearest(spark: SparkSession, lag: int, middle: int) -> None:
    assert lag_classes(events(spark, [lag]), {}) == {("", middle): 1}


def test_devices_are_counted_by_their_kind(spark: SparkSession) -> None:
    evidence = events(spark, [100, 100, 200])
    assert lag_classes(evidence, {"slow": ["a"], "fast": ["c"]}) == {("slow", 100): 2, ("slow", 200): 1}


def test_the_median_of_a_partition_is_the_lowest_lag_that_half_of_its_events_do_not_exceed(spark: SparkSession) -> None:
    assert partition_lags(events(spark, [7, 3, 900, 5]), 10) == {"0": 5}
    assert partition_lags(events(spark, [7, 3], partition=None), 10) == {}


@pytest.mark.parametrize("few", [0, 100])
def test_of_too_many_partitions_the_first_by_name_are_told(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(tables, "FEW_ROWS", few)
    monkeypatch.setattr(tables, "ROWS_TOGETHER", 3)
    times = [(name, lag) for name in ("2", "0", "1") for lag in (5, 6, int(name))]
    rows = [{"key": "a", "partition": name, "arrival_ms": START, "event_ms": START - lag} for name, lag in times]
    assert partition_lags(hand_made(spark, event=rows), 2) == {"0": 5, "1": 5}
