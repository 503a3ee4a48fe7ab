"""The bound of a watermark against late events."""

from __future__ import annotations

import pytest

from tests.diagnostics.calculators.worked_example import outcome, shown

CURVE = {
    "device_clocks.curve_bound_ms": [0.0, 500.0, 2_000.0, 10_000.0, 20_000.0, 40_000.0],
    "device_clocks.curve_late_ratio": [0.9, 0.5, 0.1, 0.01, 0.001, 0.0],
}


def test_a_bound_between_two_points_of_the_curve_is_on_the_line_between_them() -> None:
    """1 % are later than 10 s and 0.1 % later than 20 s; at 15 s half way: 0.55 %."""
    found = outcome("disorder-bound", CURVE, bound_ms=15_000.0, now_ms=10_000.0)
    assert (found.results["lost"], found.results["lost_now"]) == (pytest.approx(0.0055), pytest.approx(0.01))
    assert shown(found)["Results come later by"] == "15 s - 10 s = 5 s"
    assert found.advice == "do"


def test_the_share_of_late_events_never_rises_with_the_bound() -> None:
    shares = [
        outcome("disorder-bound", CURVE, bound_ms=float(bound), now_ms=1.0).results["lost"]
        for bound in range(0, 50_000, 250)
    ]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-1]) == (0.9, 0.0)


def test_a_chosen_share_has_the_bound_and_latency_of_the_curve() -> None:
    lines = shown(outcome("disorder-bound", CURVE, bound_ms=15_000.0, now_ms=5_000.0))
    assert lines["At most 1 % late"] == "1 % are later than 10 s = bound 10 s, results 5 s later"
    assert lines["At most 0.1 % late"] == "0.1 % are later than 20 s = bound 20 s, results 15 s later"


def test_a_fast_clock_takes_its_lead_from_the_bound() -> None:
    """Two seconds ahead leave 10 s of 12 s: 1 % late. Only a bound within the lead loses everything."""
    fast = {"device_clocks.fast_by_max_ms": 2_000, "device_clocks.fast_devices": 1}
    found = outcome("disorder-bound", {**CURVE, **fast}, bound_ms=12_000.0, now_ms=4_000.0)
    assert (found.advice, found.results["lost"]) == ("do", pytest.approx(0.01))
    within = outcome("disorder-bound", {**CURVE, **fast}, bound_ms=1_500.0, now_ms=1_000.0)
    assert (within.advice, within.results["lost"]) == ("do not", 1.0)


def test_without_a_sample_of_events_no_curve_is_assumed() -> None:
    assert outcome("disorder-bound", bound_ms=1.0, now_ms=1.0).advice == "not known"
