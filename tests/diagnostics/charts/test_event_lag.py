from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.event_lag import BOUNDS_MS, CHART
from tests.diagnostics.hand_made import START, hand_made


def event(second: int, lag_ms: int | None) -> dict[str, Any]:
    arrival = START + second * 1000
    return {"key": "d1", "event_ms": None if lag_ms is None else arrival - lag_ms, "arrival_ms": arrival}


def test_events_are_counted_by_slot_of_their_arrival_and_class_of_their_lag() -> None:
    lags = ((0, 150), (0, 150), (0, -500), (2, 100), (2, None))
    points = CHART.points(hand_made(event=[event(second, lag) for second, lag in lags]))
    assert points is not None
    assert (points["from_ms"], points["slot_ms"], points["slots"], points["events"]) == (START, 1000, 3, 4)
    assert points["counts"] == [[1, 0, 0], [0, 0, 0], [2, 0, 1]]
    assert points["first_class"] == BOUNDS_MS.index(0)


def test_a_sample_of_days_has_as_many_slots_as_fit() -> None:
    points = CHART.points(hand_made(event=[event(0, 5), event(300_000, 5)]))
    assert points is not None
    assert points["slots"] == 90


@pytest.mark.parametrize("event_ms", [None, START])
def test_without_both_times_there_is_no_chart(event_ms: int | None) -> None:
    rows = [{"key": "d1", "event_ms": event_ms, "arrival_ms": None}]
    assert CHART.points(hand_made(event=rows)) is None


def counted(first_class: int, *counts: list[int]) -> dict[str, Any]:
    slots = len(counts[0])
    return {
        "from_ms": START,
        "to_ms": START + slots * 1000,
        "slot_ms": 1000,
        "slots": slots,
        "first_class": first_class,
        "counts": list(counts),
        "events": sum(map(sum, counts)),
    }


def test_the_colour_is_the_share_of_the_slots_events_and_empty_slots_have_none() -> None:
    (heat_map,) = CHART.figure(counted(4, [3, 0, 2], [1, 0, 0]), Theme("light"))["data"]
    assert heat_map["z"] == [[0.75, None, 1.0], [0.25, None, None]]
    assert heat_map["y"] == ["under 100 ms", "100 ms to 200 ms"]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (0, "over 60 min ahead"),
        (2, "1 s to 60 s ahead"),
        (3, "up to 1 s ahead"),
        (len(BOUNDS_MS), "over 24 h"),
    ],
)
def test_the_outermost_classes_and_clocks_ahead_have_names(place: int, name: str) -> None:
    (heat_map,) = CHART.figure(counted(place, [1]), Theme("light"))["data"]
    assert heat_map["y"] == [name]


def test_the_summary_shows_median_tail_and_events_ahead_of_their_arrival() -> None:
    text = CHART.summary(counted(3, [5], [90], [4], [1]))
    assert "Half of them arrive within the class “under 100 ms”" in text
    assert "99 % within “100 ms to 200 ms”; the latest are “200 ms to 500 ms”" in text
    assert "5 % have a time ahead of their arrival" in text


def test_the_table_has_a_row_for_each_slot_and_class_with_events() -> None:
    header, *rows = CHART.table(counted(4, [3, 0], [0, 1]))
    assert header == ["From (UTC, epoch ms)", "Lag", "Events"]
    assert rows == [[START, "under 100 ms", 3], [START + 1000, "100 ms to 200 ms", 1]]
