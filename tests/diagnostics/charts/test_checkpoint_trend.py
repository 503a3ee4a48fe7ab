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
    """A minute more each minute: after eight minutes the timeout of ten is two minutes ahead."""
    points = of([60_000.0 * step for step in range(1, 9)])

    summary = CHART.summary(points)
    assert "rises by 60 s per minute (median slope, 95 % interval 60 s to 60 s)" in summary
    assert "If that lasts, it reaches the timeout of 10 min in 2 min (2 min to 2 min)." in summary.replace(
        "120 s", "2 min"
    )
    titles = [each["text"] for each in CHART.figure(points, Theme("light"))["layout"]["annotations"]]
    assert "End to end duration · reaches the timeout in 2 min (2 min to 2 min)" in titles


@pytest.mark.parametrize(
    ("durations", "because"),
    [
        (
            [60_000.0, 90_000.0, 80_000.0, 120_000.0, 150_000.0, 180_000.0],
            "No line is fitted: 6 points that do not rise or fall at each step are too few",
        ),
        (
            [*(1000.0 * step for step in range(1, 11)), *[10_000.0] * 6],
            "rise more slowly, or no more, in the last third",
        ),
        ([5000.0, 1000.0, 4000.0, 2000.0, 5000.0, 1500.0, 4000.0, 2000.0], "scatter more than they rise or fall"),
        ([6000.0 - step for step in range(8)], "The duration falls by"),
        ([1000.0 + step for step in range(8)], "does not reach the timeout of 10 min within 5 times the time shown"),
    ],
)
def test_no_timeout_is_predicted_without_a_trend_and_the_reason_is_said(durations: list[float], because: str) -> None:
    assert because in CHART.summary(of(durations))
    assert "it reaches the timeout" not in CHART.summary(of(durations))


def test_five_checkpoints_that_grow_at_each_step_meet_the_timeout_at_a_time() -> None:
    summary = CHART.summary(of([60_000.0 * step for step in range(1, 6)]))

    assert "it reaches the timeout of 10 min in 5 min" in summary


def test_a_timeout_that_was_met_is_not_predicted() -> None:
    points = of([60_000.0 * step for step in range(1, 9)])
    points["jobs"][0]["expired"] = 2
    assert "The timeout of 10 min is reached already: 2 checkpoints expired." in CHART.summary(points)


def test_a_slope_is_stated_for_a_time_that_was_seen() -> None:
    """Per minute within the first hour; an hour that nobody has seen says nothing of ninety seconds."""
    assert "rises by 1 s per minute" in CHART.summary(of([1000.0 * step for step in range(1, 12)]))
    assert "rises by 60 s per hour" in CHART.summary(of([1000.0 * step for step in range(1, 80)]))


def test_fewer_than_twenty_have_no_95th_percentile() -> None:
    assert "percentile" not in CHART.summary(of([1000.0] * 19))
    assert "1 s at the 95th percentile" in CHART.summary(of([1000.0] * 20))


def test_savepoints_are_said_to_be_left_out() -> None:
    assert "2 savepoints are left out." in CHART.summary(of([1000.0] * 6, savepoints=2))


def test_percentiles_stand_beside_the_longest() -> None:
    summary = CHART.summary(of([1000.0] * 9 + [11_000.0]))

    assert "1 s in the median" in summary
    assert "11 s at most" in summary
