"""Lists, changes and removes the sources of alerts."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from workbench.accounts.models import Team, User
from workbench.alerts.mapping import MappingRefused, mapping_read
from workbench.alerts.models import AlertSource
from workbench.alerts.payload import LONGEST_NAME, payloads
from workbench.alerts.routing import RoutesRefused, routes_read
from workbench.clusters.models import Cluster
from workbench.languages.sentences import say

CLUSTER_LABEL = "cluster"
JOB_LABEL = "job_name"
"""The label that Flink's Prometheus reporter writes. Source: Flink documentation, "Metric Reporters"."""


@dataclass(frozen=True, slots=True)
class SourceForm:
    """An administrator's input for a source.

    cluster         key of the cluster that is collected from when no label names one; None for nothing
    routes, mapping lines, as `routing` and `mapping` read them
    """

    name: str
    kind: str
    team: Team | None
    owner: User | None
    cluster: int | None = None
    cluster_label: str = CLUSTER_LABEL
    job_label: str = JOB_LABEL
    routes: str = ""
    mapping: str = ""


@transaction.atomic
def source_add(*, user: User, form: SourceForm) -> tuple[AlertSource, str]:
    """Lists a source; gives it with its token. Raises PermissionDenied, ValidationError by field."""
    _administrators_only(user)
    source = AlertSource(added_by=user)
    _fill(source, form)
    secret = source.renew_token()
    source.save()
    return source, secret


@transaction.atomic
def source_change(*, user: User, source: AlertSource, form: SourceForm) -> None:
    """Changes all but the token. Raises PermissionDenied, ValidationError by field."""
    _administrators_only(user)
    _fill(source, form)
    source.save()


def source_token_renew(*, user: User, source: AlertSource) -> str:
    """A new token; the old one is refused from now on. Raises PermissionDenied."""
    _administrators_only(user)
    secret = source.renew_token()
    source.save(update_fields=["digest"])
    return secret


def source_remove(*, user: User, source: AlertSource) -> None:
    """Removes a source; its token is refused from then on. Raises PermissionDenied."""
    _administrators_only(user)
    AlertSource.objects.listed().filter(pk=source.pk).update(removed_by=user, removed_at=timezone.now())


def _fill(source: AlertSource, form: SourceForm) -> None:
    errors = _errors_of_cases(source, form) | _errors_of_labels(form)
    offered = Cluster.objects.none() if form.owner is None else Cluster.objects.offered_to(form.owner).clusters()
    if form.cluster is not None and not offered.filter(pk=form.cluster).exists():
        errors["cluster"] = say("The owner may not collect from this cluster.")
    try:
        source.routes = routes_read(form.routes, offered)
    except RoutesRefused as error:
        errors["routes"] = str(error)
    try:
        is_mapped = form.kind in payloads() and payloads()[form.kind].needs_mapping
        source.mapping = mapping_read(form.mapping) if is_mapped else {}
    except MappingRefused as error:
        errors["mapping"] = str(error)
    if errors or form.team is None or form.owner is None:
        raise ValidationError(errors)
    source.slug, source.kind, source.team, source.owner = _slug(form), form.kind, form.team, form.owner
    source.cluster_id = form.cluster
    source.cluster_label, source.job_label = form.cluster_label.strip(), form.job_label.strip()


def _errors_of_cases(source: AlertSource, form: SourceForm) -> dict[str, str]:
    errors: dict[str, str] = {}
    slug = _slug(form)
    if not slug:
        errors["name"] = say(
            "A name with letters or digits is needed: it is part of the address that the system posts to."
        )
    elif AlertSource.objects.listed().filter(slug=slug).exclude(pk=source.pk).exists():
        errors["name"] = say("Another source is named {slug}.", slug=slug)
    if form.kind not in payloads():
        errors["kind"] = say("Choose the system that sends.")
    if form.team is None:
        errors["team"] = say("Choose the team that owns the cases.")
    elif form.owner is None or not _may_own(form.owner, form.team):
        errors["owner"] = say("The owner of the cases has to belong to the team and to be allowed to change cases.")
    return errors


def _errors_of_labels(form: SourceForm) -> dict[str, str]:
    labels = {"cluster_label": form.cluster_label.strip(), "job_label": form.job_label.strip()}
    bound = say("The name of a label is needed, at most {longest_name} letters.", longest_name=LONGEST_NAME)
    return {name: bound for name, label in labels.items() if not label or len(label) > LONGEST_NAME}


def _slug(form: SourceForm) -> str:
    return slugify(form.name)[:50]


def _may_own(owner: User, team: Team) -> bool:
    return owner.is_active and owner.may_change_cases and team.members.filter(pk=owner.pk).exists()


def _administrators_only(user: User) -> None:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators list sources of alerts."))
