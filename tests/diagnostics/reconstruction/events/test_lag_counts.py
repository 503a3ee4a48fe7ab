"""Counts of lags, and medians that are read off them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from diagnostics.aggregators import device_lag_cells, partition_lags
from diagnostics.reconstruction.events.lag_counts import lag_classes
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnostics.evidence import Evidence


def medians(evidence: Evidence) -> Mapping[str, float]:
    return evidence.answer(partition_lags.AGGREGATOR)


def events(lags: list[int], key: str | None = "a", partition: str | None = "0") -> Evidence:
    rows = [{"key": key, "partition": partition, "arrival_ms": START, "event_ms": START - lag} for lag in lags]
    return hand_made(event=[*rows, {"key": "b", "arrival_ms": START}, {"key": "b", "event_ms": START}])


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
def test_a_lag_is_counted_in_the_class_that_is_nearest(lag: int, middle: int) -> None:
    assert lag_classes(events([lag]), {}) == {("", middle): 1}


def test_devices_are_counted_by_their_kind() -> None:
    evidence = events([100, 100, 200])
    assert lag_classes(evidence, {"slow": ["a"], "fast": ["c"]}) == {("slow", 100): 2, ("slow", 200): 1}


def test_the_median_of_a_partition_is_the_lowest_lag_that_half_of_its_events_do_not_exceed() -> None:
    assert medians(events([7, 3, 900, 5])) == {"0": 5}
    assert medians(events([7, 3], partition=None)) == {}


def test_with_too_many_partitions_the_first_by_name_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_lags, "MOST_PARTITIONS", 2)
    times = [(name, lag) for name in ("2", "0", "1") for lag in (5, 6, int(name))]
    rows = [{"key": "a", "partition": name, "arrival_ms": START, "event_ms": START - lag} for name, lag in times]
    assert medians(hand_made(event=rows)) == {"0": 5, "1": 5}


def test_of_too_many_lags_the_median_is_that_of_their_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_lags, "MOST_CELLS", 100)
    assert medians(events([*range(10_000, 11_000)]))["0"] == pytest.approx(10_500, rel=0.04)


def test_lags_of_some_devices_are_counted_separately_from_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(device_lag_cells, "MOST_CELLS", 2)
    told = lag_classes(events([40_000, 40_000, 40_000]), {"slow": ["a"], "fast": []})
    assert {kind: events for (kind, _), events in told.items()} == {"slow": 3}
