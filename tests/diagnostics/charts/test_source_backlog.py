"""The backlog of the sources, and what its pace lets one expect."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.source_backlog import CHART, summed
from diagnostics.reconstruction.metrics.series import Point, Series

START = 1_795_222_000_000
"""2026-11-21 00:46:40 UTC."""


def of(pending: list[float | None]) -> dict[str, Any]:
    sources = [{"vertex": "Source: orders", "pending": pending}]
    job = {"job_id": "a", "name": "Orders", "sources": sources}
    end = START + 10_000 * len(pending) - 1
    return {"from_ms": START, "to_ms": end, "slot_ms": 10_000, "slots": len(pending), "jobs": [job]}


def test_a_backlog_that_shrinks_is_gone_at_a_time() -> None:
    """The last third falls by 100 each 10 s, to 200: there are 20 s left."""
    points = of([1000.0] * 16 + [1000.0 - 100 * step for step in range(1, 9)])

    summary = CHART.summary(points)
    assert "200 at the end. In the last third of the time it shrinks by 10 records a second" in summary
    assert "if that lasts, it has caught up in 20 s (20 s to 20 s)." in summary
    dashed = [each for each in CHART.figure(points, Theme("light"))["data"] if each["line"].get("dash") == "dash"]
    assert len(dashed) == 1
    assert min(dashed[0]["y"]) >= 0


@pytest.mark.parametrize(
    ("pending", "told"),
    [
        ([100.0 * step for step in range(24)], "it grows by 10 records a second"),
        ([100.0 * step for step in range(24)], "it does not catch up while that lasts."),
        ([5.0, 900] * 12, "No forecast is made from the last third of the time: the values scatter"),
        (
            [100.0 * step for step in range(12)],
            "No forecast is made from the last third of the time: 4 points are too few",
        ),
        ([*range(9000, 6000, -1)], "it does not catch up within 5 times that time"),
    ],
)
def test_no_catching_up_is_predicted_when_it_grows_or_has_no_trend(pending: list[float | None], told: str) -> None:
    assert told in CHART.summary(of(pending))
    assert "has caught up in" not in CHART.summary(of(pending))


def test_a_slot_in_which_a_subtask_is_missing_is_a_gap() -> None:
    def series(subtask: int, *values: tuple[int, float]) -> Series:
        points = tuple(Point(START + second * 1000, value, 0, 1, 1, None) for second, value in values)
        return Series("pendingRecords", "a", "v", "Source", None, subtask, None, points)

    one, other = series(0, (0, 5.0), (10, 7.0)), series(1, (0, 1.0))

    assert summed([one, other], START, 10_000, 2) == [6.0, None]
