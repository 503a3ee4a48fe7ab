"""Starts snapshots of a case, and states from when on evidence counts in the newest one."""

from __future__ import annotations

import datetime as dt

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from workbench.accounts.requests import SignedInRequest
from workbench.analyses.services import NothingToAnalyse, analysis_request
from workbench.cases import selectors, services
from workbench.languages.sentences import say


@login_required
@require_POST
def start(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Starts a new snapshot and redirects to its drop zone."""
    case = selectors.case_to_change(request.user, case_id)
    try:
        begins_at = _moment(request.POST.get("begins_at", ""))
        services.snapshot_start(
            case=case, user=request.user, change=request.POST.get("change", ""), begins_at=begins_at
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect(case)
    return redirect("cases:files", case.pk)


@login_required
@require_POST
def begin(request: SignedInRequest, case_id: int) -> HttpResponse:
    """States from when on evidence counts in the newest snapshot, and has it diagnosed again."""
    case = selectors.case_to_change(request.user, case_id)
    try:
        services.snapshot_begin(case=case, begins_at=_moment(request.POST.get("begins_at", "")))
        analysis_request(case=case, user=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except NothingToAnalyse as error:
        messages.info(request, str(error))
    return redirect(case)


def _moment(typed: str) -> dt.datetime | None:
    """A moment in UTC, None for nothing. Raises ValidationError."""
    if not typed.strip():
        return None
    try:
        return dt.datetime.fromisoformat(typed.strip()).replace(tzinfo=dt.UTC)
    except ValueError:
        raise ValidationError({"begins_at": say("State the time as 2026-11-24 10:30, in UTC.")}) from None
