"""Leads from two cases to the comparison of their newest diagnoses."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from workbench.accounts.models import User
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import Analysis
from workbench.cases.selectors import case_visible
from workbench.languages.sentences import say
from workbench.untrusted.whole_number import whole_number


@login_required
@require_GET
def compare(request: SignedInRequest) -> HttpResponse:
    """Compares the cases `first` and `second`; the one that was opened earlier comes first."""
    try:
        pair = [_diagnosed(request.user, request.GET.get(name, "")) for name in ("first", "second")]
    except Http404 as error:
        messages.error(request, str(error))
        return redirect("cases:list")
    if pair[0].case_id == pair[1].case_id:
        messages.error(request, say("Choose two different cases."))
        return redirect(pair[0].case)
    before, after = sorted(pair, key=lambda analysis: analysis.case.created_at)
    return redirect("runbooks:proof", before.pk, after.pk)


def _diagnosed(user: User, written: str) -> Analysis:
    """The newest diagnosis of the case. Raises Http404 with a sentence for the user."""
    number = whole_number(written.strip().removeprefix("#"))
    missing = Http404(say("Name two cases of your teams by their numbers; both have to be diagnosed."))
    if number is None:
        raise missing
    try:
        case = case_visible(user, number)
    except Http404:
        raise missing from None
    analysis = case.analyses.done().light().select_related("case").first()
    if analysis is None:
        raise missing
    return analysis
