"""Pages of the received alerts, and of the administrators' list of sources."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.models import Team, User
from workbench.accounts.requests import SignedInRequest
from workbench.alerts import sources as listed_sources
from workbench.alerts.mapping import EXAMPLE, FIELDS, mapping_written
from workbench.alerts.models import Alert, AlertSource
from workbench.alerts.payload import PayloadRefused, payloads
from workbench.alerts.routing import routes_written
from workbench.alerts.services import MOST_BODY_BYTES, alerts_seen_in
from workbench.alerts.sources import CLUSTER_LABEL, JOB_LABEL, SourceForm
from workbench.cases.models import Case
from workbench.clusters.models import Cluster
from workbench.languages.sentences import say
from workbench.untrusted.whole_number import whole_number

PAGE = 50


@login_required
@require_GET
def alerts(request: SignedInRequest) -> HttpResponse:
    """The alerts of the user's teams, the newest first."""
    visible = Alert.objects.visible_to(request.user).select_related("source", "cluster", "case")
    shown = {"firing": visible.firing(), "unmapped": visible.filter(case=None)}.get(
        request.GET.get("show", ""), visible
    )
    page = Paginator(shown, PAGE).get_page(request.GET.get("page"))
    readable = Case.objects.visible_to(request.user).filter(pk__in=[alert.case_id for alert in page if alert.case_id])
    context = {
        "page": page,
        "readable": set(readable.values_list("pk", flat=True)),
        "show": request.GET.get("show", ""),
        "firing": visible.firing().count(),
        "sources": AlertSource.objects.listed().count(),
    }
    return render(request, "alerts/list.html", context)


@login_required
def sources(request: SignedInRequest) -> HttpResponse:
    """Lists the sources, and adds one."""
    _administrators_only(request.user)
    errors: dict[str, Any] = {}
    if request.method == "POST":
        try:
            source, secret = listed_sources.source_add(user=request.user, form=_form(request))
            return render(request, "alerts/token.html", _connecting(request, source, secret))
        except ValidationError as error:
            errors = error.message_dict
    context = {
        "sources": AlertSource.objects.listed().select_related("team", "owner", "cluster"),
        "kinds": payloads(),
        "errors": errors,
        "form": request.POST or {"cluster_label": CLUSTER_LABEL, "job_label": JOB_LABEL},
        **_choices(),
    }
    return render(request, "alerts/sources.html", context)


@login_required
def source(request: SignedInRequest, source_id: int) -> HttpResponse:
    """One source: changes it, or shows how a pasted message would be interpreted."""
    listed = _listed(request.user, source_id)
    errors: dict[str, Any] = {}
    sample, tried, refused = payloads()[listed.kind].sample, None, ""
    if request.method == "POST" and "sample" in request.POST:
        sample = request.POST["sample"]
        try:
            tried = alerts_seen_in(listed, sample.encode()[:MOST_BODY_BYTES])
        except PayloadRefused as error:
            refused = str(error)
    elif request.method == "POST":
        try:
            listed_sources.source_change(user=request.user, source=listed, form=_form(request))
            messages.success(request, say("The source is changed."))
            return redirect(listed)
        except ValidationError as error:
            errors = error.message_dict
            listed = _listed(request.user, source_id)
    is_change = request.method == "POST" and "sample" not in request.POST
    context = {
        "source": listed,
        "kind": payloads()[listed.kind],
        "kinds": payloads(),
        "errors": errors,
        "form": request.POST if is_change else _filled(listed),
        "sample": sample,
        "tried": tried,
        "refused": refused,
        "address": _address(request, listed),
        **_choices(),
    }
    return render(request, "alerts/source.html", context)


@login_required
@require_POST
def token(request: SignedInRequest, source_id: int) -> HttpResponse:
    """Gives a source another token."""
    found = _listed(request.user, source_id)
    secret = listed_sources.source_token_renew(user=request.user, source=found)
    return render(request, "alerts/token.html", _connecting(request, found, secret))


@login_required
@require_POST
def remove(request: SignedInRequest, source_id: int) -> HttpResponse:
    """Removes a source."""
    listed_sources.source_remove(user=request.user, source=_listed(request.user, source_id))
    return redirect("alerts:sources")


def _listed(user: User, source_id: int) -> AlertSource:
    _administrators_only(user)
    return get_object_or_404(AlertSource.objects.listed().select_related("owner", "team", "cluster"), pk=source_id)


def _administrators_only(user: User) -> None:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators list sources of alerts."))


def _form(request: SignedInRequest) -> SourceForm:
    sent = request.POST
    team, owner = whole_number(sent.get("team", "")), whole_number(sent.get("owner", ""))
    return SourceForm(
        name=sent.get("name", ""),
        kind=sent.get("kind", ""),
        team=Team.objects.filter(pk=team).first() if team is not None else None,
        owner=User.objects.filter(pk=owner, is_active=True).first() if owner is not None else None,
        cluster=whole_number(sent.get("cluster", "")),
        cluster_label=sent.get("cluster_label", ""),
        job_label=sent.get("job_label", ""),
        routes=sent.get("routes", ""),
        mapping=sent.get("mapping", ""),
    )


def _filled(source: AlertSource) -> dict[str, str]:
    """The form with the source's present values."""
    return {
        "name": source.slug,
        "kind": source.kind,
        "team": str(source.team_id),
        "owner": str(source.owner_id),
        "cluster": str(source.cluster_id or ""),
        "cluster_label": source.cluster_label,
        "job_label": source.job_label,
        "routes": routes_written(source),
        "mapping": mapping_written(source.mapping),
    }


def _choices() -> dict[str, Any]:
    people = User.objects.filter(is_active=True).order_by("username")
    return {
        "teams": Team.objects.all(),
        "people": [person for person in people if person.may_change_cases],
        "clusters": Cluster.objects.listed().clusters(),
        "fields": FIELDS,
        "example": EXAMPLE,
    }


def _connecting(request: SignedInRequest, source: AlertSource, secret: str) -> dict[str, Any]:
    kind, address = payloads()[source.kind], _address(request, source)
    return {
        "source": source,
        "secret": secret,
        "kind": kind,
        "address": address,
        "connect": kind.connect.replace("{url}", address),
    }


def _address(request: SignedInRequest, source: AlertSource) -> str:
    return request.build_absolute_uri(reverse("api:alerts", args=[source.slug]))
