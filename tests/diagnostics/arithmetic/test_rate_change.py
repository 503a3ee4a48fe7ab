"""Where a rate changes."""

from __future__ import annotations

import pytest

from diagnostics.arithmetic.rate_change import rate_change


def counter(rates: list[float]) -> list[tuple[int, float]]:
    course = [(0, 0.0)]
    for rate in rates:
        course.append((course[-1][0] + 5_000, course[-1][1] + 5 * rate))
    return course


def test_a_jump_splits_the_course_where_it_happens() -> None:
    change = rate_change(counter([48.0] * 10 + [580.0] * 15))
    assert change is not None
    assert (change.at_ms, change.before_per_s, change.after_per_s) == (50_000, 48.0, 580.0)


def test_the_interval_in_which_it_jumps_belongs_to_neither_side() -> None:
    change = rate_change(counter([48.0] * 10 + [300.0] + [580.0] * 15))
    assert change is not None
    assert (change.before_per_s, change.after_per_s) == (48.0, 580.0)


def test_a_steady_rate_is_the_same_on_both_sides() -> None:
    change = rate_change(counter([100.0] * 12))
    assert change is not None
    assert change.before_per_s == pytest.approx(change.after_per_s)


def test_a_short_course_has_no_change() -> None:
    assert rate_change(counter([1.0, 100.0])) is None


def test_a_course_of_days_is_split_in_one_pass() -> None:
    # 17 days of samples each 15 s: to sum all of them for each split would take hours.
    change = rate_change([(place * 15_000, 30.0 * place + 15.0 * max(place - 50_000, 0)) for place in range(100_000)])
    assert change is not None
    assert (change.at_ms, change.before_per_s, change.after_per_s) == (750_000_000, 2.0, 3.0)


def test_of_equally_good_splits_the_first_one_counts() -> None:
    change = rate_change(counter([48.1] * 4000))
    assert change is not None
    assert change.at_ms == 10_000
