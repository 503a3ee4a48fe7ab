"""A measured quantity with its noise, and the band that holds the later value when nothing changed.

Each side has an interval that holds the true value in 95 of 100 cases, by the kind of measurement:

* the median of samples: the order of the samples (the binomial distribution of how many are below the median:
  W. J. Conover, Practical Nonparametric Statistics, 3rd edition, section 3.2). Samples of a course depend on each
  other and count as fewer, n (1 - r) / (1 + r) with the correlation r of neighbours (G. V. Bayley, J. M. Hammersley,
  The "effective" number of independent observations in an autocorrelated time series, 1946),
* a share of counted things: Wilson's score interval (E. B. Wilson, Probable inference, 1927),
* events in a time: the score interval of the Poisson distribution, widened by how much more they scatter
  (P. McCullagh, J. A. Nelder, Generalized Linear Models, 2nd edition, section 6.2: quasi-likelihood).

The intervals of both sides make the one of their difference by their squares (R. G. Newcombe, Interval estimation for
the difference between independent proportions, 1998, method 10; G. Y. Zou, A. Donner, Construction of confidence
limits about effect measures, 2008, for any measure).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from diagnostics.language import say, to_say
from diagnostics.wording import phrase

Z = 1.96
"""Standard deviations on both sides that hold 95 % of a normal distribution."""

LEAST_SAMPLES = 6
"""The range of five samples holds the median in less than 95 of 100 cases (1 - 2 / 2^5 = 94 %), that of six in 97."""

MOST_EXACT = 60
"""Up to this number of samples the binomial distribution is summed; above, the normal approximation is within one rank
of it.
"""

HOUR_MS = 3_600_000.0

SAMPLES = (to_say("{count:,} sample"), to_say("{count:,} samples"))
CHECKPOINTS = (to_say("{count:,} checkpoint"), to_say("{count:,} checkpoints"))
FAILURES = (to_say("{count:,} failure"), to_say("{count:,} failures"))
RUNS = (to_say("{count:,} run"), to_say("{count:,} runs"))
"""Words for one and for many of what a median is of."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A value with its 95 % interval from `low` to `high`.

    low, high  None when the noise is unknown
    basis      the data behind the value, in words; when the noise is unknown, why
    """

    value: float
    low: float | None
    high: float | None
    basis: str

    @property
    def has_noise(self) -> bool:
        """Whether the scatter of the value is known."""
        return self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class Band:
    """The values that the later reading takes in 95 of 100 cases without a change, widened to relevant differences."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether the value is inside."""
        return self.low <= value <= self.high


def band_of(before: Reading, after: Reading, least: float, most: float = math.inf) -> Band | None:
    """The noise band around the earlier value; None when the noise of a side is unknown.

    least  differences up to this do not count, however precise the measurement
    most   upper limit of the values
    """
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return None
    down = math.hypot(before.value - before.low, after.high - after.value)
    up = math.hypot(before.high - before.value, after.value - after.low)
    low, high = before.value - max(down, least), before.value + max(up, least)
    return Band(max(low, 0.0) if before.value >= 0 and after.value >= 0 else low, min(high, most))


def reading_of_samples(values: Sequence[float], counted: tuple[str, str] = SAMPLES) -> Reading | None:
    """The median of independent samples; `counted` are the words for one and for many."""
    return _median(values, len(values), _counted(len(values), counted)) if values else None


def reading_of_course(values: Sequence[float]) -> Reading | None:
    """The median of samples in the order of time, which are correlated."""
    if not values:
        return None
    count = independent_samples(values)
    samples = _counted(len(values), SAMPLES)
    if count < len(values):
        samples = say("{samples} in a row that count as {count}", samples=samples, count=count)
    return _median(values, count, samples)


def independent_samples(values: Sequence[float]) -> int:
    """The effective number of independent samples, from the correlation of neighbours."""
    middle = fmean(values)
    square = sum((each - middle) ** 2 for each in values)
    if not square:
        return len(values)
    beside = sum((one - middle) * (other - middle) for one, other in pairwise(values)) / square
    beside = min(max(beside, 0.0), 1.0)
    return max(int(len(values) * (1 - beside) / (1 + beside)), 1)


def _median(values: Sequence[float], count: int, basis: str) -> Reading:
    ordered = sorted(values)
    if count < LEAST_SAMPLES:
        too_few = say("{basis}; a noise band needs {fewest}", basis=basis, fewest=LEAST_SAMPLES)
        return Reading(median(ordered), None, None, too_few)
    inside = _lowest_rank(count) / (count - 1) * (len(ordered) - 1)
    return Reading(median(ordered), ordered[int(inside)], ordered[len(ordered) - 1 - int(inside)], basis)


def _lowest_rank(count: int) -> int:
    """The rank from 0 of the sample that exceeds the median in at most 2.5 of 100 cases."""
    if count > MOST_EXACT:
        return int(count / 2 - Z * math.sqrt(count) / 2) - 1
    below, rank = 0.0, 0
    while (below := below + math.comb(count, rank) / 2**count) <= (1 - 0.95) / 2:
        rank += 1
    return max(rank - 1, 0)


def reading_of_share(part: int, whole: int) -> Reading | None:
    """A share of counted items with Wilson's interval, which is valid for few of them and for none."""
    if whole <= 0 or not 0 <= part <= whole:
        return None
    share, square = part / whole, Z * Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    half = Z * math.sqrt(share * (1 - share) / whole + square / (4 * whole * whole)) / (1 + square / whole)
    low, high = max(min(middle - half, share), 0.0), min(max(middle + half, share), 1.0)
    return Reading(share, low, high, say("{part:,} of {whole:,}", part=part, whole=whole))


def reading_of_events(count: float, span_ms: float | None, scatter: float = 1.0) -> Reading:
    """Events in an hour.

    span_ms  the time in which they were counted; None when unknown
    scatter  their variance divided by their mean, 1 for events that do not depend on each other
    """
    if not span_ms:
        return Reading(count, None, None, say("a count over an unknown time"))
    hours, square = span_ms / HOUR_MS, Z * Z * max(scatter, 1.0)
    half = math.sqrt(square * (count + square / 4))
    return Reading(
        count / hours,
        max(count + square / 2 - half, 0.0) / hours,
        (count + square / 2 + half) / hours,
        say("{count} in {duration}", count=f"{count:,.0f}", duration=phrase.duration(span_ms)),
    )


def scatter_of(counts: Sequence[float]) -> float:
    """Variance over mean of the number of events in equal time ranges; at least 1."""
    middle = fmean(counts) if counts else 0.0
    if not middle or len(counts) < 2:
        return 1.0
    return max(sum((each - middle) ** 2 for each in counts) / (len(counts) - 1) / middle, 1.0)


def reading_of_number(value: float) -> Reading:
    """A single number with unknown scatter."""
    return Reading(value, None, None, say("a single number, whose noise is not known"))


def _counted(count: int, words: tuple[str, str]) -> str:
    return say(words[0] if count == 1 else words[1], count=count)
