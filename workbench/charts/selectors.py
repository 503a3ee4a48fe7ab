"""Reads the stored chart points of an analysis, optionally of one job."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404

from diagnostics.charting.chart import Chart, Choice
from diagnostics.charts import CHARTS, end_to_end_latency, metrics
from diagnostics.diagnosis.fingerprint import worst_job
from diagnostics.diagnosis.job_names import with_job_name
from diagnostics.log_book.comparing import changed_patterns
from diagnostics.profiles.changing import changed_frames
from diagnostics.symptoms import symptom
from workbench.accounts.models import User
from workbench.analyses.log_books import log_book_of
from workbench.analyses.models import Analysis, ChartPoints
from workbench.analyses.selectors import analysis_visible
from workbench.history.models import Objective
from workbench.languages.sentences import say
from workbench.profiles.selectors import has_stacks, profiles_stored


@dataclass(frozen=True, slots=True)
class ChartShown:
    """A chart that has points, with its choices."""

    chart: Chart
    summary: str
    choices: Sequence[Choice]


MOST_KEY_CHARTS = 2
"""Charts beside the verdict. Our choice: two fit side by side below it on one screen."""
BY_JOB = ("jobs", "series")
"""Names of the lists of points that each have a `job_id`: one entry for a job, or many series."""
GENERAL_CHARTS = ("job-graph", "log-volume", "checkpoint-history")
"""Charts beside a verdict whose class names none with data, as an inconclusive one."""

Span = tuple[int, int] | None
"""First and last epoch ms of all charts over time."""


def chart_points(
    user: User, analysis_id: int, chart_id: str, job: str | None, chosen: str | None = None
) -> tuple[Chart, Mapping[str, Any] | None]:
    """The chart and its points, None when they contain nothing of that job.

    Raises Http404 for a stranger, an unknown chart, and one without points.
    """
    analysis = analysis_visible(user, analysis_id)
    chart = CHARTS.get(chart_id)
    if chart is None:
        raise Http404(say("There is no such chart."))
    row = get_object_or_404(ChartPoints, analysis=analysis, chart_id=chart_id)
    points = points_of_job({**row.points, **_targets(analysis, chart_id)}, job)
    return chart, {**points, "chosen": chosen} if points and chosen else points


def _targets(analysis: Analysis, chart_id: str) -> Mapping[str, float]:
    """What the team's objective adds to the points of a chart."""
    if chart_id != end_to_end_latency.CHART.id:
        return {}
    objective = Objective.objects.filter(team=analysis.case.team_id).first()
    return {"target_ms": objective.latency_ms} if objective and objective.latency_ms is not None else {}


def points_of_job(points: Mapping[str, Any], job: str | None) -> Mapping[str, Any] | None:
    """The points of one job, and those of no job; all of them without a job, or when they are not separated by job."""
    separated = next((name for name in BY_JOB if name in points), None)
    if not job or separated is None:
        return points
    chosen = [each for each in points[separated] if each["job_id"] in (job, None)]
    return {**points, separated: chosen} if chosen else None


def stretch(text: str) -> tuple[int, int] | None:
    """`from/to` in ISO 8601 with a zone as epoch ms; None for anything else."""
    try:
        moments = [dt.datetime.fromisoformat(part) for part in text.split("/")]
    except ValueError:
        return None
    if len(moments) != 2 or any(moment.tzinfo is None for moment in moments):
        return None
    first, last = (round(moment.timestamp() * 1000) for moment in moments)
    return (first, last) if first < last else None


def stretch_shown(asked: Mapping[str, Any]) -> tuple[int, int] | None:
    """The time range in an address, `from` and `to`; None for the whole time."""
    return stretch(f"{asked.get('from', '')}/{asked.get('to', '')}")


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between two time ranges, the largest first in each list.

    samples  title of the sampled stacks of the frames; None when one of the ranges has no dated samples
    logged   whether log records are kept
    """

    metrics: Sequence[Mapping[str, Any]]
    patterns: Sequence[Mapping[str, Any]]
    frames: Sequence[Mapping[str, Any]]
    samples: str | None
    logged: bool


def changes_between(
    user: User, analysis_id: int, normal: tuple[int, int], bad: tuple[int, int]
) -> tuple[Analysis, Changes]:
    """The analysis and the differences between two time ranges. Raises Http404 for a stranger, SearchTooSlow."""
    analysis = analysis_visible(user, analysis_id)
    row = ChartPoints.objects.filter(analysis=analysis, chart_id=metrics.CHART.id).first()
    book = log_book_of(analysis)
    samples, frames = changed_frames(profiles_stored(analysis), normal, bad) if has_stacks(analysis) else (None, [])
    return analysis, Changes(
        metrics=metrics.changed(row.points, normal, bad) if row else [],
        patterns=changed_patterns(book, normal, bad) if book else [],
        frames=frames,
        samples=samples,
        logged=book is not None,
    )


def _only_job(points: Mapping[str, Any]) -> str | None:
    """The name of the job that the points are about; None where they are about several, or about none."""
    names = {each.get("name") or each.get("job") for each in points.get("jobs") or points.get("checkpoints") or ()}
    return names.pop() if len(names) == 1 else None


def _summary_subject(
    chart: Chart, points: Mapping[str, Any], worst: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any], str]:
    """What a summary is about in a case of several jobs, and the job that it has to name: of series, which know no name
    of their job, and of a chart that shows one thing of all, what is of the job of the verdict.
    """
    if worst is None or not ("series" in points or chart.choices(points)):
        return points, _only_job(points) or ""
    of_worst = points_of_job(points, worst["job_id"])
    separated = next((name for name in BY_JOB if name in points), None)
    is_of_it = of_worst is not None and separated is not None and any(each["job_id"] for each in of_worst[separated])
    if of_worst is None or not is_of_it:
        return points, _only_job(points) or ""
    return of_worst, worst["name"] or worst["job_id"]


def charts_shown(analysis: Analysis) -> tuple[list[ChartShown], list[Chart], Span]:
    """The charts with points in page order, those without, and the time range of the points.

    Points stored by an earlier version of a chart that are no longer readable count as none. In a case of several jobs
    the summary of a chart that is about one of them names it.
    """
    stored = {row.chart_id: row.points for row in analysis.charts.all()}
    document = analysis.document or {}
    several = len(document.get("jobs", ())) > 1
    worst = worst_job(document) if several else None
    drawn, empty = [], []
    spans: list[tuple[int, int]] = []
    for chart in CHARTS.values():
        try:
            points = stored[chart.id]
            summarised, name = _summary_subject(chart, points, worst) if several else (points, "")
            summary = chart.summary(summarised)
            said = summary if f" · {name}" in summary else with_job_name(name, summary)
            drawn.append(ChartShown(chart, said, chart.choices(points)))
            if chart.axis == "time":
                spans.append((points["from_ms"], points["to_ms"]))
        except (LookupError, TypeError, ValueError, ArithmeticError):
            drawn = [each for each in drawn if each.chart is not chart]
            empty.append(chart)
    span = (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None
    return drawn, empty, span


def key_charts(drawn: Sequence[ChartShown], document: Mapping[str, Any]) -> list[ChartShown]:
    """Of the charts with points those that show the leading finding, or else its class, best, the clearest first."""
    by_id = {each.chart.id: each for each in drawn}
    verdict = symptom(document["verdict"]["symptom_class"])
    lead = next((each["rule"]["id"] for each in document["findings"] if each["role"] == "root_cause"), "")
    of_rule = [by_id[chart_id] for chart_id in verdict.charts_of_rules.get(lead, ()) if chart_id in by_id]
    of_class = of_rule or [by_id[chart_id] for chart_id in verdict.charts if chart_id in by_id]
    return (of_class or [by_id[chart_id] for chart_id in GENERAL_CHARTS if chart_id in by_id])[:MOST_KEY_CHARTS]
