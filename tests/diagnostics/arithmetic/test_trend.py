"""Trends: none from few points, through a plateau or through scatter; a forecast has an interval and an end."""

from __future__ import annotations

import random

import pytest

from diagnostics.arithmetic.trend import LEAST_MONOTONE, NoTrend, Trend, trend_of


def of(*values: float) -> Trend | NoTrend:
    """Of values that were measured once a minute."""
    return trend_of([(float(minute), value) for minute, value in enumerate(values)])


def straight(*values: float) -> Trend:
    found = of(*values)
    assert isinstance(found, Trend), found
    return found


def test_a_rise_reaches_a_value() -> None:
    trend = straight(*range(0, 80, 10))
    assert (trend.slope, trend.error, trend.at(7)) == (10, 0, 70)
    reached = trend.reaches(100)
    assert reached
    assert (reached.earliest, reached.expected, reached.latest) == (10, 10, 10)


def test_scatter_widens_the_forecast_around_the_expected_time() -> None:
    drawn = random.Random(1)
    trend = straight(*(10.0 * minute + drawn.gauss(0, 15) for minute in range(30)))
    reached = trend.reaches(400)
    assert reached
    assert reached.latest
    assert 29 < reached.earliest < reached.expected < reached.latest < 45
    assert trend.error > 5


@pytest.mark.parametrize(
    ("values", "because"),
    [
        ([10.0 * step for step in range(6)], "6 points are too few, 8 are needed"),
        ([*(10.0 * step for step in range(10)), *[100.0] * 6], "the values rise more slowly, or no more,"),
        ([1.5**step for step in range(16)], "the values rise faster in the last third"),
        ([5.0, 1.0, 4.0, 2.0, 5.0, 1.5, 4.0, 2.0], "the values scatter more than they rise or fall"),
        ([1.0] * 12, "the values scatter more than they rise or fall"),
    ],
)
def test_there_is_no_trend_and_the_reason_is_said(values: list[float], because: str) -> None:
    found = of(*values)
    assert isinstance(found, NoTrend)
    assert found.because.startswith(because)


def test_noise_seldom_looks_like_a_trend() -> None:
    drawn = random.Random(2)
    wrong = sum(isinstance(of(*(drawn.gauss(0, 1) for _ in range(20))), Trend) for _ in range(300))
    assert wrong <= 3


def test_one_outlier_does_not_move_the_slope() -> None:
    values = [10.0 * minute for minute in range(20)]
    values[3] = 5_000.0
    assert straight(*values).slope == pytest.approx(10, rel=0.01)


def test_past_and_far_values_are_not_predicted() -> None:
    """Seven minutes were seen: 35 more may be foretold."""
    trend = straight(*range(8))
    assert trend.reaches(42)
    assert trend.reaches(43) is None
    assert trend.reaches(3) is None


def few(*values: float) -> Trend | NoTrend:
    return trend_of([(float(minute), value) for minute, value in enumerate(values)], LEAST_MONOTONE)


def test_five_points_that_rise_at_each_step_show_a_trend_with_the_slopes_between_neighbours_as_its_interval() -> None:
    """3, 7, 12, 16, 20: steps of 4, 5, 4 and 4; of the slopes between all pairs the median is 4.25."""
    found = few(3.0, 7.0, 12.0, 16.0, 20.0)
    assert isinstance(found, Trend)
    assert (found.slope_low, found.slope, found.slope_high) == (4.0, pytest.approx(4.29, abs=0.1), 5.0)
    assert few(3.0, 7.0, 12.0, 16.0) == NoTrend("4 points are too few, 5 are needed")


def test_few_points_with_one_step_back_show_none() -> None:
    assert few(3.0, 7.0, 6.9, 16.0, 20.0) == NoTrend("5 points that do not rise or fall at each step are too few")
    assert few(1.0, 2.0, 4.0, 8.0, 30.0) == NoTrend("the values rise faster at the end")
