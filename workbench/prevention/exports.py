"""Builds Prometheus alerts, their test and a Grafana dashboard from one case."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.charts import CHARTS
from diagnostics.diagnosis.fingerprint import worst_job
from diagnostics.prevention.alert import Alert
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.dashboard import DASHBOARD_FILE, dashboard
from diagnostics.prevention.promtool import RULES_FILE, TEST_FILE, outcome, rules_file, unit_test
from diagnostics.prevention.series import case_series, label_value
from workbench.analyses.models import Analysis

MOMENT = (2000, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Prevention:
    """The exports of a case.

    alerts  each with what it does on this incident
    files   name -> content
    """

    job: str
    alerts: Sequence[tuple[Alert, str]]
    files: Mapping[str, str]


def prevention_of(analysis: Analysis) -> Prevention:
    """The exports for the worst job of a diagnosis; for all of it when the evidence names no job."""
    document = analysis.document
    job = worst_job(document) or next(iter(document["jobs"]), None)
    job_id, name = (job["job_id"], job["name"] or job["job_id"]) if job else (None, "unknown")
    points = {row.chart_id: row.points for row in analysis.charts.all()}
    alerts = alerts_for(document, analysis.signals, job_id)
    series = case_series(points, job_id, name)
    case = f"case {analysis.case_id}, {analysis.case.title}"
    panels = [panel for chart in points if chart in CHARTS for panel in CHARTS[chart].panels]
    files = {
        RULES_FILE: rules_file(alerts, case),
        TEST_FILE: unit_test(alerts, series, case),
        DASHBOARD_FILE: dashboard(label_value(name), panels),
    }
    return Prevention(
        job=name,
        alerts=[(each, outcome(each, series)) for each in alerts],
        files={name: content for name, content in files.items() if content},
    )


def packed(prevention: Prevention) -> bytes:
    """All files in one archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in prevention.files.items():
            archive.writestr(zipfile.ZipInfo(name, MOMENT), content)
    return written.getvalue()
