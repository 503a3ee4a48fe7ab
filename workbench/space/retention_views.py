"""The page on which administrators set retention and legal hold of each team."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.models import Team
from workbench.accounts.requests import SignedInRequest
from workbench.cases.holds import hold_lift, hold_place, retention_set
from workbench.cases.models import LONGEST_HOLD_REASON, LegalHold, Retention
from workbench.languages.sentences import say
from workbench.untrusted.whole_number import whole_number

MOST_DAYS = 36_500


@login_required
@require_GET
def retention(request: SignedInRequest) -> HttpResponse:
    """Each team with its days and its hold, and the holds that were lifted."""
    _administrators_only(request)
    days = {row.team_id: row for row in Retention.objects.select_related("by")}
    holds = {hold.team_id: hold for hold in LegalHold.objects.in_force().select_related("by")}
    context = {
        "teams": [(team, days.get(team.pk), holds.get(team.pk)) for team in Team.objects.all()],
        "usual": settings.KEEP_EVIDENCE_DAYS,
        "lifted": LegalHold.objects.exclude(lifted_at=None).select_related("team", "by", "lifted_by")[:50],
        "longest": LONGEST_HOLD_REASON,
        "most": MOST_DAYS,
    }
    return render(request, "space/retention.html", context)


@login_required
@require_POST
def retention_change(request: SignedInRequest, team_id: int) -> HttpResponse:
    """Sets the days of a team (`days`), places a hold (`hold`) or lifts it (`lift`)."""
    _administrators_only(request)
    team = get_object_or_404(Team, pk=team_id)
    what = request.POST.get("what")
    if what == "days":
        _set_days(request, team)
    elif what == "hold":
        reason = request.POST.get("reason", "").replace("\x00", "").strip()
        if not reason or len(reason) > LONGEST_HOLD_REASON:
            messages.error(
                request,
                say("State why, in up to {most} letters.", most=LONGEST_HOLD_REASON),
            )
        else:
            hold_place(team=team, user=request.user, reason=reason)
            messages.success(request, say("Team {team} is under legal hold: nothing of it is deleted.", team=team))
    elif what == "lift" and hold_lift(team=team, user=request.user):
        messages.success(request, say("The legal hold of team {team} is lifted.", team=team))
    return redirect("space:retention")


def _set_days(request: SignedInRequest, team: Team) -> None:
    written = request.POST.get("days", "").strip()
    days = whole_number(written) if written else None
    if written and (days is None or days > MOST_DAYS):
        messages.error(request, say("Days are a whole number up to {most:,}; 0 keeps files for ever.", most=MOST_DAYS))
        return
    retention_set(team=team, user=request.user, days=days)
    messages.success(request, say("The retention of team {team} counts from now on.", team=team))


def _administrators_only(request: SignedInRequest) -> None:
    if not request.user.is_administrator:
        raise PermissionDenied(say("Only administrators set retention and legal hold."))
