"""GC pauses that fall into back-pressured time, and those that do not."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.pauses_and_back_pressure import measure
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, line_of_jobs, needs, only

SECONDS = 120
BLOCKED = range(40, 80, 10)
"""The source is back-pressured in these four moments of ten seconds out of twelve."""


def loads() -> list[dict[str, Any]]:
    return [
        {
            "ts_ms": START + second * 1000,
            "job_id": JOB,
            "vertex_id": MIDDLE,
            "subtask": 0,
            "back_pressured_ratio": 0.9 if second in BLOCKED else 0.0,
        }
        for second in range(0, SECONDS, 10)
    ]


def pauses(*at_s: float, pause_ms: float = 2000.0) -> list[dict[str, Any]]:
    """Full collections; short ones at both ends let the GC log cover the whole time."""
    every = [(0.0, 1.0), *((second, pause_ms) for second in at_s), (float(SECONDS - 1), 1.0)]
    return [
        {
            "file_id": 1,
            "line": line,
            "ts_ms": START + round(second * 1000),
            "uptime_ms": second * 1000.0,
            "collector": "Serial",
            "kind": "full",
            "cause": "Allocation Failure",
            "pause_ms": length,
        }
        for line, (second, length) in enumerate(every, 1)
    ]


def test_pauses_that_overlap_the_blocked_interval_are_found() -> None:
    """Two pauses of 2 s in each of the four blocked moments: 4 s of 10 s, and 2 ms in the other 80 s."""
    at = [second + offset for second in BLOCKED for offset in (1.0, 6.0)]
    facts = only(
        measure(hand_made(**line_of_jobs(), back_pressure=loads(), gc_pause=pauses(*at))), "pauses_and_back_pressure"
    ).facts

    assert facts["blocked_ms"] == 40_000
    assert facts["blocked_pause_ratio"] == pytest.approx(0.4)
    assert facts["blocked_pause_ms"] == 16_000
    assert facts["paused_blocked_ratio"] == 1.0
    assert facts["free_pause_ratio"] == pytest.approx(2.0 / 80_000)
    assert facts["times_as_much"] == pytest.approx(16_000)


def test_pauses_outside_the_blocked_interval_are_not_said_to_overlap_it() -> None:
    at = [second + 1.0 for second in (0, 10, 20, 90, 100, 110)]
    facts = only(
        measure(hand_made(**line_of_jobs(), back_pressure=loads(), gc_pause=pauses(*at))), "pauses_and_back_pressure"
    ).facts

    assert facts["blocked_pause_ratio"] == 0.0
    assert facts["times_as_much"] == 0.0


def test_a_job_that_is_not_back_pressured_has_no_overlap() -> None:
    quiet = [{**each, "back_pressured_ratio": 0.05} for each in loads()]

    assert list(measure(hand_made(**line_of_jobs(), back_pressure=quiet, gc_pause=pauses(45.0)))) == []


def test_without_gc_log_or_back_pressure_over_time_the_overlap_is_not_measured() -> None:
    assert needs(measure(hand_made(**line_of_jobs(), back_pressure=loads()))) == {"pauses_and_back_pressure": "gc-log"}
    assert needs(measure(hand_made(gc_pause=pauses(45.0)))) == {"pauses_and_back_pressure": "metric-scrapes"}
