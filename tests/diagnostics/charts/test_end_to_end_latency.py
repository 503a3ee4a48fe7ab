"""The latency from source to sink by Flink's latency markers, as a signal and as a chart with its target."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.aggregators.latency_markers import MARKER
from diagnostics.charting.chart import Theme
from diagnostics.charts.end_to_end_latency import CHART
from diagnostics.notation.metric_name import from_prometheus, from_rest
from diagnostics.signals import end_to_end_latency
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only

PROMETHEUS = "flink_taskmanager_job_latency_source_id_operator_id_operator_subtask_index_latency"
REST = "latency.source_id.bc764cd8.operator_id.ea632d67.operator_subtask_index.0.latency_p99"


def marker(second: int, value: float, quantile: float = 0.99) -> dict[str, Any]:
    name = from_prometheus(PROMETHEUS)
    assert name is not None
    return {
        "ts_ms": START + second * 1000,
        "metric": name.metric,
        "scope": "job",
        "job_id": JOB,
        "quantile": quantile,
        "value": value,
    }


def test_the_metric_is_known_by_its_name_from_prometheus_and_rest() -> None:
    reported, asked = from_prometheus(PROMETHEUS), from_rest(REST, "job")
    assert reported is not None
    assert MARKER.match(reported.metric)
    assert MARKER.match(asked.metric)
    assert asked.quantile == 0.99
    assert not MARKER.match("mailboxLatencyMs")


def test_the_slowest_path_counts_at_each_time() -> None:
    """Two operators at three times, and a median that is not the percentile."""
    samples = [marker(second, value) for second in (0, 10, 20) for value in (5.0, 40.0 + second)]
    evidence = hand_made(metric_sample=[*samples, marker(0, 900.0, 0.5)])
    found = only(end_to_end_latency.measure(evidence), "end_to_end_latency")

    assert dict(found.facts) == {"p99_ms": 50.0, "p99_worst_ms": 60.0, "median_ms": 900.0, "samples": 3}
    assert found.subject.job == JOB
    assert found.citations[0].value == 60.0


def test_without_markers_nothing_is_measured() -> None:
    assert needs(end_to_end_latency.measure(hand_made())) == {"end_to_end_latency": "metric-scrapes"}
    assert CHART.points(hand_made()) is None


@pytest.mark.parametrize(
    ("target_ms", "line", "name"), [(None, 100.0, "the documents' 100 ms"), (45.0, 45.0, "target 45 ms")]
)
def test_the_chart_has_the_target_as_a_line_s076(target_ms: float | None, line: float, name: str) -> None:
    points = CHART.points(hand_made(metric_sample=[marker(second, 40.0 + second) for second in (0, 10, 20)]))
    assert points is not None
    drawn = {**points, "target_ms": target_ms}

    figure = CHART.figure(drawn, Theme("light"))

    assert [value for value in figure["data"][0]["y"] if value is not None] == [40.0, 50.0, 60.0]
    assert any(shape.get("y0") == line for shape in figure["layout"]["shapes"])
    assert name in CHART.summary(drawn)
    assert len(CHART.table(points)) == 4
