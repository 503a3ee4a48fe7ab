"""Charts as JSON for the browser, as a table, and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from diagnostics.charting.chart import Chart, Theme
from diagnostics.language import joined_sentences
from diagnostics.log_book.finding import SearchTooSlow
from workbench.accounts.requests import SignedInRequest
from workbench.charts.rows import EPOCH, readable, rows_sorted, rows_within
from workbench.charts.selectors import changes_between, chart_points, stretch, stretch_shown
from workbench.languages.sentences import say
from workbench.untrusted.csv_cell import harmless_cell

MOST_ROWS = 500
"""Rows of a data table on the page; the CSV file has all."""

MOST_CHANGES = 20
"""Rows of each list of differences."""


def _nothing_of_job(chart: Chart) -> str:
    """Why the chart of a job is empty although that of another is not: how much it needs, as plain text."""
    needed = chart.read_missing.replace("`", "")
    return joined_sentences((say("The chosen job has too little of this for the chart."), needed))


def _asked(request: SignedInRequest, analysis_id: int, chart_id: str) -> tuple[Chart, Mapping[str, Any] | None]:
    return chart_points(request.user, analysis_id, chart_id, request.GET.get("job"), request.GET.get("chosen"))


@login_required
@require_GET
@cache_control(private=True, max_age=3600)
def figure(request: SignedInRequest, analysis_id: int, chart_id: str) -> JsonResponse:
    """The figure in the requested theme (`light` or `dark`), for one job or for all; `narrow` is for a phone."""
    chart, points = _asked(request, analysis_id, chart_id)
    if points is None:
        return JsonResponse({"figure": None, "summary": _nothing_of_job(chart), "axis": chart.axis})
    if request.GET.get("narrow"):
        points = {**points, "narrow": True}
    theme = Theme("dark" if request.GET.get("theme") == "dark" else "light")
    return JsonResponse(
        {"figure": chart.figure(points, theme), "summary": chart.summary(points), "axis": chart.axis},
        json_dumps_params={"separators": (",", ":")},
    )


@login_required
@require_GET
def table(request: SignedInRequest, analysis_id: int, chart_id: str) -> HttpResponse:
    """The chart's numbers in the time range (`from`, `to`) as a table, a page fragment; `sort` orders it."""
    chart, points = _asked(request, analysis_id, chart_id)
    header, *every = chart.table(points) if points else [[_nothing_of_job(chart)]]
    told = rows_within(header, every, stretch_shown(request.GET))
    rows, column, is_down = rows_sorted(header, told, request.GET.get("sort", ""))
    context = {
        "header": [name.replace(EPOCH, "(UTC)") for name in header],
        "rows": [readable(header, row) for row in rows[:MOST_ROWS]],
        "more": max(len(rows) - MOST_ROWS, 0),
        "outside": len(every) - len(rows),
        "sorted": column,
        "direction": "descending" if is_down else "ascending",
        "title": chart.read_title,
    }
    return render(request, "charts/_table.html", context)


@login_required
@require_GET
def changes(request: SignedInRequest, analysis_id: int) -> HttpResponse:
    """The largest differences between the ranges `normal` and `bad` (each `from/to`), a page fragment."""
    normal, bad = (stretch(request.GET.get(name, "")) for name in ("normal", "bad"))
    if normal is None or bad is None:
        return HttpResponseBadRequest(say("normal and bad are two times each, from/to in ISO 8601."))
    try:
        analysis, found = changes_between(request.user, analysis_id, normal, bad)
    except SearchTooSlow as error:
        return HttpResponseBadRequest(str(error))
    context = {"analysis": analysis, "found": found, "most": MOST_CHANGES}
    return render(request, "charts/_changes.html", context)


@login_required
@require_GET
def csv_file(request: SignedInRequest, analysis_id: int, chart_id: str) -> HttpResponse:
    """All of the chart's numbers in the time range (`from`, `to`)."""
    chart, points = _asked(request, analysis_id, chart_id)
    header, *rows = chart.table(points) if points else [[]]
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{chart.id}-analysis-{analysis_id}.csv"'
    writer = csv.writer(answer)
    for row in [header, *rows_within(header, rows, stretch_shown(request.GET))]:
        writer.writerow([harmless_cell(cell) for cell in row])
    return answer


@login_required
@require_GET
def json_file(request: SignedInRequest, analysis_id: int, chart_id: str) -> JsonResponse:
    """The numbers of the CSV file as JSON: title, summary, columns, and rows of text and numbers."""
    chart, points = _asked(request, analysis_id, chart_id)
    header, *rows = chart.table(points) if points else [[]]
    content = {
        "schema": 1,
        "chart": chart.id,
        "title": chart.read_title,
        "analysis": analysis_id,
        "summary": chart.summary(points) if points else _nothing_of_job(chart),
        "columns": header,
        "rows": rows_within(header, rows, stretch_shown(request.GET)),
    }
    answer = JsonResponse(content, encoder=DjangoJSONEncoder)
    answer.headers["Content-Disposition"] = f'attachment; filename="{chart.id}-analysis-{analysis_id}.json"'
    return answer
