"""A Grafana dashboard with a case's charts on live metrics, and the thresholds of its alerts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from diagnostics.charting.grafana_panel import ONE_JOB, GrafanaPanel
from diagnostics.language import say, to_say
from diagnostics.prevention.series import JOB

DASHBOARD_FILE = "flink-dashboard.json"
SCHEMA_VERSION = 39
"""Schema of Grafana 11; newer versions import it."""
WIDTH, HEIGHT = 12, 8
"""Grafana's grid has 24 columns: two panels in a row."""

RESTARTS = GrafanaPanel(to_say("Restarts"), "short", {"{{job_name}}": f"{JOB}numRestarts{{{ONE_JOB}}}"})


def dashboard(job: str, panels: Sequence[GrafanaPanel]) -> str:
    """The dashboard as JSON for Grafana's import.

    job     the initially selected label value
    panels  of the charts that the case has, in the order of its page
    """
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
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _datasource() -> dict[str, Any]:
    return {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _job_names(job: str) -> dict[str, Any]:
    return {
        "name": "job_name",
        "label": say("Job"),
        "type": "query",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "query": f"label_values({JOB}numRestarts, job_name)",
        "refresh": 2,
        "includeAll": True,
        "current": {"text": job, "value": job},
    }


def _panel(number: int, panel: GrafanaPanel) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if panel.threshold is not None:
        steps.append({"color": "red", "value": panel.threshold})
    custom = {"thresholdsStyle": {"mode": "line" if panel.threshold is not None else "off"}, "spanNulls": False}
    return {
        "id": number + 1,
        "title": say(panel.title),
        "type": "timeseries",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "gridPos": {"x": number % 2 * WIDTH, "y": number // 2 * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "custom": custom, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + place), "expr": expr, "legendFormat": say(legend)}
            for place, (legend, expr) in enumerate(panel.queries.items())
        ],
    }
