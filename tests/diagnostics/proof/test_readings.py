"""Noise bands and judgements, with the arithmetic visible."""

from __future__ import annotations

import math
import random

import pytest

from diagnostics.proof.quantity import Effect, Quantity, judge
from diagnostics.proof.reading import (
    HOUR_MS,
    Reading,
    band_of,
    independent_samples,
    reading_of_course,
    reading_of_events,
    reading_of_number,
    reading_of_samples,
    reading_of_share,
    scatter_of,
)
from diagnostics.proof.words import MINUS, change_in_words, range_in_words

FAILED = Quantity("failed", "Failed checkpoints", "percent", lambda _: None, sound=0.0)
RATE = Quantity("rate", "Records per second", "rate", lambda _: None, better="higher")
BUSY = Quantity("busy", "Busy time", "percent", lambda _: None, better=None)
LENGTH = Quantity("length", "Duration", "duration", lambda _: None)


def samples(*values: float) -> Reading:
    reading = reading_of_samples(values)
    assert reading is not None
    return reading


def steady(value: float) -> Reading:
    """Twenty samples that all say the same."""
    return samples(*[value] * 20)


def test_the_interval_of_a_median_is_between_two_of_its_samples() -> None:
    """25 samples: fewer than 8 lie below the median in 2.2 of 100 cases, fewer than 9 in 5.4: the samples at 7, 17."""
    reading = samples(*range(25))
    assert (reading.low, reading.value, reading.high) == (7, 12, 17)


def test_six_samples_have_an_interval_and_five_have_none() -> None:
    assert (samples(1, 2, 3, 4, 5, 6).low, samples(1, 2, 3, 4, 5, 6).high) == (1, 6)
    assert not samples(1, 2, 3, 4, 5).has_noise
    assert samples(1, 2, 3, 4, 5).basis == "5 samples; a noise band needs 6"


def test_the_interval_holds_the_median_in_95_of_100_cases() -> None:
    drawn = random.Random(1)
    for count in (6, 9, 20, 61, 200):
        held = 0
        for _ in range(2000):
            reading = samples(*(drawn.expovariate(1.0) for _ in range(count)))
            assert reading.low is not None
            assert reading.high is not None
            held += reading.low <= math.log(2) <= reading.high
        assert held / 2000 > 0.94, count


def test_samples_that_resemble_their_neighbours_count_as_fewer() -> None:
    """Correlation of neighbours 0.98 of 100 in one rise: 100 x 0.03 / 1.97 = 1."""
    assert independent_samples([float(each) for each in range(100)]) == 1
    assert independent_samples([1.0, 2.0] * 50) == 100
    rise = reading_of_course([float(each) for each in range(100)])
    assert rise is not None
    assert not rise.has_noise
    assert rise.basis == "100 samples in a row that count as 1; a noise band needs 6"


def test_no_occurrence_in_few_samples_is_not_never() -> None:
    """Wilson, 0 of 16: upper end 1.96^2 / (16 + 1.96^2) = 3.84 / 19.84 = 19.4 %."""
    reading = reading_of_share(0, 16)
    assert reading is not None
    assert reading.high is not None
    assert (reading.low, round(reading.high, 3)) == (0.0, 0.194)


def test_no_event_in_an_hour_may_be_four() -> None:
    """Score interval of the Poisson distribution, 0 events: up to 1.96^2 = 3.84."""
    reading = reading_of_events(0, HOUR_MS)
    assert reading.high is not None
    assert (reading.low, round(reading.high, 2), reading.basis) == (0.0, 3.84, "0 in 60 min")
    assert not reading_of_events(3, None).has_noise


def test_events_that_come_together_scatter_more() -> None:
    """Ten in one of five stretches: mean 2, variance (64 + 4 x 4) / 4 = 20, so 10 times that of single events."""
    assert scatter_of([10, 0, 0, 0, 0]) == 10
    assert scatter_of([2, 2, 2, 2, 2]) == scatter_of([]) == 1


def test_the_band_has_the_squares_of_both_intervals() -> None:
    """3 of 8 is 37.5 % and at least 13.7 %, 0 of 16 at most 19.4 %: down sqrt(23.8^2 + 19.4^2) = 30.7 points."""
    before, after = reading_of_share(3, 8), reading_of_share(0, 16)
    assert before
    assert after
    band = band_of(before, after, least=0.0)
    assert band is not None
    assert round(band.low, 2) == 0.07


@pytest.mark.parametrize(
    ("quantity", "before", "after", "expected"),
    [
        (FAILED, reading_of_share(3, 8), reading_of_share(0, 16), "fixed"),
        (FAILED, reading_of_share(2, 17), reading_of_share(0, 27), "unchanged"),
        (FAILED, reading_of_share(9, 10), reading_of_share(10, 40), "better"),
        (FAILED, reading_of_share(0, 40), reading_of_share(10, 20), "worse"),
        (FAILED, reading_of_share(5, 50), reading_of_share(5, 50), "unchanged"),
        (FAILED, reading_of_share(5, 50), None, "cannot tell"),
        (RATE, steady(1000.0), steady(2000.0), "better"),
        (RATE, steady(1000.0), steady(500.0), "worse"),
        (RATE, steady(1000.0), steady(1050.0), "unchanged"),
        (RATE, reading_of_number(1000.0), reading_of_number(2000.0), "cannot tell"),
        (BUSY, steady(0.2), steady(0.9), "changed"),
    ],
)
def test_inside_the_band_is_unchanged_and_outside_never(
    quantity: Quantity, before: Reading | None, after: Reading | None, expected: str
) -> None:
    found = judge(quantity, before, after)
    assert found.judgement == expected
    if found.band and after:
        assert found.band.holds(after.value) == (found.judgement == "unchanged")


def difference(quantity: Quantity, before: float, after: float) -> str:
    told = change_in_words(Effect(quantity, steady(before), steady(after), None, "better", ""))
    return told.replace(MINUS, "-")


def test_a_difference_is_reported_in_its_unit_in_percent_and_as_a_factor() -> None:
    assert difference(LENGTH, 14_400, 4_000) == "-10.4 s (-72 %, 3.6 times shorter)"
    assert difference(FAILED, 0.4, 0.1) == "-30 points (-75 %, 4 times smaller)"
    assert difference(RATE, 1000, 1100) == "+100/s (+10 %)"
    assert difference(FAILED, 0.0, 0.1) == "+10 points"
    assert difference(LENGTH, 7_300, 31) == "-7.3 s (-100 %, 235 times shorter)"
    assert difference(FAILED, 0.1, 0.0) == "-10 points (-100 %)"


def test_inside_the_noise_only_the_size_of_a_difference_is_reported() -> None:
    unchanged = Effect(LENGTH, steady(0.4), steady(2.0), None, "unchanged", "")
    assert change_in_words(unchanged) == "+2 ms"
    assert change_in_words(Effect(FAILED, steady(0.5), steady(0.50001), None, "unchanged", "")) == "0 points"


def test_a_range_has_its_unit_once() -> None:
    assert range_in_words(0.0, 66.4, "per hour") == "0 to 66.4 per hour"
    assert range_in_words(0.0, 1600, "duration") == "0 ms to 1.6 s"
