"""The backlog of the sources, and what its pace lets one expect."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.source_backlog import CHART, summed
from diagnostics.reconstruction.metrics.metric_series import Point, Series

START = 1_795_222_000_000
"""2026-11-21 00:46:40 UTC."""


def of(pending: list[float | None]) -> dict[str, Any]:
    sources = [{"vertex": "Source: orders", "pending": pending}]
    job = {"job_id": "a", "name": "Orders", "sources": sources}
    end = START + 10_000 * len(pending) - 1
    return {"from_ms": START, "to_ms": end, "slot_ms": 10_000, "slots": len(pending), "jobs": [job]}


def test_a_backlog_that_shrinks_is_gone_at_a_time() -> None:
    """The last third falls by 100 each 10 s from 600: at 200 there are 20 s left."""
    points = of([0.0, 200, 400, 600, 600, 600, 600, 600, 500, 400, 300, 200])

    assert "200 at the end. At the present pace it has caught up in 20 s, about 2026-11-21 00:48 UTC" in CHART.summary(
        points
    )
    dashed = [each for each in CHART.figure(points, Theme("light"))["data"] if each["line"].get("dash") == "dash"]
    assert len(dashed) == 1


@pytest.mark.parametrize(
    ("pending", "told"),
    [
        ([100.0 * step for step in range(12)], "It grows by 10 records a second: it never catches up"),
        ([5.0, 900, 5, 900, 5, 900, 5, 900, 5, 900, 5, 900], "There is no clear pace"),
    ],
)
def test_no_catching_up_is_foretold_when_it_grows_or_has_no_pace(pending: list[float | None], told: str) -> None:
    assert told in CHART.summary(of(pending))


def test_a_slot_in_which_a_subtask_is_missing_is_a_gap() -> None:
    def series(subtask: int, *values: tuple[int, float]) -> Series:
        points = tuple(Point(START + second * 1000, value, 0, 1, 1, None) for second, value in values)
        return Series("pendingRecords", "a", "v", "Source", None, subtask, None, points)

    one, other = series(0, (0, 5.0), (10, 7.0)), series(1, (0, 1.0))

    assert summed([one, other], START, 10_000, 2) == [6.0, None]
