from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.checkpoint_trend import CHART

MINUTE = 60_000
START = 1_795_222_000_000


def of(durations: list[float], timeout_ms: float | None = 600_000, savepoints: int = 0) -> dict[str, Any]:
    rows = [[START + place * MINUTE, place + 1, took, 1e6, 2e6] for place, took in enumerate(durations)]
    job = {"job_id": "a", "name": "Orders", "timeout_ms": timeout_ms, "savepoints": savepoints, "checkpoints": rows}
    return {"from_ms": START, "to_ms": rows[-1][0], "jobs": [job]}


def test_durations_that_grow_meet_the_timeout_at_a_time() -> None:
    points = of([60_000.0 * step for step in range(1, 7)])

    assert "it reaches the timeout of 10 min about 2026-11-21 00:55 UTC" in CHART.summary(points)
    titles = [each["text"] for each in CHART.figure(points, Theme("light"))["layout"]["annotations"]]
    assert "End to end duration · at this pace the timeout is reached in 4 min" in titles


@pytest.mark.parametrize(
    "durations", [[5000.0, 1000.0, 4000.0, 2000.0, 5000.0, 1500.0], [6000.0 - step for step in range(6)]]
)
def test_no_timeout_is_foretold_without_a_trend_or_when_durations_shrink(durations: list[float]) -> None:
    assert "reaches the timeout" not in CHART.summary(of(durations))


def test_savepoints_are_said_to_be_left_out() -> None:
    assert "2 savepoints are left out." in CHART.summary(of([1000.0] * 6, savepoints=2))


def test_percentiles_stand_beside_the_longest() -> None:
    summary = CHART.summary(of([1000.0] * 9 + [11_000.0]))

    assert "1 s in the median" in summary
    assert "11 s at most" in summary
