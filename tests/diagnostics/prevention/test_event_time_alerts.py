"""Alerts on event time: they fire when clocks go wrong, not before and not after the repair; promtool agrees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from diagnostics.prevention.alert import Alert, WatchedJob
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.series import CaseSeries
from tests.diagnostics.prevention.alert_evidence import (
    JOB_ID,
    MINUTE,
    checkpoint,
    finding,
    fired,
    history,
    metrics,
    told_by_promtool,
    watched,
)

BEFORE, SINCE = 0.08, 0.97


def clocks(
    leads: list[float | None], shares: list[float], *, planned: Mapping[str, str] | None = None, **facts: float
) -> tuple[list[Alert], CaseSeries]:
    """A window that reads 6,000 records in each half minute and drops this share; how far its watermark is ahead."""
    late = [6_000 * sum(shares[: place + 1]) for place in range(len(shares))]
    read = [6_000.0 * (place + 1) for place in range(len(shares))]
    found = [
        watched("currentInputWatermark", leads, vertex="Window"),
        watched("numLateRecordsDropped", [*late], vertex="Window"),
        watched("numRecordsIn", [*read], vertex="Window"),
    ]
    points = {**history(checkpoint(1, 0), until=len(shares) * MINUTE // 2), **metrics(MINUTE // 2, *found)}
    late_records = {"key": "late_records", "subject": {"job": JOB_ID, "vertex": "Window"}, "facts": facts}
    document: dict[str, Any] = {
        "findings": [finding("out_of_order_events")],
        "jobs": [{"job_id": JOB_ID, "name": "Orders"}],
    }
    return alerts_for(document, [late_records], JOB_ID, planned)[-2:], case_series(points, JOB_ID, "Orders")


def test_clocks_that_go_wrong_at_minute_five_fire_both(tmp_path: Path) -> None:
    """The job has always dropped 8 %: a count would have fired from the start, and said nothing new then."""
    leads = [-5_000.0] * 10 + [34_000.0] * 10
    alerts, series = clocks(leads, [BEFORE] * 10 + [SINCE] * 10, dropped_before_ratio=BEFORE, dropped_since_ratio=SINCE)

    assert [alert.name for alert in alerts] == ["FlinkWatermarkAheadOfClock", "FlinkLateRecordsDropped"]
    assert fired(alerts, series) == {"FlinkWatermarkAheadOfClock": [6], "FlinkLateRecordsDropped": [5]}
    assert alerts[-1].expr.endswith("> 0.16")
    assert "Before the share jumped it was 8 %: the bound is above that." in alerts[-1].why
    told_by_promtool(tmp_path, alerts, series)


def test_after_the_plan_the_share_that_was_always_dropped_is_no_measure(tmp_path: Path) -> None:
    """The plan keeps the slow devices' records too: the 8 % of before would come back unseen under a bound of 16 %."""
    leads = [-5_000.0] * 20
    alerts, series = clocks(
        leads, [0.0] * 10 + [BEFORE] * 10, planned={}, dropped_before_ratio=BEFORE, dropped_since_ratio=SINCE
    )

    assert alerts[-1].expr.endswith("> 0.01")
    assert "Before the share" not in alerts[-1].why
    assert fired(alerts, series) == {"FlinkLateRecordsDropped": [5]}
    told_by_promtool(tmp_path, alerts, series)


def test_before_and_after_they_are_silent(tmp_path: Path) -> None:
    alerts, _ = clocks([0.0], [0.0], dropped_before_ratio=BEFORE, dropped_since_ratio=SINCE)
    _, before = clocks([-5_000.0] * 20, [BEFORE] * 20)
    _, repaired = clocks([-5_000.0] * 20, [0.001] * 20)

    assert (fired(alerts, before), fired(alerts, repaired)) == ({}, {})
    told_by_promtool(tmp_path, alerts, before)
    told_by_promtool(tmp_path, alerts, repaired)


def test_a_restart_of_the_job_is_no_share_of_late_records(tmp_path: Path) -> None:
    """Both counts begin again: their differences are negative, and the quotient would be a share."""
    points = history(checkpoint(1, 0), until=10 * MINUTE)
    counts = [
        watched("numLateRecordsDropped", [80.0 * n for n in range(10)] + [0.0] * 10, vertex="Window"),
        watched("numRecordsIn", [100.0 * n for n in range(10)] + [float(n) for n in range(10)], vertex="Window"),
    ]
    alerts, _ = clocks([0.0], [0.0], dropped_before_ratio=0.5, dropped_since_ratio=0.99)
    series = case_series({**points, **metrics(MINUTE // 2, *counts)}, JOB_ID, "Orders")

    assert fired(alerts[1:], series) == {"FlinkLateRecordsDropped": [2]}
    [holds] = alerts[1].condition(series).values()
    assert not any(holds[5 * 4 :])
    told_by_promtool(tmp_path, alerts, series)


def test_a_watermark_that_is_behind_or_at_the_end_of_the_input_is_not_ahead(tmp_path: Path) -> None:
    alerts, series = clocks([-60_000.0] * 20, [0.0] * 20)

    assert fired(alerts, series) == {}
    assert "< 9e18" in alerts[0].expr
    told_by_promtool(tmp_path, alerts, series)


@pytest.mark.parametrize(
    ("before", "since", "bound"), [(None, None, 0.01), (0.001, 0.5, 0.01), (0.08, 0.97, 0.16), (0.4, 0.8, 0.6)]
)
def test_the_bound_lies_between_what_was_dropped_before_and_since(
    before: float | None, since: float | None, bound: float
) -> None:
    assert WatchedJob("Orders", 1, 1, late_before=before, late_since=since).late_bound == bound
