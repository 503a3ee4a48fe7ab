"""Follow-up actions on the page of a case."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from workbench.accounts.requests import SignedInRequest
from workbench.case_pages.forms import FollowUpForm
from workbench.cases import selectors
from workbench.cases.follow_ups import follow_up_add, follow_up_set
from workbench.languages.sentences import say


@login_required
@require_POST
def add(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Adds a follow-up for a member of the team."""
    case = selectors.case_to_change(request.user, case_id)
    form = FollowUpForm(request.POST)
    if form.is_valid():
        owner = get_object_or_404(selectors.owners_possible(case), username=form.cleaned_data["owner"])
        try:
            follow_up_add(
                case=case,
                user=request.user,
                text=form.cleaned_data["text"],
                owner=owner,
                due=form.cleaned_data["due"],
                every_days=form.cleaned_data["every_days"],
            )
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
    else:
        messages.error(
            request,
            say("An action needs a text of at most 300 letters, an owner, a day like 2026-05-14, and whole days."),
        )
    return redirect(f"{case.get_absolute_url()}#actions")


@login_required
@require_POST
def tick(request: SignedInRequest, case_id: int, follow_up_id: int) -> HttpResponse:
    """Completes or reopens a follow-up."""
    case = selectors.case_to_change(request.user, case_id)
    follow_up = get_object_or_404(case.follow_ups.select_related("case"), pk=follow_up_id)
    follow_up_set(follow_up=follow_up, user=request.user, done=request.POST.get("done") == "yes")
    return redirect(f"{case.get_absolute_url()}#actions")
