"""An alert from a panel of a chart: the proposed bound, and what promtool says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.charts import CHARTS
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.chart_alert import PanelQuery, chart_alert, panel_queries, proposed_bound, values_of
from diagnostics.prevention.promtool import outcome
from diagnostics.prevention.series import CaseSeries
from tests.diagnostics.prevention.alert_evidence import (
    FAILING,
    JOB_ID,
    activity,
    checkpoint,
    fired,
    history,
    told_by_promtool,
)

EVERY_QUERY = [query for chart in CHARTS.values() for query in panel_queries(chart.panels)]
SLOWER = history(*(checkpoint(n, n * 60_000, lasted=5_000 * n) for n in range(1, 9)), until=600_000)


def query_of(chart_id: str, title: str) -> PanelQuery:
    return next(each for each in panel_queries(CHARTS[chart_id].panels) if each.title == title)


def series_of(points: dict[str, object]) -> CaseSeries:
    return case_series(points, JOB_ID, "Orders")  # type: ignore[arg-type]


def test_the_bound_is_a_part_of_the_largest_value_of_the_incident_which_fires_it_f152(tmp_path: Path) -> None:
    query, series = query_of("checkpoint-history", "Checkpoint duration"), series_of(SLOWER)

    bound = proposed_bound(query, series)

    assert bound == 32_000, "four fifths of the longest checkpoint, 40 s"
    alert = chart_alert(query, bound, 0, "Orders")
    assert alert.expr == 'flink_jobmanager_job_lastCheckpointDuration{job_name="Orders"} > 32000'
    # Checkpoint 7 is the first one above it: it ends 35 s after 7:00.
    assert fired([alert], series) == {"FlinkCheckpointDuration": [7]}
    told_by_promtool(tmp_path, [alert], series)


def test_the_threshold_of_the_panel_is_the_proposed_bound() -> None:
    query = query_of("subtask-activity", "Most back-pressured subtask of each task")

    assert proposed_bound(query, series_of({})) == query.panel.threshold == 500


def test_failures_are_counted_without_extrapolation_and_promtool_agrees(tmp_path: Path) -> None:
    query, series = (
        query_of("checkpoint-history", "Checkpoints completed and failed in 5 minutes: failed"),
        series_of(FAILING),
    )

    alert = chart_alert(query, 1, 0, "Orders")

    assert "offset 5m" in alert.expr
    assert "delta" not in alert.expr
    # Two checkpoints failed within five minutes, at 4:00 and 5:00.
    assert fired([alert], series) == {alert.name: [5]}
    told_by_promtool(tmp_path, [alert], series)


def test_the_busiest_subtask_has_to_be_busy_for_the_time_that_is_entered(tmp_path: Path) -> None:
    query, series = (
        query_of("subtask-activity", "Busiest subtask of each task"),
        series_of(activity(600_000, busy=[1.0])),
    )

    alert = chart_alert(query, 900, 5, "Orders")

    assert fired([alert], series) == {"FlinkBusiestSubtaskOfEachTask": [5]}
    told_by_promtool(tmp_path, [alert], series)


def test_what_the_case_does_not_hold_is_neither_proposed_nor_tested() -> None:
    query = query_of("garbage-collection", "Heap in use")

    assert proposed_bound(query, series_of(SLOWER)) is None
    told = outcome(chart_alert(query, 0.9, 5, "Orders"), series_of(SLOWER))
    assert told.startswith(
        "Not tested: the charts of this case hold no series of flink_taskmanager_Status_JVM_Memory_Heap"
    )


@pytest.mark.parametrize("query", EVERY_QUERY, ids=lambda each: each.title)
def test_a_query_of_series_that_cases_hold_can_be_evaluated(query: PanelQuery) -> None:
    points = FAILING | activity(600_000, busy=[1.0], back_pressured=[0.5])
    held = {each.metric for each in series_of(points).series}

    assert not held >= set(query.metrics) or values_of(query.expr, series_of(points)) is not None
