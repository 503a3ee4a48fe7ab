"""Arrivals in bursts, read off a counter."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from diagnostics.arithmetic.bursts import Bursts, bursts


def counter(*growth: float) -> list[tuple[int, float]]:
    """A counter that is read each 5 s and grows by these."""
    return [(5_000 * step, sum(growth[:step])) for step in range(len(growth) + 1)]


def test_batches_with_nothing_in_between_are_bursts() -> None:
    assert bursts(counter(*[90, 0] * 6)) == Bursts(5, 10_000, 0.5)


@pytest.mark.parametrize(
    "growth",
    [
        pytest.param([100, 90, 110, 95] * 3, id="a steady load"),
        pytest.param([100, 60, 20, 60] * 3, id="an uneven load"),
        pytest.param([100] * 6 + [0] * 6, id="a source that ended"),
        pytest.param([100] * 4 + [0] * 4 + [100] * 4, id="a source that was interrupted"),
        pytest.param([0] * 12, id="a source without records"),
        pytest.param([], id="a single reading"),
    ],
)
def test_what_has_no_rhythm_is_not_called_bursts(growth: Sequence[float]) -> None:
    assert bursts(counter(*growth)) is None
