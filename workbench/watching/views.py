"""The fleet, one job over its checks and cases, and the administrators' page of a watch."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.models import Team, User
from workbench.accounts.requests import SignedInRequest
from workbench.cases.holds import OnHold
from workbench.cases.models import Case
from workbench.clusters.models import Cluster
from workbench.languages.sentences import say
from workbench.untrusted.whole_number import whole_number
from workbench.watching import services
from workbench.watching.drawing import courses_of
from workbench.watching.fleet import cases_about, fleet_rows, verdicts_about, watches_of
from workbench.watching.models import Every, Level, Watch, WatchedJob
from workbench.watching.services import WatchForm

PAGE = 100
CASES_SHOWN = 20
CHECKS_DRAWN = 2_000
CHECKS_LISTED = 30


@login_required
@require_GET
def fleet(request: SignedInRequest) -> HttpResponse:
    """All jobs of watched clusters, the worst first."""
    rows = fleet_rows(request.user)
    known = [row.job for row in rows if not row.job.is_unknown]
    counts = {level.value: sum(job.level == level for job in known) for level in Level}
    unwatched = Cluster.objects.offered_to(request.user).clusters().filter(watch=None)
    context = {
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "counts": {**counts, "unknown": len(rows) - len(known)},
        "watches": watches_of(request.user),
        "unwatched": unwatched,
    }
    return render(request, "watching/fleet.html", context)


@login_required
@require_GET
def job(request: SignedInRequest, job_id: int) -> HttpResponse:
    """One job: its level, measures over time, warnings, cases and last checks."""
    visible = WatchedJob.objects.visible_to(request.user).select_related("watch__cluster", "watch__team")
    watched = get_object_or_404(visible, pk=job_id)
    checks = list(watched.checks.order_by("-at")[:CHECKS_DRAWN])[::-1]
    readable = Case.objects.visible_to(request.user)
    cases = cases_about(request.user, watched).order_by("-created_at")[:CASES_SHOWN]
    context = {
        "job": watched,
        "courses": courses_of(watched, checks),
        "checks": checks[: -CHECKS_LISTED - 1 : -1],
        "warnings": watched.warnings.select_related("case")[:CASES_SHOWN],
        "readable": set(readable.filter(pk__in=watched.warnings.values("case")).values_list("pk", flat=True)),
        "cases": verdicts_about(watched, cases),
    }
    return render(request, "watching/job.html", context)


@login_required
def watch(request: SignedInRequest, cluster_id: int) -> HttpResponse:
    """How a cluster is watched; begins to watch it, or changes how."""
    cluster = _cluster(request.user, cluster_id)
    watched = Watch.objects.filter(cluster=cluster).first()
    errors: dict[str, Any] = {}
    if request.method == "POST":
        try:
            services.watch_save(user=request.user, cluster=cluster, form=_form(request))
            messages.success(
                request, say("{name} is watched; the first check runs within a minute.", name=cluster.name)
            )
            return redirect("watching:fleet")
        except ValidationError as error:
            errors = error.message_dict
    people = User.objects.filter(is_active=True).order_by("username")
    context = {
        "cluster": cluster,
        "watch": watched,
        "errors": errors,
        "form": request.POST if request.method == "POST" else _filled(watched, cluster, request.user),
        "periods": Every.choices,
        "teams": Team.objects.all(),
        "people": [person for person in people if person.may_change_cases],
    }
    return render(request, "watching/watch.html", context)


@login_required
@require_POST
def end(request: SignedInRequest, cluster_id: int) -> HttpResponse:
    """Ends a watch."""
    watched = get_object_or_404(Watch, cluster=_cluster(request.user, cluster_id))
    try:
        services.watch_end(user=request.user, watch=watched)
        messages.success(request, say("{cluster} is not watched any more.", cluster=watched.cluster))
    except OnHold as error:
        messages.error(request, str(error))
    return redirect("watching:fleet")


def _cluster(user: User, cluster_id: int) -> Cluster:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators decide which clusters are watched."))
    return get_object_or_404(Cluster.objects.listed().clusters(), pk=cluster_id)


def _form(request: SignedInRequest) -> WatchForm:
    sent = request.POST
    team, owner = whole_number(sent.get("team", "")), whole_number(sent.get("owner", ""))
    return WatchForm(
        every=whole_number(sent.get("every", "")) or 0,
        team=Team.objects.filter(pk=team).first() if team is not None else None,
        owner=User.objects.filter(pk=owner, is_active=True).first() if owner is not None else None,
        opens_cases=sent.get("opens_cases") == "1",
        state_limit_mb=sent.get("state_limit_mb", ""),
    )


def _filled(watched: Watch | None, cluster: Cluster, user: User) -> dict[str, str]:
    """The form with the present values, or the usual ones."""
    if watched is None:
        return {"every": str(Every.FIFTEEN.value), "team": str(cluster.team_id or ""), "owner": str(user.pk)}
    return {
        "every": str(watched.every),
        "team": str(watched.team_id),
        "owner": str(watched.owner_id),
        "opens_cases": "1" if watched.opens_cases else "",
        "state_limit_mb": str(watched.state_limit_mb or ""),
    }
