"""The first and the last event of a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from diagnostics.reconstruction.event_places import first_and_last
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from diagnostics.evidence import Evidence

pytestmark = pytest.mark.spark


def evidence(spark: SparkSession) -> Evidence:
    """Three events of device a in two files, one of device b, one without a device."""
    rows = [
        {"key": "a", "file_id": 1, "line": 1, "arrival_ms": START, "event_ms": START - 300},
        {"key": "a", "file_id": 0, "line": 9, "arrival_ms": START, "event_ms": START - 900},
        {"key": "a", "file_id": 0, "line": 8, "arrival_ms": START},
        {"key": "b", "file_id": 2, "line": 4, "arrival_ms": START, "event_ms": START + 50},
        {"file_id": 0, "line": 1, "arrival_ms": START, "event_ms": START},
    ]
    return hand_made(spark, event=rows)


def test_events_stand_in_the_order_of_their_files_and_lines(spark: SparkSession) -> None:
    first, last = first_and_last(evidence(spark), ["a"])["a"]
    assert [(each.file_id, each.line) for each in (first, last)] == [(0, 8), (1, 1)]


def test_by_lag_the_earliest_and_the_latest_are_told_of_those_with_both_times(spark: SparkSession) -> None:
    told = first_and_last(evidence(spark), ["a", "b"], by_lag=True)
    lags = {key: (first.lag_ms, last.lag_ms) for key, (first, last) in told.items()}
    assert lags == {"a": (300, 900), "b": (-50, -50)}


def test_without_keys_there_is_nothing_to_find(spark: SparkSession) -> None:
    assert first_and_last(evidence(spark), []) == {}
