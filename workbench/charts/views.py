"""Charts as JSON for the browser, as a table, and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from diagnostics.chart import Chart, Theme
from diagnostics.document import timestamp
from workbench.charts.selectors import chart_points, metric_changes, stretch

MOST_ROWS = 500
"""Rows of a data table on the page; the CSV file has all."""

MOST_CHANGES = 20
"""Rows of the list of what changed."""

EPOCH = "(UTC, epoch ms)"
"""How the head of a column ends that holds epoch milliseconds; the CSV file keeps them."""

NOTHING_OF_JOB = "The files hold nothing of this for the chosen job."


def _asked(request: HttpRequest, analysis_id: int, chart_id: str) -> tuple[Chart, Mapping[str, Any] | None]:
    return chart_points(request.user, analysis_id, chart_id, request.GET.get("job"), request.GET.get("chosen"))


@login_required
@require_GET
@cache_control(private=True, max_age=3600)
def figure(request: HttpRequest, analysis_id: int, chart_id: str) -> JsonResponse:
    """The figure in the asked theme (`light` or `dark`), for one job or for all."""
    chart, points = _asked(request, analysis_id, chart_id)
    if points is None:
        return JsonResponse({"figure": None, "summary": NOTHING_OF_JOB, "axis": chart.axis})
    theme = Theme("dark" if request.GET.get("theme") == "dark" else "light")
    return JsonResponse(
        {"figure": chart.figure(points, theme), "summary": chart.summary(points), "axis": chart.axis},
        json_dumps_params={"separators": (",", ":")},
    )


@login_required
@require_GET
def table(request: HttpRequest, analysis_id: int, chart_id: str) -> HttpResponse:
    """The chart's numbers as a table, a fragment of the page."""
    chart, points = _asked(request, analysis_id, chart_id)
    header, *rows = chart.table(points) if points else [[NOTHING_OF_JOB]]
    context = {
        "header": [name.replace(EPOCH, "(UTC)") for name in header],
        "rows": [_with_times(header, row) for row in rows[:MOST_ROWS]],
        "more": max(len(rows) - MOST_ROWS, 0),
        "title": chart.title,
    }
    return render(request, "charts/_table.html", context)


def _with_times(header: Sequence[str], row: Sequence[Any]) -> list[Any]:
    """The row with its epoch milliseconds as people read them."""
    return [
        timestamp(round(cell)) if EPOCH in name and cell is not None else cell
        for name, cell in zip(header, row, strict=True)
    ]


@login_required
@require_GET
def changes(request: HttpRequest, analysis_id: int) -> HttpResponse:
    """What differs most between the stretches `normal` and `bad` (each `from/to`), a fragment of the page."""
    normal, bad = (stretch(request.GET.get(name, "")) for name in ("normal", "bad"))
    if normal is None or bad is None:
        return HttpResponseBadRequest("normal and bad are two times each, from/to in ISO 8601.")
    analysis, rows = metric_changes(request.user, analysis_id, normal, bad)
    context = {"analysis": analysis, "rows": rows[:MOST_CHANGES], "known": len(rows)}
    return render(request, "charts/_changes.html", context)


@login_required
@require_GET
def csv_file(request: HttpRequest, analysis_id: int, chart_id: str) -> HttpResponse:
    """All of the chart's numbers."""
    chart, points = _asked(request, analysis_id, chart_id)
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{chart.id}-analysis-{analysis_id}.csv"'
    writer = csv.writer(answer)
    for row in chart.table(points) if points else ():
        writer.writerow([_harmless(cell) for cell in row])
    return answer


def _harmless(cell: Any) -> Any:
    """Text that a spreadsheet would take for a formula gets a quote in front: it may come from an uploaded file."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
