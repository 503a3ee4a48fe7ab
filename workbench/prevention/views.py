"""The pages of the alerts and the dashboard of a case, and of an alert made from one of its charts."""

from __future__ import annotations

import math

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from diagnostics.charts import CHARTS
from diagnostics.prevention.alert import BACK_PRESSURE_MS, MINUTE
from diagnostics.prevention.chart_alert import MOST_MINUTES
from workbench.accounts.models import User
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.cases.selectors import case_visible
from workbench.languages.sentences import say
from workbench.prevention.exports import Prevention, chart_alert_of, job_choice, packed, prevention_of
from workbench.untrusted.whole_number import whole_number

USUAL_MINUTES = BACK_PRESSURE_MS // MINUTE
"""What lasts as long is no burst."""


@login_required
@require_GET
def detail(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Every alert with its reason, and the files; of the worst job, or of that in the address."""
    case, prevention = _prevention(request, case_id)
    return render(request, "prevention/detail.html", {"case": case, "prevention": prevention})


@login_required
@require_GET
def file(request: SignedInRequest, case_id: int, name: str) -> HttpResponse:
    """One of the files."""
    _, prevention = _prevention(request, case_id)
    if name not in prevention.files:
        raise Http404(say("There is no such file."))
    return _download(prevention.files[name].encode(), name)


@login_required
@require_GET
def archive(request: SignedInRequest, case_id: int) -> HttpResponse:
    """All files in one archive."""
    case, prevention = _prevention(request, case_id)
    return _download(packed(prevention), f"case-{case.pk}-prevention.zip")


@login_required
@require_GET
def chart(request: SignedInRequest, case_id: int, chart_id: str) -> HttpResponse:
    """An alert from one chart, with the proposed bound or that in the address; `file` downloads one of its files."""
    case, analysis = _diagnosis(request.user, case_id)
    sent = request.GET
    minutes = whole_number(sent.get("minutes", ""))
    made = CHARTS.get(chart_id)
    shown = made and chart_alert_of(
        analysis,
        made,
        job_choice(analysis, sent.get("job", "")),
        chosen=whole_number(sent.get("query", "")) or 0,
        bound=_bound(sent.get("bound", "")),
        minutes=min(minutes, MOST_MINUTES) if minutes is not None else USUAL_MINUTES,
    )
    if not shown:
        raise Http404(say("No alert can be made from this chart."))
    if (name := sent.get("file", "")) in shown.files:
        return _download(shown.files[name].encode(), name)
    return render(request, "prevention/chart.html", {"case": case, "shown": shown})


def _bound(text: str) -> float | None:
    """The number that was entered; None for none and for what is none."""
    try:
        bound = float(text[:40])
    except ValueError:
        return None
    return bound if math.isfinite(bound) else None


def _prevention(request: SignedInRequest, case_id: int) -> tuple[Case, Prevention]:
    case, analysis = _diagnosis(request.user, case_id)
    return case, prevention_of(analysis, job_choice(analysis, request.GET.get("job", "")))


def _diagnosis(user: User, case_id: int) -> tuple[Case, Analysis]:
    """The case and the diagnosis of its incident. Raises Http404."""
    case = case_visible(user, case_id)
    done = Analysis.objects.done().filter(case=case).defer("inputs").select_related("case")
    analysis = done.filter(snapshot=1).first() or done.first()
    if analysis is None:
        raise Http404(say("There is no diagnosis to make alerts from."))
    return case, analysis


def _download(content: bytes, name: str) -> HttpResponse:
    answer = HttpResponse(content, content_type="application/octet-stream")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
