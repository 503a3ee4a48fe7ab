"""Pages of the history: statistics, objectives, fleet and merging."""

from __future__ import annotations

import math

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.requests import SignedInRequest
from workbench.cases.selectors import case_to_change
from workbench.history.fleet import HEIGHT, WIDTH, as_csv, as_values, fleet
from workbench.history.merging import case_merge, case_unmerge
from workbench.history.objectives import USUAL_FAILED_SHARE, USUAL_LATENCY_MS, objective_set, team_objectives
from workbench.history.statistics import PERIODS, statistics
from workbench.languages.sentences import say
from workbench.untrusted.whole_number import whole_number

MOST_DIGITS = 20
"""Characters of a number that are read. Our choice: no objective is longer."""


@login_required
@require_GET
def numbers(request: SignedInRequest) -> HttpResponse:
    """Causes and their shares over time, times to diagnosis and to repair, recurring jobs."""
    period = request.GET.get("days", "")
    period = period if period in PERIODS else ""
    numbers = statistics(request.user, int(period) if period else None)
    most = max((count for cause in numbers.causes for count in cause.spans), default=0)
    context = {
        "numbers": numbers,
        "periods": PERIODS,
        "period": period,
        "most": most,
        "objectives": team_objectives(request.user, int(period) if period else None),
        "usual_failed_percent": USUAL_FAILED_SHARE * 100,
        "usual_latency_ms": USUAL_LATENCY_MS,
    }
    return render(request, "history/numbers.html", context)


@login_required
@require_POST
def objective(request: SignedInRequest, team_id: int) -> HttpResponse:
    """Sets what a team wants of its jobs: by a member who may change its cases."""
    team = get_object_or_404(request.user.teams, pk=team_id)
    if not request.user.may_change_cases:
        raise PermissionDenied(say("Your role may read cases, not set objectives."))
    try:
        failed, latency = (_number(request.POST.get(name, "")) for name in ("failed_percent", "latency_ms"))
        share = failed / 100 if failed is not None else None
        objective_set(team=team, user=request.user, failed_share=share, latency_ms=latency)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect(f"{reverse('history:numbers')}#objectives")


def _number(written: str) -> float | None:
    """A number as people write it; None for an empty field. Raises ValidationError for anything else."""
    if not written.strip():
        return None
    try:
        number = float(written[:MOST_DIGITS])
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValidationError(say("An objective is a number; an empty field removes it."))
    return number


@login_required
@require_GET
def jobs(request: SignedInRequest) -> HttpResponse:
    """The health of every job, with its trend over the cases."""
    return render(request, "history/jobs.html", {"jobs": fleet(request.user), "width": WIDTH, "height": HEIGHT})


@login_required
@require_GET
def jobs_file(request: SignedInRequest, form: str) -> HttpResponse:
    """The same as a file for a report: csv or json."""
    found = fleet(request.user)
    if form == "csv":
        answer = HttpResponse(as_csv(found), content_type="text/csv; charset=utf-8")
    elif form == "json":
        answer = JsonResponse({"schema": 1, "jobs": as_values(found)})
    else:
        raise Http404(say("The jobs come as csv or json."))
    answer.headers["Content-Disposition"] = f'attachment; filename="jobs.{form}"'
    return answer


@login_required
@require_POST
def merge(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Merges the case into another one."""
    case = case_to_change(request.user, case_id)
    number = request.POST.get("into", "").strip().removeprefix("#")
    try:
        into_id = whole_number(number)
        if into_id is None:
            raise ValidationError(say("Name the other case by its number."))
        into = case_to_change(request.user, into_id)
        case_merge(case=case, into=into, user=request.user)
    except Http404:
        messages.error(request, say("There is no case {number} in your teams.", number=number))
        return redirect(case)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect(case)
    messages.success(request, say("Case {pk} is part of this case now.", pk=case.pk))
    return redirect(into)


@login_required
@require_POST
def unmerge(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Separates a merged case."""
    case = case_to_change(request.user, case_id)
    case_unmerge(case=case, user=request.user)
    return redirect(case)
