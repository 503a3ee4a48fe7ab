"""A measured quantity with its noise: between which values it lies, and what tells so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.645
"""Standard deviations on both sides that hold 90 % of a normal distribution. Our choice: two of 20 judgements on pure
noise then fall outside one of the bands, and outside both, which is asked for, far fewer."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A value between `low` and `high`.

    samples  on how many measurements it rests, None for a single number
    band     what the band is, in words
    """

    value: float
    low: float
    high: float
    samples: int | None
    band: str

    def overlaps(self, other: Reading) -> bool:
        """Whether the two may be the same."""
        return self.low <= other.high and other.low <= self.high


FEW = 5
"""Below so many samples their whole range holds the median with less than 90 % (1 - 2 / 2^4 = 88 % for four)."""


def reading_of_samples(values: Sequence[float], quantile: float = 0.5) -> Reading | None:
    """A quantile with the band that the order of the samples gives (90 %), whatever their distribution.

    The true quantile lies between the samples at the ranks n q - Z sqrt(n q (1 - q)) and n q + Z sqrt(n q (1 - q)). Of
    fewer than FEW the band is half of the smallest to twice the largest.
    """
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        return None
    spread = Z * math.sqrt(count * quantile * (1 - quantile))

    def at(rank: float) -> float:
        return ordered[min(max(int(rank), 0), count - 1)]

    if count < FEW:
        told = "one sample" if count == 1 else f"{count} samples"
        return Reading(
            at(math.ceil(count * quantile) - 1), ordered[0] / 2, ordered[-1] * 2, count, f"half to twice of {told}"
        )
    return Reading(
        value=at(math.ceil(count * quantile) - 1),
        low=at(math.floor(count * quantile - spread)),
        high=at(math.ceil(count * quantile + spread)),
        samples=count,
        band=f"the order of {count} samples",
    )


def reading_of_share(part: int, whole: int) -> Reading | None:
    """A share of counted things with Wilson's band (90 %), which also holds for few of them and for none."""
    if whole <= 0 or not 0 <= part <= whole:
        return None
    share, square = part / whole, Z * Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    half = Z * math.sqrt(share * (1 - share) / whole + square / (4 * whole * whole)) / (1 + square / whole)
    low, high = max(min(middle - half, share), 0.0), min(max(middle + half, share), 1.0)
    return Reading(share, low, high, whole, f"{part} of {whole} counted (Wilson)")


ONE_NUMBER = 0.1
"""How far a single number may lie from what another run of the same thing would give. Our choice: a tenth."""


def reading_of_number(value: float, least: float = 0.0) -> Reading:
    """A single number: a tenth of it, or `least`, on either side."""
    half = max(abs(value) * ONE_NUMBER, least)
    low = max(value - half, 0.0) if value >= 0 else value - half
    return Reading(value, low, value + half, None, "a single number: a tenth on either side")
