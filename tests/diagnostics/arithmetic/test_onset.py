"""When trouble began."""

from __future__ import annotations

from diagnostics.arithmetic.onset import Onset, onset


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
