"""The page of one job over the cases about it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from workbench.accounts.requests import SignedInRequest
from workbench.case_pages.job_courses import MOST_CASES, job_over_cases
from workbench.untrusted.storable import storable


@login_required
@require_GET
def job(request: SignedInRequest) -> HttpResponse:
    """What each of the user's cases measured of the job that `name` names."""
    name = storable(request.GET.get("name", ""))
    shown = job_over_cases(request.user, name)
    return render(request, "case_pages/job.html", {"name": name, "shown": shown, "most": MOST_CASES})
