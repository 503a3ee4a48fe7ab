"""A Grafana dashboard with a case's charts on live metrics, and the thresholds of its alerts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.prevention.alert import FULL_MS_PER_S, HIGH_MS_PER_S
from diagnostics.prevention.series import JOB, TASK

DASHBOARD_FILE = "flink-dashboard.json"
SCHEMA_VERSION = 39
"""Schema of Grafana 11; newer versions import it."""
WIDTH, HEIGHT = 12, 8
"""Grafana's grid has 24 columns: two panels in a row."""

ONE_JOB = 'job_name=~"$job_name"'
BY_TASK = "by (task_name)"
GC_TIMES = '{__name__=~"flink_taskmanager_Status_JVM_GarbageCollector_.+_Time"}'
"""Times of every collector: the reporter puts the collector's name into the metric's."""
LATENCY = "flink_taskmanager_job_latency_source_id_operator_id_operator_subtask_index_latency"


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel.

    queries    legend -> PromQL
    unit       Grafana's name of it
    threshold  the threshold of an alert
    """

    title: str
    unit: str
    queries: Mapping[str, str]
    threshold: float | None = None


PANELS: Mapping[str, Sequence[Panel]] = {
    "checkpoint-history": (
        Panel(
            "Checkpoint duration",
            "ms",
            {"{{job_name}}": f"{JOB}lastCheckpointDuration{{{ONE_JOB}}}"},
        ),
        Panel(
            "Checkpoints completed and failed in 5 minutes",
            "short",
            {
                "completed": f"delta({JOB}numberOfCompletedCheckpoints{{{ONE_JOB}}}[5m])",
                "failed": f"delta({JOB}numberOfFailedCheckpoints{{{ONE_JOB}}}[5m])",
            },
        ),
        Panel(
            "Checkpointed size",
            "bytes",
            {
                "written": f"{JOB}lastCheckpointSize{{{ONE_JOB}}}",
                "full state": f"{JOB}lastCheckpointFullSize{{{ONE_JOB}}}",
            },
        ),
    ),
    "subtask-activity": (
        Panel(
            "Busiest subtask of each task",
            "ms",
            {"{{task_name}}": f"max {BY_TASK} ({TASK}busyTimeMsPerSecond{{{ONE_JOB}}})"},
            FULL_MS_PER_S,
        ),
        Panel(
            "Most back-pressured subtask of each task",
            "ms",
            {"{{task_name}}": f"max {BY_TASK} ({TASK}backPressuredTimeMsPerSecond{{{ONE_JOB}}})"},
            HIGH_MS_PER_S,
        ),
    ),
    "load-by-subtask": (
        Panel(
            "Records in: busiest subtask against the mean",
            "short",
            {
                "{{task_name}}": f"max {BY_TASK} ({TASK}numRecordsInPerSecond{{{ONE_JOB}}})"
                f" / avg {BY_TASK} ({TASK}numRecordsInPerSecond{{{ONE_JOB}}})"
            },
            2,
        ),
    ),
    "watermarks": (
        Panel(
            "Watermark lag",
            "ms",
            {"{{task_name}}": f"time() * 1000 - min {BY_TASK} ({TASK}currentInputWatermark{{{ONE_JOB}}} > 0)"},
        ),
        Panel(
            "Late records dropped in 5 minutes",
            "short",
            {"{{task_name}}": f"sum {BY_TASK} (increase({TASK}operator_numLateRecordsDropped{{{ONE_JOB}}}[5m]))"},
        ),
    ),
    "source-backlog": (
        Panel(
            "Records that wait in the sources",
            "short",
            {"{{task_name}}": f"sum {BY_TASK} ({TASK}operator_pendingRecords{{{ONE_JOB}}})"},
        ),
    ),
    "end-to-end-latency": (
        Panel(
            "Latency from source to sink, 99th percentile",
            "ms",
            {"{{job_name}}": f'max by (job_name) ({LATENCY}{{{ONE_JOB},quantile="0.99"}})'},
        ),
    ),
    "garbage-collection": (
        Panel(
            "Time in garbage collection",
            "percentunit",
            {
                "{{tm_id}} {{__name__}}": f"rate({GC_TIMES}[5m]) / 1000",
            },
        ),
        Panel(
            "Heap in use",
            "percentunit",
            {
                "{{tm_id}}": "flink_taskmanager_Status_JVM_Memory_Heap_Used"
                " / flink_taskmanager_Status_JVM_Memory_Heap_Max"
            },
        ),
    ),
}
"""Chart of the case page -> panels that show the same for a running job."""

WITHOUT_PANELS: Mapping[str, str] = {
    "flame-graph": "sampled stacks are no metric",
    "threads": "sampled stacks are no metric",
    "benchmark-durations": "results of a benchmark are no metric",
    "event-lag": "single events are no metric",
    "log-volume": "log lines are no metric",
    "checkpoint-gantt": "metrics tell no phases of single subtasks",
    "checkpoint-critical-path": "metrics tell no phases of single subtasks",
    "checkpoint-failures": "metrics count failed checkpoints without their class; the history's panels show them",
    "checkpoint-sequence": "metrics tell no steps of single checkpoints",
    "checkpoint-trend": "the panels of the checkpoint history show it",
    "barrier-waits": "one dot for each checkpoint: a panel over time shows no correlation",
    "job-graph": "the panels of the subtasks' activity show it",
    "leadership": "log lines are no metric",
    "pool-matrix": "the panels of the subtasks' activity show who is held back",
    "pressure-path": "the panels of the subtasks' activity show it",
    "memory-model": "the panels of garbage collection show the heap; the other parts are settings",
    "metrics": "it shows whatever was scraped: Prometheus has that already",
    "transactions": "no metric of Flink shows how long a transaction is open",
}
"""Chart of the case page -> why it has no panel."""

RESTARTS = Panel("Restarts", "short", {"{{job_name}}": f"{JOB}numRestarts{{{ONE_JOB}}}"})


def dashboard(job: str, charts: Sequence[str]) -> str:
    """The dashboard as JSON for Grafana's import.

    job     the initially selected label value
    charts  ids of the charts that the case has, in the order of its page
    """
    panels = [panel for chart in charts for panel in PANELS.get(chart, ())]
    content = {
        "title": f"Flink: {job}",
        "tags": ["flink"],
        "timezone": "utc",
        "schemaVersion": SCHEMA_VERSION,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [_datasource(), _job_names(job)]},
        "panels": [_panel(number, panel) for number, panel in enumerate([*panels, RESTARTS])],
    }
    return json.dumps(content, indent=2) + "\n"


def _datasource() -> dict[str, Any]:
    return {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _job_names(job: str) -> dict[str, Any]:
    return {
        "name": "job_name",
        "label": "Job",
        "type": "query",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "query": f"label_values({JOB}numRestarts, job_name)",
        "refresh": 2,
        "includeAll": True,
        "current": {"text": job, "value": job},
    }


def _panel(number: int, panel: Panel) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if panel.threshold is not None:
        steps.append({"color": "red", "value": panel.threshold})
    custom = {"thresholdsStyle": {"mode": "line" if panel.threshold is not None else "off"}, "spanNulls": False}
    return {
        "id": number + 1,
        "title": panel.title,
        "type": "timeseries",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "gridPos": {"x": number % 2 * WIDTH, "y": number // 2 * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "custom": custom, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + place), "expr": expr, "legendFormat": legend}
            for place, (legend, expr) in enumerate(panel.queries.items())
        ],
    }
