"""Whose clock is wrong, and how much disorder is left."""

from __future__ import annotations

import pytest

from diagnostics.reconstruction.events.device_clocks import DeviceLag, LagHistogram, agreed_bound_ms, clocks


def device(key: str, lowest: float, highest: float, scatter: float = 200.0) -> DeviceLag:
    return DeviceLag(key, 300, lowest, highest, scatter)


RIGHT = [device(f"right-{number}", 400, 600) for number in range(20)]


def test_a_device_whose_events_come_from_the_future_is_fast() -> None:
    found = clocks([*RIGHT, device("ahead", -15_000, 500), device("far-ahead", -44_000, -43_000)], 500)
    assert [each.key for each in found.fast] == ["far-ahead", "ahead"]
    assert (found.slow, found.delayed) == ((), ())


def test_a_constant_delay_is_a_slow_clock_and_a_scattering_one_is_delivery() -> None:
    found = clocks([*RIGHT, device("slow", 13_000, 13_100), device("delayed", 700, 20_000, scatter=15_000)], 500)
    assert [each.key for each in found.slow] == ["slow"]
    assert [each.key for each in found.delayed] == ["delayed"]


def test_half_a_second_or_a_short_delay_is_no_wrong_clock() -> None:
    found = clocks([*RIGHT, device("nearly", -300, 500), device("far-away", 4_000, 4_500)], 500)
    assert (found.fast, found.slow, found.delayed) == ((), (), ())


def test_percentiles_and_shares_of_a_histogram() -> None:
    lags = LagHistogram({-1000.0: 1, 0.0: 90, 5000.0: 8, 20_000.0: 1})
    assert lags.percentile(0.01) == -1000.0
    assert lags.percentile(0.5) == 0.0
    assert lags.percentile(0.99) == 5000.0
    assert lags.share_over(4999) == pytest.approx(9 / 100)
    assert LagHistogram({}).percentile(0.5) is None


def test_the_bound_is_what_most_estimates_agree_on() -> None:
    assert agreed_bound_ms([5001, 5001, 5001, 4916, 5001, 6200, 3900]) == 5000


def test_estimates_that_do_not_agree_show_no_bound() -> None:
    assert agreed_bound_ms([100, 2000, 4000, 6000, 8000, 10_000]) is None
    assert agreed_bound_ms([5001, 5001]) is None


def test_the_curve_of_lateness_falls_from_class_to_class() -> None:
    histogram = LagHistogram({100.0: 60, 200.0: 30, 5_000.0: 9, 60_000.0: 1})
    assert histogram.curve(48) == [(100.0, 0.4), (200.0, 0.1), (5_000.0, 0.01), (60_000.0, 0.0)]


def test_a_curve_of_few_points_keeps_the_ends_and_a_share_of_each_size() -> None:
    histogram = LagHistogram({float(lag): max(2 ** (20 - lag // 50), 1) for lag in range(1_000)})
    curve = histogram.curve(20)
    assert len(curve) <= 20
    assert (curve[0][0], curve[-1]) == (0.0, (999.0, 0.0))
    assert curve == sorted(curve)
    assert [late for _, late in curve] == sorted((late for _, late in curve), reverse=True)
    assert all(late == histogram.share_over(lag) for lag, late in curve)
