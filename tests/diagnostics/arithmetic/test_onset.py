"""When trouble began, and when it was over."""

from __future__ import annotations

from diagnostics.arithmetic.onset import Onset, ended_ms, onset


def course(flags: str) -> list[tuple[int, bool]]:
    """A moment each second: `#` is beyond the bound."""
    return [(1000 * place, flag == "#") for place, flag in enumerate(flags)]


def test_the_onset_is_where_the_measure_crosses_its_bound_and_stays() -> None:
    assert onset(course("....####")) == Onset(4000, at_start=False)


def test_a_single_peak_before_is_not_the_onset() -> None:
    """From the peak on 5 of 9 moments are beyond the bound, which is less than three quarters."""
    assert onset(course(".#....####")) == Onset(6000, at_start=False)


def test_a_good_moment_in_between_is_not_the_end() -> None:
    assert onset(course("..###.####")) == Onset(2000, at_start=False)


def test_what_recovered_has_an_onset_too() -> None:
    assert onset(course("..####......")) == Onset(2000, at_start=False)


def test_trouble_at_the_first_look_may_be_older() -> None:
    assert onset(course("#####")) == Onset(0, at_start=True)


def test_the_order_of_the_moments_does_not_matter() -> None:
    assert onset(reversed(course("..###"))) == Onset(2000, at_start=False)


def test_no_trouble_has_no_onset() -> None:
    assert onset(course(".....")) is None
    assert onset([]) is None


def minute_course(flags: str) -> list[tuple[int, bool]]:
    """A moment each ten seconds."""
    return [(10 * ts_ms, beyond) for ts_ms, beyond in course(flags)]


def test_trouble_is_over_with_the_first_good_moment_of_a_long_calm() -> None:
    assert ended_ms(minute_course("..####.....")) == 60_000


def test_trouble_that_goes_on_until_the_end_is_not_over() -> None:
    assert ended_ms(minute_course("..########")) is None
    assert ended_ms(minute_course("..#######..")) is None, "two good moments are no calm"
    assert ended_ms(course("..####.....")) is None, "five seconds are no calm"
    assert ended_ms(minute_course("..........")) is None, "nothing was wrong"


def test_a_sample_that_comes_some_milliseconds_early_does_not_shorten_a_calm() -> None:
    """Scrapes each 5 s: 29.996 s from the last full pool to the last look are 30 s, 25 s are not."""
    looks = [(0, False), (5_000, True), *((5_000 * place, False) for place in range(2, 7))]
    assert ended_ms(looks) is None
    assert ended_ms([*looks, (34_996, False)]) == 10_000


def test_trouble_that_comes_and_goes_is_over_after_a_longer_pause_than_it_ever_made() -> None:
    assert ended_ms(minute_course(".##......##.....")) is None
    assert ended_ms(minute_course(".##...##........")) == 80_000


def test_a_busy_start_does_not_count_beside_later_trouble() -> None:
    assert ended_ms(minute_course("##........###......")) == 130_000
    assert ended_ms(minute_course("###......")) == 30_000, "where it is all the trouble there is"
