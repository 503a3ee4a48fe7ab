"""Builds Prometheus alerts, their test and a Grafana dashboard from one case."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.charting.chart import Chart
from diagnostics.charts import CHARTS
from diagnostics.diagnosis.fingerprint import worst_job
from diagnostics.diagnosis.job_names import names_of_several
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.language import listed
from diagnostics.prevention.alert import LATE_SHARE, Alert, fitted
from diagnostics.prevention.alerts import PLANNED, alerts_for
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.chart_alert import PanelQuery, chart_alert, panel_queries, proposed_bound
from diagnostics.prevention.dashboard import DASHBOARD_FILE, dashboard
from diagnostics.prevention.event_time_alerts import LATE_RECORDS
from diagnostics.prevention.promtool import (
    PLANNED_RULES_FILE,
    PLANNED_TEST_FILE,
    RULES_FILE,
    TEST_FILE,
    outcome,
    rules_file,
    unit_test,
)
from diagnostics.prevention.series import CaseSeries, label_value
from diagnostics.wording import phrase
from workbench.analyses.models import Analysis
from workbench.analyses.reading import document_read
from workbench.languages.sentences import say, to_say
from workbench.runbooks.plans import planned_options

UNITS = {"ms": "ms", "bytes": to_say("bytes"), "short": to_say("number"), "percentunit": to_say("0 to 1")}
"""Grafana's name of a unit -> what a person enters."""
MOMENT = (2000, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class JobChoice:
    """The job that exports are for, and those that a person can choose of a case with several.

    job_id   None when the evidence names no job
    name     a word then
    choices  (id, name), in the order of the diagnosis; none where there is one job only
    """

    job_id: str | None
    name: str
    choices: Sequence[tuple[str, str]]

    @property
    def query(self) -> str:
        """What the address of another page of the job ends with; empty where there is nothing to choose."""
        return f"?job={self.job_id}" if self.choices else ""


@dataclass(frozen=True, slots=True)
class Prevention:
    """The exports of one job of a case.

    alerts   each with what it does on this incident
    files    name -> content
    planned  what the rules after the plan are for, such as `option: value`; empty where none of them would change
    """

    job: JobChoice
    alerts: Sequence[tuple[Alert, str]]
    files: Mapping[str, str]
    planned: str


@dataclass(frozen=True, slots=True)
class ChartAlert:
    """An alert made from a panel of a chart.

    queries  of the panels of the chart
    chosen   place of the chosen one
    bound    entered, else proposed; None where nothing proposes one
    alert    with what it does on this incident; None without a bound
    files    name -> content
    """

    chart: Chart
    job: JobChoice
    queries: Sequence[PanelQuery]
    chosen: int
    bound: float | None
    minutes: int
    alert: tuple[Alert, str] | None
    files: Mapping[str, str]

    @property
    def bound_text(self) -> str:
        """The bound in the form in which people enter it; empty without one."""
        return "" if self.bound is None else f"{self.bound:.15g}"

    @property
    def unit(self) -> str:
        """Unit of the chosen value, in words."""
        return say(UNITS.get(self.queries[self.chosen].panel.unit, ""))


def chart_alert_of(
    analysis: Analysis, chart: Chart, job: JobChoice, chosen: int, bound: float | None, minutes: int
) -> ChartAlert | None:
    """The alert from one query of a chart for a job; None for a chart that no metric shows.

    bound  entered by a person; None for the proposed one
    """
    queries = panel_queries(chart.panels)
    if not queries:
        return None
    chosen = min(chosen, len(queries) - 1)
    series = _series_of(analysis, job)
    if bound is None:
        bound = proposed_bound(queries[chosen], series)
    if bound is None:
        return ChartAlert(chart, job, queries, chosen, None, minutes, None, {})
    alert = chart_alert(queries[chosen], bound, minutes, label_value(job.name) if job.job_id else None)
    case = say("case {case_id}, {title}", case_id=analysis.case_id, title=analysis.case.read_title)
    files = {RULES_FILE: rules_file([alert], case), TEST_FILE: unit_test([alert], series, case)}
    written = {name: content for name, content in files.items() if content}
    return ChartAlert(chart, job, queries, chosen, bound, minutes, (alert, outcome(alert, series)), written)


def job_choice(analysis: Analysis, asked: str) -> JobChoice:
    """The job with the id that was asked for; the worst one without it."""
    document = analysis.document
    choices = [(job_id, name) for job_id, name in names_of_several(document).items() if job_id]
    if asked in dict(choices):
        return JobChoice(asked, dict(choices)[asked], choices)
    job = worst_job(document) or next(iter(document["jobs"]), None)
    if job is None:
        return JobChoice(None, say("unknown"), choices)
    return JobChoice(job["job_id"], job["name"] or job["job_id"], choices)


def _series_of(analysis: Analysis, job: JobChoice) -> CaseSeries:
    points = {row.chart_id: row.points for row in analysis.charts.all()}
    is_over = over_since(analysis.document, job.job_id) is not None
    return case_series(points, job.job_id, job.name, analysis.signals, is_over=is_over)


def prevention_of(analysis: Analysis, job: JobChoice) -> Prevention:
    """The exports for a job of a diagnosis; for all of it when the evidence names no job."""
    series = _series_of(analysis, job)
    document, options = document_read(analysis), planned_options(analysis, job.job_id)
    now, planned = (
        [fitted(each, series) for each in alerts_for(document, analysis.signals, job.job_id, settings)]
        for settings in (None, options)
    )
    changes = [each.expr for each in planned] != [each.expr for each in now]
    case = say("case {case_id}, {title}", case_id=analysis.case_id, title=analysis.case.read_title)
    drawn = analysis.charts.values_list("chart_id", flat=True)
    panels = [panel for chart in drawn if chart in CHARTS for panel in CHARTS[chart].panels]
    files = {
        RULES_FILE: rules_file(now, case),
        TEST_FILE: unit_test(now, series, case),
        PLANNED_RULES_FILE: rules_file(planned, case) if changes else None,
        PLANNED_TEST_FILE: (
            unit_test(planned, series, case, (PLANNED_RULES_FILE, PLANNED_TEST_FILE)) if changes else None
        ),
        DASHBOARD_FILE: dashboard(label_value(job.name), panels),
    }
    return Prevention(
        job=job,
        alerts=[(each, outcome(each, series)) for each in now],
        files={name: content for name, content in files.items() if content},
        planned=listed(_planned(options or {}, now, planned)) if changes else "",
    )


def _planned(options: Mapping[str, str], now: Sequence[Alert], planned: Sequence[Alert]) -> Iterator[str]:
    """What the bounds of the rules after the plan come from."""
    yield from (f"{option}: {options[option]}" for option in PLANNED if option in options)
    late = [[each.expr for each in alerts if each.name == LATE_RECORDS] for alerts in (now, planned)]
    if late[0] != late[1]:
        yield say("late records: at most {share}", share=phrase.percent(LATE_SHARE))


def packed(prevention: Prevention) -> bytes:
    """All files in one archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in prevention.files.items():
            archive.writestr(zipfile.ZipInfo(name, MOMENT), content)
    return written.getvalue()
