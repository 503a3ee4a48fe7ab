"""The improvements that the source documents state, as a pair of snapshots shows them: in percent and as a factor."""

from __future__ import annotations

import pytest

from diagnostics.proof.quantity import Quantity, judge
from diagnostics.proof.reading import reading_of_samples, reading_of_share
from diagnostics.proof.words import change_in_words

NOISE = (0.97, 0.98, 0.99, 1.0, 1.0, 1.01, 1.02, 1.03)
"""Eight checkpoints of each snapshot scatter by three percent."""
MINUTE = 60_000.0
M = "\N{MINUS SIGN}"


def duration_change(before_ms: float, after_ms: float) -> str:
    quantity = Quantity("usual", "Duration of checkpoints", "duration", lambda _: None, least=1000.0)
    sides = [reading_of_samples([value * part for part in NOISE], "checkpoint") for value in (before_ms, after_ms)]
    return change_in_words(judge(quantity, *sides))


@pytest.mark.parametrize(
    ("row", "before_ms", "after_ms", "shown"),
    [
        ("S026: upload time", 10_000.0, 7_000.0, f"{M}3 s ({M}30 %)"),
        ("S062: 100 GB incremental", 10 * MINUTE, 2 * MINUTE, f"{M}8 min ({M}80 %, 5 times shorter)"),
        ("S080: checkpoint", 5 * MINUTE, 30_000.0, f"{M}4 min 30 s ({M}90 %, 10 times shorter)"),
    ],
)
def test_a_duration_that_fell_is_shown_in_percent_and_as_a_factor(
    row: str, before_ms: float, after_ms: float, shown: str
) -> None:
    assert duration_change(before_ms, after_ms) == shown, row


@pytest.mark.parametrize(
    ("row", "failed_before", "failed_after", "shown"),
    [
        ("S020: failure rate", 100, 30, f"{M}35 points ({M}70 %, 3.3 times smaller)"),
        ("S070: failures", 100, 40, f"{M}30 points ({M}60 %, 2.5 times smaller)"),
    ],
)
def test_a_failure_rate_that_fell_is_shown_in_points_and_in_percent(
    row: str, failed_before: int, failed_after: int, shown: str
) -> None:
    """Of two hundred checkpoints each."""
    quantity = Quantity("failed", "Failed checkpoints", "percent", lambda _: None)
    sides = [reading_of_share(count, 200) for count in (failed_before, failed_after)]

    assert change_in_words(judge(quantity, *sides)) == shown, row
