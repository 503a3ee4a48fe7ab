"""The administrators' list of clusters, and the progress of a collection."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.models import Team
from workbench.accounts.requests import SignedInRequest
from workbench.cases.models import Case
from workbench.cases.selectors import case_to_change
from workbench.clusters import services
from workbench.clusters.address import AddressRefused
from workbench.clusters.login import KINDS
from workbench.clusters.models import Cluster, ClusterQuerySet, Collection, CollectionStatus, Serves
from workbench.languages.sentences import say, say_stored
from workbench.untrusted.whole_number import whole_number


@login_required
def clusters(request: SignedInRequest) -> HttpResponse:
    """Lists the clusters, or adds one."""
    if not request.user.is_administrator:
        raise PermissionDenied(say("Only administrators list clusters."))
    errors: dict[str, Any] = {}
    if request.method == "POST":
        team = whole_number(request.POST.get("team", ""))
        try:
            services.cluster_add(
                user=request.user,
                name=request.POST.get("name", ""),
                url=request.POST.get("url", ""),
                serves=request.POST.get("serves", Serves.REST),
                team=get_object_or_404(Team, pk=team) if team is not None else None,
                special_allowed=request.POST.get("special") == "1",
                login=(
                    request.POST.get("login", ""),
                    request.POST.get("login_user", ""),
                    request.POST.get("login_secret", ""),
                ),
                metrics_server=_chosen(Cluster.objects.listed().prometheus(), request.POST.get("metrics_server", "")),
                selector=request.POST.get("selector", ""),
                log_store=_chosen(Cluster.objects.listed().log_stores(), request.POST.get("log_store", "")),
                log_selector=request.POST.get("log_selector", ""),
                index=request.POST.get("index", ""),
                tenant=request.POST.get("tenant", ""),
            )
            return redirect("clusters:list")
        except ValidationError as error:
            errors = error.message_dict
    context = {
        "clusters": Cluster.objects.listed().select_related("team", "added_by"),
        "removed": Cluster.objects.exclude(removed_at=None).select_related("removed_by").order_by("-removed_at")[:20],
        "teams": Team.objects.all(),
        "logins": KINDS,
        "metrics_servers": Cluster.objects.listed().prometheus(),
        "log_stores": Cluster.objects.listed().log_stores(),
        "served": Serves.choices,
        "errors": errors,
        "sent": request.POST,
    }
    return render(request, "clusters/list.html", context)


@login_required
@require_POST
def remove(request: SignedInRequest, cluster_id: int) -> HttpResponse:
    """Removes a cluster."""
    if not request.user.is_administrator:
        raise PermissionDenied(say("Only administrators list clusters."))
    services.cluster_remove(user=request.user, cluster=get_object_or_404(Cluster, pk=cluster_id))
    return redirect("clusters:list")


@login_required
@require_POST
def collect(request: SignedInRequest) -> HttpResponse:
    """Starts a collection from a listed cluster into a new case, or into the one that `case` names."""
    case = _case_to_add_to(request)
    cluster = _offered(Cluster.objects.offered_to(request.user).clusters(), request.POST.get("cluster", ""))
    try:
        collection = services.collection_request(user=request.user, cluster=cluster, case=case, redact=_redact(request))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("cases:new")
    return redirect(collection)


@login_required
@require_POST
def profile(request: SignedInRequest) -> HttpResponse:
    """Starts the profiler of a listed cluster on one process, for a new case or for the one that `case` names."""
    case, sent = _case_to_add_to(request), request.POST
    cluster = _offered(Cluster.objects.offered_to(request.user).clusters(), sent.get("profiled", ""))
    try:
        collection = services.profile_request(
            user=request.user,
            cluster=cluster,
            mode=sent.get("mode", ""),
            seconds=whole_number(sent.get("profile-seconds", "")) or 0,
            process=sent.get("process", ""),
            case=case,
            redact=_redact(request),
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("cases:files", case.pk) if case else redirect("cases:new")
    return redirect(collection)


@login_required
@require_POST
def metrics(request: SignedInRequest) -> HttpResponse:
    """Queries a listed Prometheus server for a job's metrics, into a new case or into the one of `case`."""
    return _query(request, Cluster.objects.offered_to(request.user).prometheus(), "")


@login_required
@require_POST
def logs(request: SignedInRequest) -> HttpResponse:
    """Queries a listed log store for the lines of a window, into a new case or into the one of `case`."""
    return _query(request, Cluster.objects.offered_to(request.user).log_stores(), "log-")


def _query(request: SignedInRequest, offered: ClusterQuerySet, prefix: str) -> HttpResponse:
    """Begins a query of one of the offered servers.

    prefix  of the fields of its form, since all forms of the page are one
    """
    case, sent = _case_to_add_to(request), request.POST
    server = _offered(offered, sent.get(f"{prefix}server", ""))
    try:
        begin, end = _window(sent.get(f"{prefix}hours", ""), sent.get(f"{prefix}until", ""))
        collection = services.query_request(
            user=request.user,
            server=server,
            begin=begin,
            end=end,
            job="" if prefix else sent.get("job", ""),
            selector=sent.get(f"{prefix}selector", ""),
            case=case,
            redact=_redact(request),
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("cases:files", case.pk) if case else redirect("cases:new")
    return redirect(collection)


def _window(hours: str, until: str) -> tuple[dt.datetime, dt.datetime]:
    """The hours before a moment, which is now where none is named. Raises ValidationError."""
    try:
        end = dt.datetime.fromisoformat(until).replace(tzinfo=dt.UTC) if until else timezone.now()
        return end - dt.timedelta(hours=float(hours)), end
    except (ValueError, OverflowError):
        raise ValidationError({"window": say("Choose how many hours, and until when, in UTC.")}) from None


def _case_to_add_to(request: SignedInRequest) -> Case | None:
    """The case that `case` names; None for a new one. Raises PermissionDenied for who may only read, and as
    `case_to_change`.
    """
    if not request.user.may_change_cases:
        raise PermissionDenied(say("Your role may read cases, not add to them."))
    number = whole_number(request.POST.get("case", ""))
    return case_to_change(request.user, number) if number is not None else None


def _offered(offered: ClusterQuerySet, key: str) -> Cluster:
    """The one of these that a form names. Raises Http404 for any other."""
    found = _chosen(offered, key)
    if found is None:
        raise Http404
    return found


def _chosen(offered: ClusterQuerySet, key: str) -> Cluster | None:
    number = whole_number(key)
    return offered.filter(pk=number).first() if number is not None else None


@login_required
@require_POST
def fetch(request: SignedInRequest) -> HttpResponse:
    """Starts a download of the file that `url` names into a new case, or into the one that `case` names."""
    case = _case_to_add_to(request)
    try:
        collection = services.fetch_request(
            user=request.user, url=request.POST.get("url", ""), case=case, redact=_redact(request)
        )
    except AddressRefused as error:
        messages.error(request, str(error))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        return redirect(collection)
    return redirect("cases:files", case.pk) if case else redirect("cases:new")


def _redact(request: SignedInRequest) -> list[str]:
    return request.POST.getlist("redact") if request.POST.get("redact-on") else []


@login_required
@require_GET
def collection(request: SignedInRequest, collection_id: int) -> HttpResponse:
    """Progress of a collection; redirects to the case once its evidence is there."""
    found = _visible(request, collection_id)
    if found.status == CollectionStatus.DONE:
        return redirect(found.case)
    may_change = found.case.may_be_changed_by(request.user)
    return render(
        request, "clusters/collection.html", {"collection": found, "run": _run(found), "may_change": may_change}
    )


@login_required
@never_cache
@require_GET
def progress(request: SignedInRequest, collection_id: int) -> JsonResponse:
    """The same as JSON for the polling script."""
    return JsonResponse(_run(_visible(request, collection_id)))


@login_required
@require_POST
def cancel(request: SignedInRequest, collection_id: int) -> HttpResponse:
    """Cancels a collection."""
    found = _visible(request, collection_id)
    if not found.case.may_be_changed_by(request.user):
        raise PermissionDenied(say("Your role may read this case, not change it."))
    services.collection_cancel(collection=found)
    return redirect(found)


def _visible(request: SignedInRequest, collection_id: int) -> Collection:
    found = Collection.objects.visible_to(request.user).select_related("case", "cluster")
    return get_object_or_404(found, pk=collection_id)


def _run(collection: Collection) -> dict[str, Any]:
    """As `analyses.stages.run_shown`, without stages."""
    return {
        "status": collection.status,
        "active": collection.is_active,
        "headline": CollectionStatus(collection.status).label,
        "progress": round(collection.progress, 3),
        "detail": say_stored(collection.detail),
        "stages": [],
    }
