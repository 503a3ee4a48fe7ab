"""Arithmetic in which unknown stays unknown."""

from diagnostics.arithmetic.quantiles import highest, longest_run, middle, quantile, ratio, spread


def test_unknown_values_do_not_count() -> None:
    assert middle([None, 1, None, 3]) == 2
    assert highest([None, 4.0]) == 4
    assert middle([None]) is None


def test_a_ratio_to_nothing_is_unknown() -> None:
    assert ratio(3, 4) == 0.75
    assert ratio(3, 0) is None
    assert ratio(None, 4) is None


def test_spread_is_the_largest_over_the_mean() -> None:
    assert spread([1, 1, 4]) == 2  # 4 / ((1 + 1 + 4) / 3)
    assert spread([0, 0]) is None


def test_a_quantile_is_between_its_neighbours() -> None:
    assert quantile([10, 20], 0.5) == 15
    assert quantile([], 0.5) is None


def test_a_run_ends_at_a_moment_that_does_not_hold_or_at_a_gap() -> None:
    moments = [(0, True), (10, True), (20, False), (30, True), (40, True), (50, True), (500, True)]
    assert longest_run(moments, 30) == [30, 40, 50]  # 500 is too far away
    assert longest_run([(0, False)], 30) == []
