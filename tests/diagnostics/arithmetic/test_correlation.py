"""Pearson's correlation, its interval, and the shift at which two courses agree best."""

from __future__ import annotations

import math

import pytest

from diagnostics.arithmetic.correlation import correlation, highest_shifted


def test_pairs_on_a_line_correlate_fully() -> None:
    found = correlation([(float(x), 3.0 * x + 1) for x in range(8)])

    assert found is not None
    assert found.r == pytest.approx(1.0)
    assert found.pairs == 8


def test_r_and_its_interval_follow_the_formulas() -> None:
    """x = 1..8, y = 1..8 with the last two swapped: sum of products of deviations 41 of 42, so r = 41/42."""
    found = correlation(list(zip(map(float, range(1, 9)), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 7.0), strict=True)))

    assert found is not None
    assert found.r == pytest.approx(41 / 42)
    half = 1.96 / math.sqrt(5)
    assert found.low == pytest.approx(math.tanh(math.atanh(41 / 42) - half))
    assert found.high == pytest.approx(math.tanh(math.atanh(41 / 42) + half))


def test_few_pairs_and_a_side_that_does_not_vary_give_no_correlation() -> None:
    assert correlation([(float(x), float(x)) for x in range(7)]) is None
    assert correlation([(1.0, float(x)) for x in range(9)]) is None


def test_a_correlation_that_rests_on_one_pair_does_not_rise() -> None:
    """Ten pairs without any relation and one far outlier: r is near 1, and without the outlier it is near 0."""
    scattered = [(float(x % 2), float(x % 3)) for x in range(10)]
    found = correlation([*scattered, (100.0, 300.0)])

    assert found is not None
    assert found.low > 0.9
    assert not found.rises
    steady = correlation([(float(x), float(x + x % 2)) for x in range(10)])
    assert steady is not None
    assert steady.rises


def test_an_interval_that_contains_zero_does_not_rise() -> None:
    found = correlation([(float(x), float(x % 4)) for x in range(9)])

    assert found is not None
    assert found.low < 0 < found.high
    assert not found.rises


def test_the_shift_is_the_one_at_which_both_agree_best() -> None:
    course = [0.0, 0.0, 5.0, 1.0, 4.0, 0.0, 2.0, 6.0, 0.0, 1.0, 3.0, 0.0, 7.0, 0.0]

    def pairs_at(shift: int) -> list[tuple[float, float]]:
        return [
            (course[place - 1 - shift + 1], course[place - 1])
            for place in range(1, len(course) + 1)
            if 0 <= place - shift < len(course)
        ]

    found = highest_shifted((-1, 1), pairs_at)
    assert found is not None
    assert found[0] == 1


def test_a_shift_that_is_hardly_better_is_none() -> None:
    line = [(float(x), float(x) + x % 2 / 10) for x in range(10)]
    found = highest_shifted((-1, 1), lambda shift: [(x, x) for x, _ in line] if shift else line)

    assert found is not None
    assert found[0] == 0
