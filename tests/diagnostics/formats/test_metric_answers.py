"""Metrics as other systems answer them: Grafana's data frames, Graphite's lines, OpenTelemetry's JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diagnostics.formats import grafana_frames, graphite_series, otlp_metrics, statsd_lines
from tests.diagnostics.formats.reading_aids import read

LABELS = {"task_name": "Window", "subtask_index": "2"}
BUSY = "flink_taskmanager_job_task_busyTimeMsPerSecond"


def frames(expression: str, labels: dict[str, str]) -> str:
    frame = {
        "schema": {
            "refId": "A",
            "meta": {"executedQueryString": f"Expr: {expression}\nStep: 15s"},
            "fields": [{"name": "Time", "type": "time"}, {"name": "Value", "type": "number", "labels": labels}],
        },
        "data": {"values": [[1795222800000], [998]]},
    }
    return json.dumps({"results": {"A": {"frames": [frame]}}})


@pytest.mark.parametrize(
    ("expression", "labels", "metrics"),
    [
        (f'max by (task_name, subtask_index) ({BUSY}{{job_name="a-b / c"}})', LABELS, ["busyTimeMsPerSecond"]),
        (f"{BUSY}", LABELS, ["busyTimeMsPerSecond"]),
        (f"{BUSY} / 1000", LABELS, []),
        (f"rate({BUSY}[1m])", LABELS, []),
        (f"sum by (task_name) ({BUSY})", {"task_name": "Window"}, []),
        (f"{BUSY} + flink_taskmanager_job_task_idleTimeMsPerSecond", LABELS, []),
    ],
)
def test_a_query_names_its_series_unless_it_changes_their_values(
    expression: str, labels: dict[str, str], metrics: list[str], tmp_path: Path
) -> None:
    found = read(grafana_frames.FORMAT, frames(expression, labels), tmp_path, "inspector.json")
    assert [row["metric"] for row in found.rows.get("metric_sample", ())] == metrics


def test_a_path_of_graphite_is_of_a_task_where_a_later_one_shows_it(tmp_path: Path) -> None:
    path = "vm.taskmanager.tm-1.orders.Window.2"
    text = f"{path}.numRecordsIn.count 900 1795222800\n{path}.buffers.inPoolUsage 0.5 1795222800\n"
    rows = read(graphite_series.FORMAT, text, tmp_path, "graphite.txt").rows["metric_sample"]
    assert [(row["metric"], row["scope"], row["vertex"]) for row in rows] == [
        ("numRecordsIn", "task", "Window"),
        ("buffers.inPoolUsage", "task", "Window"),
    ]


def test_an_export_of_opentelemetry_may_be_indented(tmp_path: Path) -> None:
    def metric(name: str) -> dict[str, Any]:
        return {"name": name, "gauge": {"dataPoints": [{"timeUnixNano": "1795222800000000000", "asInt": "3"}]}}

    metrics = [metric("flink.jobmanager.job.numRestarts"), metric("process.runtime.jvm.memory")]
    text = json.dumps({"resourceMetrics": [{"scopeMetrics": [{"metrics": metrics}]}]}, indent=2)
    found = read(otlp_metrics.FORMAT, text, tmp_path, "otel.json")
    assert [(row["metric"], row["value"]) for row in found.rows["metric_sample"]] == [("numRestarts", 3.0)]


def test_a_path_of_statsd_is_of_a_task_where_a_later_one_shows_it(tmp_path: Path) -> None:
    path = "vm.taskmanager.tm-1.orders.Window.2"
    text = f"{path}.numRecordsIn:900|g\n{path}.buffers.inPoolUsage:0.5|g\n"
    rows = read(statsd_lines.FORMAT, text, tmp_path, "statsd.txt").rows["metric_sample"]
    assert [row["scope"] for row in rows] == ["task", "task"]


def test_an_export_that_was_cut_costs_its_own_line_only(tmp_path: Path) -> None:
    point = '{"timeUnixNano":"1795222800000000000","asInt":"3"}'
    metric = f'{{"name":"flink.jobmanager.job.numRestarts","gauge":{{"dataPoints":[{point}]}}}}'
    line = f'{{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{metric}]}}]}}]}}\n'
    found = read(otlp_metrics.FORMAT, line + line[:60] + "\n" + line, tmp_path, "otel.json")
    assert len(found.rows["metric_sample"]) == 2
    assert sum(each.not_understood for each in found.coverage) == 1
