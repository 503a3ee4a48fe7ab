"""How a watermark moves."""

from __future__ import annotations

from diagnostics.reconstruction.events.watermark_progress import (
    growth_between,
    lag_course,
    slowest_of,
    standstill,
    still_since,
)

SECOND = 1_000


def test_a_watermark_that_runs_ahead_has_a_negative_lag_at_the_end() -> None:
    behind = [(moment * 5 * SECOND, moment * 5 * SECOND - 7_000) for moment in range(8)]
    ahead = [(moment * 5 * SECOND, moment * 5 * SECOND + 30_000) for moment in range(8, 16)]
    course = lag_course([*behind, *ahead])
    assert course is not None
    assert (course.first_ms, course.last_ms) == (7_000, -30_000)


def test_a_watermark_that_does_not_advance_stands_still() -> None:
    moving = [(moment * 5 * SECOND, float(moment)) for moment in range(10)]
    standing = [(moment * 5 * SECOND, 9.0) for moment in range(10, 30)]
    still = standstill([*moving, *standing])
    assert still is not None
    assert (still.start_ms, still.length_ms, still.at_end) == (45 * SECOND, (29 - 9) * 5 * SECOND, True)


def test_batches_at_intervals_are_no_standstill() -> None:
    batches = [(moment * 5 * SECOND, float(moment // 8)) for moment in range(80)]
    assert standstill(batches) is None


def test_too_few_samples_show_nothing() -> None:
    assert lag_course([(0, 0.0)]) is None
    assert standstill([(0, 0.0), (90 * SECOND, 0.0)]) is None


def test_the_slowest_subtask_counts_where_all_are_known() -> None:
    assert slowest_of({0: [(0, 5.0), (1, 6.0)], 1: [(0, 3.0)]}) == [(0, 3.0)]


def test_a_counter_that_falls_began_anew() -> None:
    assert growth_between([(0, 10.0), (1, 30.0), (2, 5.0), (3, 9.0)], 0, 3) == 20 + 5 + 4


def test_still_since_is_the_first_time_of_the_last_value() -> None:
    assert still_since([(0, 1.0), (5, 2.0), (10, 2.0)]) == 5
