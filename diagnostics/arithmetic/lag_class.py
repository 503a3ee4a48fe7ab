"""Classes of lag: fine ones for quantiles, and the few that a chart shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

MOST_LAG_MINUTES = 43_200
"""The furthest class: thirty days. Our choice."""
CLASSES_MS = ((60_000, 50), (3_600_000, 1_000), (2**63 - 1, 60_000))
"""Fine classes are 50 ms wide up to a minute, 1 s up to an hour, one minute beyond. Our choice."""
MOST_CLASSES = sum(min(upto // step, MOST_LAG_MINUTES) + 1 for upto, step in CLASSES_MS)
"""Fine classes on either side of zero."""

MINUTE, HOUR = 60_000, 3_600_000
BOUNDS_MS = (
    -HOUR,
    -MINUTE,
    -1_000,
    0,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    30_000,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    6 * HOUR,
    24 * HOUR,
)
"""Boundaries of the chart's classes. Our choice: about the steps 1, 2, 5, and whole units above 10 s."""


def class_numbers(lags: Numbers) -> Numbers:
    """Number of each lag's fine class, from 0; ties go away from zero."""
    import numpy as np

    size = np.abs(lags)
    numbers = np.zeros(len(lags), np.int64)
    number = 0
    below = -1
    for upto, step in CLASSES_MS:
        chosen = (size > below) & (size <= upto)
        if chosen.any():
            numbers[chosen] = number + np.minimum((2 * size[chosen] + step) // (2 * step), MOST_LAG_MINUTES)
        number += min(upto // step, MOST_LAG_MINUTES) + 1
        below = upto
    return np.where(lags < 0, -numbers, numbers) + MOST_CLASSES


def class_middles(classes: Numbers) -> Numbers:
    """The middle lag of each fine class, in ms."""
    import numpy as np

    place = np.abs(classes - MOST_CLASSES)
    middles = np.zeros(len(classes), np.int64)
    number = 0
    for upto, step in CLASSES_MS:
        chosen = place >= number
        middles[chosen] = (place[chosen] - number) * step
        number += min(upto // step, MOST_LAG_MINUTES) + 1
    return np.where(classes < MOST_CLASSES, -middles, middles)
