"""The interval of checkpoints: their cost against what a failure loses."""

from __future__ import annotations

import math

import pytest

from tests.diagnostics.calculators.worked_example import outcome, shown


def test_the_interval_weighs_overhead_against_what_a_failure_loses() -> None:
    """sqrt(2 x 5 % x 6 s x 86,400 s / 2) = sqrt(25,920) s = 161 s."""
    found = outcome("checkpoint-interval", interval_ms=60_000.0, duration_ms=6000.0, failures_per_day=2.0, cost=0.05)
    assert shown(found)["Time with a checkpoint under way"] == "6 s / 60 s = 10 %"
    assert shown(found)["Processed again after a failure, at most"] == "60 s + 6 s = 66 s"
    assert found.results["best_ms"] == pytest.approx(math.sqrt(25_920) * 1000)
    assert outcome("checkpoint-interval", interval_ms=10_000.0, duration_ms=12_000.0).advice == "do not"
