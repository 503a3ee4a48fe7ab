"""Noise bands and judgements, with the arithmetic visible."""

from __future__ import annotations

import pytest

from diagnostics.proof.quantity import Quantity, judge
from diagnostics.proof.reading import Reading, reading_of_number, reading_of_samples, reading_of_share

FAILED = Quantity("failed", "Failed checkpoints", "percent", lambda _: None, sound=0.0)
RATE = Quantity("rate", "Records per second", "rate", lambda _: None, lower=False)


def test_the_band_of_a_median_lies_between_two_of_its_samples() -> None:
    """25 samples: ranks 12.5 -+ 1.645 * sqrt(25 * 0.25) = 12.5 -+ 4.1, so the samples at 8 and 17 (from 0)."""
    reading = reading_of_samples([float(each) for each in range(25)])
    assert reading is not None
    assert (reading.low, reading.value, reading.high) == (8, 12, 17)


def test_the_band_of_few_samples_is_half_the_smallest_to_twice_the_largest() -> None:
    reading = reading_of_samples([4.0, 6.0])
    assert reading is not None
    assert (reading.low, reading.high) == (2.0, 12.0)


def test_none_of_few_is_not_never() -> None:
    """Wilson, 0 of 16: upper end 1.645^2 / (16 + 1.645^2) = 2.706 / 18.706 = 14.5 %."""
    reading = reading_of_share(0, 16)
    assert reading is not None
    assert (reading.low, round(reading.high, 3)) == (0.0, 0.145)


def test_a_single_number_has_a_tenth_on_either_side_and_never_less_than_nothing() -> None:
    assert (reading_of_number(200.0).low, reading_of_number(200.0).high) == (180.0, 220.0)
    assert reading_of_number(1.0, least=5.0).low == 0.0


@pytest.mark.parametrize(
    ("quantity", "before", "after", "expected"),
    [
        (FAILED, reading_of_share(3, 8), reading_of_share(0, 16), "fixed"),
        (FAILED, reading_of_share(2, 17), reading_of_share(0, 27), "cannot tell"),
        (FAILED, reading_of_share(9, 10), reading_of_share(10, 40), "better"),
        (FAILED, reading_of_share(0, 40), reading_of_share(10, 20), "worse"),
        (FAILED, reading_of_share(5, 50), reading_of_share(5, 50), "unchanged"),
        (FAILED, reading_of_share(5, 50), None, "cannot tell"),
        (RATE, reading_of_number(1000.0), reading_of_number(2000.0), "better"),
        (RATE, reading_of_number(1000.0), reading_of_number(500.0), "worse"),
        (RATE, reading_of_number(1000.0), reading_of_number(1050.0), "unchanged"),
    ],
)
def test_a_change_is_one_only_outside_of_both_bands(
    quantity: Quantity, before: Reading | None, after: Reading | None, expected: str
) -> None:
    assert judge(quantity, before, after)[0] == expected
