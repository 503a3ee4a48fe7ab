"""Records, busy time and back-pressured time between two answers."""

from __future__ import annotations

import time

import pytest

from diagnostics.citation import Citation
from diagnostics.reconstruction.load.task_rates import Interval, held_times_of, rates_around, task_rates_of
from tests.diagnostics.hand_made import JOB, MIDDLE, START

HERE = Citation(file_id=0, line=1, kind="rest", text="")


def _interval(subtask: int, *, until_s: int = 100, length_s: float = 100, **columns: float) -> Interval:
    counted = dict.fromkeys(("records", "bytes_in", "busy_ms", "back_pressured_ms"))
    return Interval(
        JOB, MIDDLE, subtask, START + until_s * 1000, length_s * 1000, cite=lambda: HERE, **{**counted, **columns}
    )


def test_one_record_costs_busy_time_over_records_and_that_caps_a_subtask() -> None:
    rate = task_rates_of([_interval(each, records=3000.0, busy_ms=99_000.0) for each in (0, 1)])[JOB, MIDDLE]
    assert rate.records_per_s == pytest.approx(60)  # 2 x 3,000 in 100 s
    assert rate.ms_per_record == pytest.approx(33)  # 198,000 ms / 6,000
    assert rate.ceiling_per_s == pytest.approx(1000 / 33)


def test_the_busiest_interval_is_reported_and_the_highest_rate_kept() -> None:
    calm = _interval(0, until_s=100, records=60_000.0, busy_ms=20_000.0)
    slow = _interval(0, until_s=200, records=3_000.0, busy_ms=100_000.0)
    rate = task_rates_of([calm, slow])[JOB, MIDDLE]
    assert (rate.records_per_s, rate.highest_per_s) == (pytest.approx(30), pytest.approx(600))


def test_the_mean_is_that_of_the_whole_time_and_not_of_the_busiest_interval() -> None:
    few = _interval(0, until_s=100, length_s=100, records=30_000.0, busy_ms=100_000.0)
    many = _interval(0, until_s=150, length_s=50, records=45_000.0, busy_ms=49_000.0)
    assert task_rates_of([few, many])[JOB, MIDDLE].mean_per_s == pytest.approx(500)


def test_expensive_records_count_in_the_cost_of_the_fullest_subtask() -> None:
    """The median of the intervals would say 1 ms, with which the subtask is too slow: 30 s / 22,000 records."""
    read = (10_000.0, 10_000.0, 2_000.0)
    each = [
        _interval(0, until_s=10 * n, length_s=10, records=records, busy_ms=1e4) for n, records in enumerate(read, 1)
    ]
    fullest = task_rates_of(each)[JOB, MIDDLE].fullest
    assert fullest is not None
    assert fullest.ms_per_record == pytest.approx(30_000 / 22_000)


@pytest.mark.parametrize(
    ("records", "counted"),
    [
        pytest.param([9_720, 9_040], 97.2, id="chance: the task passes more than in its last interval"),
        pytest.param([20_000, 9_040], 90.4, id="a record costs more by now"),
    ],
)
def test_of_equally_busy_intervals_the_faster_of_like_ones_counts_and_else_the_latest(
    records: list[int], counted: float
) -> None:
    each = [_interval(0, until_s=100 * (n + 1), records=float(read), busy_ms=1e5) for n, read in enumerate(records)]
    assert task_rates_of(each)[JOB, MIDDLE].records_per_s == pytest.approx(counted)


def test_of_equally_busy_intervals_the_longest_does_not_win_and_a_short_one_does_not_count() -> None:
    def interval(until_s: int, length_s: int, records: float) -> Interval:
        return _interval(0, until_s=until_s, length_s=length_s, records=records, busy_ms=length_s * 1000.0)

    each = [interval(30, 30, 2_910.0), interval(80, 50, 4_620.0), interval(90, 10, 990.0)]
    rate = task_rates_of(each)[JOB, MIDDLE]
    assert (rate.records_per_s, rate.interval_ms) == (pytest.approx(97), 30_000)


def test_subtasks_whose_task_managers_are_scraped_one_after_the_other_are_one_task() -> None:
    first = [_interval(0, until_s=until, length_s=35, records=52_500.0, busy_ms=1_000.0) for until in (35, 70)]
    second = [_interval(1, until_s=until, length_s=35, records=52_500.0, busy_ms=1_000.0) for until in (38, 73)]
    assert task_rates_of([*first, *second])[JOB, MIDDLE].highest_per_s == pytest.approx(3_000)


def test_unknown_busy_time_leaves_the_cost_unknown() -> None:
    rate = task_rates_of([_interval(0, records=3000.0)])[JOB, MIDDLE]
    assert (rate.ms_per_record, rate.ceiling_per_s, rate.busy_ratio) == (None, None, None)


def test_a_task_without_records_has_no_rate() -> None:
    assert task_rates_of([_interval(0, records=0.0, busy_ms=5.0)]) == {}


def test_back_pressured_time_lasts_where_it_fills_a_good_part_of_an_interval() -> None:
    spread = _interval(0, until_s=10_000, length_s=9_900, back_pressured_ms=50_000.0)
    dense = _interval(0, until_s=100, length_s=100, back_pressured_ms=90_000.0)
    held = held_times_of([dense, spread])[JOB, MIDDLE]
    assert (held.dense_ms, held.total_ms) == (90_000, 140_000)


def test_a_task_with_a_hot_subtask_passes_its_rate_over_its_share() -> None:
    """The hot subtask reads 540/s of 600/s and is busy all the time: 540 / 0.9 = 600/s, not three times as much."""
    hot = _interval(0, records=54_000.0, busy_ms=100_000.0)
    others = [_interval(each, records=3_000.0, busy_ms=5_500.0) for each in (1, 2)]
    rate = task_rates_of([hot, *others])[JOB, MIDDLE]
    assert rate.passes_per_s == pytest.approx(600)
    assert 3 * (rate.ceiling_per_s or 0) > 1_600


def test_what_a_task_passes_is_never_less_than_what_it_has_read() -> None:
    """At 100 % busy it read 300/s in one interval and 250/s in another."""
    quick, slow = (
        _interval(0, until_s=100 * each, records=n, busy_ms=100_000.0) for each, n in ((1, 30_000.0), (2, 25_000.0))
    )
    rate = task_rates_of([quick, slow])[JOB, MIDDLE]
    assert (rate.passes_per_s, rate.highest_per_s, rate.usual_per_s) == (300, 300, 275)


def test_a_rate_that_was_reached_while_the_task_had_time_left_is_no_more_than_it_passes() -> None:
    """250/s at 100 % busy, and 400/s at 60 %: records cost less then."""
    cheap = _interval(0, until_s=100, records=40_000.0, busy_ms=60_000.0)
    dear = _interval(0, until_s=200, records=25_000.0, busy_ms=100_000.0)
    assert task_rates_of([cheap, dear])[JOB, MIDDLE].passes_per_s == 400


def test_thousands_of_subtasks_take_time_with_their_number() -> None:
    few, many = (
        [_interval(each, until_s=until, records=1.0) for until in (100, 200) for each in range(subtasks)]
        for subtasks in (1_000, 8_000)
    )
    assert _seconds(few) * 40 > _seconds(many)  # 8 times as many; by their square it would be 64


def _seconds(of: list[Interval]) -> float:
    """Processor time of the quickest of five: the collector of garbage interrupts others."""

    def once() -> float:
        begun = time.process_time()
        task_rates_of(of)
        return time.process_time() - begun

    return min(once() for _ in range(5))


def test_a_rate_of_a_busy_task_is_told_apart_before_and_within_a_stretch_of_time() -> None:
    each = [
        _interval(0, until_s=until, length_s=30, records=records, busy_ms=busy)
        for until, records, busy in (
            (30, 90_000.0, 3e3),
            (60, 19_500.0, 29_900.0),
            (130, 14_100.0, 3e4),
            (160, 60_000.0, 28e3),
        )
    ]
    assert rates_around(each, START + 95_000, START + 150_000) == {
        (JOB, MIDDLE): (pytest.approx(650), pytest.approx(470))
    }
    assert rates_around(each, START + 110_000, START + 150_000) == {}, "no interval lies within"


def test_the_highest_rate_states_how_long_it_lasted() -> None:
    brief = _interval(0, until_s=10, length_s=10, records=60_000.0, busy_ms=1_000.0)
    rate = task_rates_of([brief, _interval(0, until_s=100, length_s=90, records=900.0, busy_ms=90_000.0)])
    assert (rate[JOB, MIDDLE].highest_per_s, rate[JOB, MIDDLE].highest_ms) == (pytest.approx(6_000), 10_000)
