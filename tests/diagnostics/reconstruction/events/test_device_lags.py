"""Quantiles of each device's lag, as a plain sort gives them."""

from __future__ import annotations

import math
import random

import pytest

from diagnostics.aggregators import device_lag_cells
from diagnostics.reconstruction.events import device_lags as module
from diagnostics.reconstruction.events.device_clocks import DeviceLag
from diagnostics.reconstruction.events.device_lags import DeviceLags, device_lags
from tests.diagnostics.hand_made import START, hand_made

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


def by_hand(events: list[Event]) -> DeviceLags:
    """What the docstring says, one device after the other."""
    devices, typical = [], []
    for key in {each[0] for each in events}:
        slices: dict[int, list[Event]] = {}
        for event in events:
            if event[0] == key:
                slices.setdefault(int((event[1] - START) / WIDTH_MS), []).append(event)
        lags = [[event[2] for event in own] for own in slices.values()]
        enough = [nth(own, 0.5) for own in lags if len(own) >= module.FEWEST_IN_SLICE]
        fast = [own for own in slices.values() if len(own) >= 3 and nth([event[2] for event in own], 0.5) < 0]
        typical.append(nth([nth(own, 0.5) for own in lags], 0.5))
        if key is not None and enough:
            devices.append(
                DeviceLag(
                    key=key,
                    events=sum(map(len, lags)),
                    lowest_ms=min(enough),
                    highest_ms=max(enough),
                    scatter_ms=nth([nth(own, 0.9) - nth(own, 0.1) for own in lags], 0.5),
                    fast_from_ms=min(
                        (event[1] for own in fast for event in own if event[2] < 0 and event[2] <= min(enough) // 2),
                        default=None,
                    ),
                )
            )
    usual = nth(typical, 0.5)
    devices.sort(key=lambda each: max(abs(each.lowest_ms - usual), abs(each.highest_ms - usual)), reverse=True)
    all_lags = [event[2] for event in events]
    keys = {each[0] for each in events} - {None}
    return DeviceLags(len(events), len(keys), usual, min(all_lags), max(all_lags), devices)


def measured(events: list[Event], most: int = 10) -> DeviceLags:
    rows = [{"key": key, "arrival_ms": arrival, "event_ms": arrival - lag} for key, arrival, lag in events]
    return device_lags(hand_made(event=rows), START, WIDTH_MS, most)


def test_each_device_is_judged_by_its_own_slices() -> None:
    events = made_up(20_000)
    assert measured(events) == by_hand(events)


def test_lags_too_far_apart_for_one_number_give_the_same_result() -> None:
    events = made_up(2**61)
    told, expected = measured(events), by_hand(events)
    assert (told.lowest_lag_ms, told.highest_lag_ms) == (expected.lowest_lag_ms, expected.highest_lag_ms)
    for name in ("key", "events", "lowest_ms", "fast_from_ms"):
        assert [getattr(each, name) for each in told.furthest] == [
            pytest.approx(getattr(each, name)) for each in expected.furthest
        ]


def test_with_too_many_devices_those_furthest_from_the_usual_lag_are_kept() -> None:
    events = made_up(20_000)
    assert measured(events, 2).furthest == by_hand(events).furthest[:2]


def test_aggregated_cells_give_nearly_the_same_devices_as_single_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_lag_cells, "MOST_CELLS", 300)
    offsets = {"device-0": -60_000, "device-1": 90_000}
    events = [(key, arrival, lag // 100 + offsets.get(key or "", 300)) for key, arrival, lag in made_up(20_000)]
    told, expected = measured(events), by_hand(events)
    assert (told.events, told.devices, told.lowest_lag_ms) == (expected.events, 5, expected.lowest_lag_ms)
    assert told.usual_lag_ms == pytest.approx(expected.usual_lag_ms, rel=0.15)
    assert [each.key for each in told.furthest[:2]] == ["device-1", "device-0"]
    for one, other in zip(told.furthest, expected.furthest[:2], strict=False):
        assert (one.lowest_ms, one.highest_ms) == pytest.approx((other.lowest_ms, other.highest_ms), rel=0.15)
        assert one.events == other.events


def test_a_device_runs_ahead_from_its_first_event_that_does_and_not_from_the_slice_around_it() -> None:
    right = [("a", START + second * 1000, -200) for second in range(10)]
    ahead = [("a", START + second * 1000, -30_000) for second in range(10, 30)]

    [device] = measured(right + ahead).furthest

    assert device.fast_from_ms == START + 10_000


def test_a_device_with_too_few_events_in_each_slice_is_usual_and_no_more() -> None:
    told = measured([("a", START, 700), ("a", START + 60_000, 900)])
    assert (told.furthest, told.devices, told.usual_lag_ms) == ([], 1, 700)
