"""Pages of people and teams, for administrators: who is in which team, with which role, and who may sign in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from workbench.accounts.forms import InvitationForm, PersonForm, TeamForm
from workbench.accounts.models import Team, User
from workbench.accounts.requests import SignedInRequest
from workbench.accounts.services import (
    invitation_path,
    person_change,
    person_deactivate,
    person_invite,
    person_reactivate,
    team_change,
    team_create,
)
from workbench.languages.sentences import say

PAGE = 50
View = Callable[..., HttpResponse]


def administrators_only(view: View) -> View:
    """Refuses users who are no administrators."""

    @login_required
    @never_cache
    @wraps(view)
    def guarded(request: SignedInRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_administrator:
            raise PermissionDenied(say("Only administrators manage people and teams."))
        return view(request, *args, **kwargs)

    return guarded


@administrators_only
def people(request: SignedInRequest) -> HttpResponse:
    """The list of people; a POST invites one and shows the link to hand over."""
    form = InvitationForm(request.POST if request.method == "POST" else None)
    invited, link = None, ""
    if form.is_valid():
        invited = person_invite(**form.cleaned_data)
        link = request.build_absolute_uri(invitation_path(invited))
        form = InvitationForm()
    wanted, left = request.GET.get("q", "").strip()[:150], request.GET.get("show") == "left"
    listed = User.objects.filter(is_active=not left).prefetch_related("teams").order_by("username")
    if wanted:
        listed = listed.filter(
            Q(username__icontains=wanted) | Q(first_name__icontains=wanted) | Q(last_name__icontains=wanted)
        )
    context = {
        "page": Paginator(listed, PAGE).get_page(request.GET.get("page")),
        "wanted": wanted,
        "left": left,
        "count_left": User.objects.filter(is_active=False).count(),
        "form": form,
        "invited": invited,
        "link": link,
        "teams": Team.objects.annotate(people=Count("members", filter=Q(members__is_active=True))),
    }
    return render(request, "accounts/people.html", context)


@administrators_only
def person(request: SignedInRequest, person_id: int) -> HttpResponse:
    """One person: names, role and teams."""
    shown = get_object_or_404(User, pk=person_id)
    form = PersonForm(request.POST if request.method == "POST" else None, person=shown)
    if form.is_valid():
        try:
            person_change(person=shown, by=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error("role", error)
        else:
            messages.success(request, say("{shown} is changed.", shown=shown))
            return redirect("people:person", shown.pk)
    return render(request, "accounts/person.html", {"person": shown, "form": form})


@administrators_only
@require_POST
def invite_again(request: SignedInRequest, person_id: int) -> HttpResponse:
    """A new link with which the person sets a password, shown once."""
    shown = get_object_or_404(User, pk=person_id, is_active=True)
    link = request.build_absolute_uri(invitation_path(shown))
    return render(request, "accounts/person.html", {"person": shown, "form": PersonForm(person=shown), "link": link})


@administrators_only
@require_POST
def deactivate(request: SignedInRequest, person_id: int) -> HttpResponse:
    """Ends a person's access; what they wrote keeps their name. `back` admits the person again."""
    shown = get_object_or_404(User, pk=person_id)
    if request.POST.get("back"):
        person_reactivate(person=shown)
        messages.success(request, say("{shown} may sign in again.", shown=shown))
        return redirect("people:person", shown.pk)
    try:
        person_deactivate(person=shown, by=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, say("{shown} can no longer sign in, and the API tokens are deleted.", shown=shown))
    return redirect("people:person", shown.pk)


@administrators_only
@require_POST
def team_new(request: SignedInRequest) -> HttpResponse:
    """Creates a team."""
    form = TeamForm(request.POST)
    if form.is_valid():
        return redirect("people:team", team_create(name=form.cleaned_data["name"]).pk)
    messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
    return redirect("people:list")


@administrators_only
def team(request: SignedInRequest, team_id: int) -> HttpResponse:
    """One team: its name and its members."""
    shown = get_object_or_404(Team, pk=team_id)
    form = TeamForm(request.POST if request.method == "POST" else None, team=shown)
    if form.is_valid():
        team_change(team=shown, name=form.cleaned_data["name"], members=form.cleaned_data["members"])
        messages.success(request, say("The team {shown} is changed.", shown=shown))
        return redirect("people:team", shown.pk)
    return render(request, "accounts/team.html", {"team": shown, "form": form})


class Invitation(auth.PasswordResetConfirmView):
    """A person who was invited chooses a password. The link works once, for three days."""

    template_name = "accounts/invitation.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, say("The password is set. Sign in with it."))
        return super().form_valid(form)
