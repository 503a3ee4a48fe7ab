"""The page of the alerts and the dashboard of a case."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from workbench.accounts.models import User
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.cases.selectors import case_visible
from workbench.prevention.exports import Prevention, packed, prevention_of


@login_required
@require_GET
def detail(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Every alert with its reason, and the files."""
    case, prevention = _prevention(request.user, case_id)
    return render(request, "prevention/detail.html", {"case": case, "prevention": prevention})


@login_required
@require_GET
def file(request: SignedInRequest, case_id: int, name: str) -> HttpResponse:
    """One of the files."""
    _, prevention = _prevention(request.user, case_id)
    if name not in prevention.files:
        raise Http404("There is no such file.")
    return _download(prevention.files[name].encode(), name)


@login_required
@require_GET
def archive(request: SignedInRequest, case_id: int) -> HttpResponse:
    """All files in one archive."""
    case, prevention = _prevention(request.user, case_id)
    return _download(packed(prevention), f"case-{case.pk}-prevention.zip")


def _prevention(user: User, case_id: int) -> tuple[Case, Prevention]:
    case = case_visible(user, case_id)
    done = Analysis.objects.done().filter(case=case).defer("inputs").select_related("case")
    analysis = done.filter(snapshot=1).first() or done.first()
    if analysis is None:
        raise Http404("There is no diagnosis to make alerts from.")
    return case, prevention_of(analysis)


def _download(content: bytes, name: str) -> HttpResponse:
    answer = HttpResponse(content, content_type="application/octet-stream")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
