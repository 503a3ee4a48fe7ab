"""Reads of cases for pages and the API: who may see what, the list with its filters, numbers by class."""

from __future__ import annotations

from collections.abc import Mapping

from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet
from django.db.models.expressions import OrderBy
from django.shortcuts import get_object_or_404

from workbench.accounts.models import Role, User
from workbench.cases.models import Case, CaseQuerySet, Snapshot

CASES_ON_A_PAGE = 25
INCIDENT = "The incident"
ORDERS: Mapping[str, tuple[str | OrderBy, ...]] = {
    "newest": ("-created_at", "-pk"),
    "oldest": ("created_at", "pk"),
    "updated": ("-updated_at", "-pk"),
    "health": (F("health_score").asc(nulls_last=True), "-pk"),
    "title": ("title", "-pk"),
}
FILTERS: Mapping[str, str] = {
    "status": "status",
    "symptom_class": "verdict_class",
    "confirmed_class": "confirmed_class",
    "severity": "severity",
    "owner": "owner__username",
    "analysis_status": "analysis_status",
    "flink_version": "flink_version",
}
"""Name in the address -> column that must equal its value."""


def case_visible(user: User, case_id: int) -> Case:
    """The case. Raises Http404 for whoever may not see it, so that a stranger cannot tell whether it exists."""
    return get_object_or_404(Case.objects.visible_to(user).select_related("team", "owner", "closed_by"), pk=case_id)


def case_to_change(user: User, case_id: int) -> Case:
    """The case, for a change. Raises Http404 for a stranger, PermissionDenied for a viewer of the team."""
    case = case_visible(user, case_id)
    if not case.may_be_changed_by(user):
        raise PermissionDenied("Your role may read this case, not change it.")
    return case


def snapshots_of(case: Case) -> list[Snapshot]:
    """The snapshots of a case in their order; the first one is not stored, the case itself began it."""
    later = list(case.snapshots.select_related("started_by"))
    if later and later[0].number == 1:
        return later
    first = Snapshot(case=case, number=1, change=INCIDENT, started_by=case.created_by, started_at=case.created_at)
    return [first, *later]


def owners_possible(case: Case) -> QuerySet[User]:
    """Whom the case can be handed over to: everybody of its team who may change it, and who has it now, by name."""
    changing = [role for role in Role if role != Role.VIEWER]
    of_the_team = Q(teams=case.team, is_active=True, role__in=changing)
    return User.objects.filter(of_the_team | Q(pk=case.owner_id)).distinct().order_by("username")


def watchers(case: Case) -> list[User]:
    """Who follows the case and may still see it, by name."""
    return list(readers(case).filter(watches__case=case))


def readers(case: Case) -> QuerySet[User]:
    """Everybody who may see the case: its team, and the administrators."""
    may_see = Q(teams=case.team) | Q(role=Role.ADMINISTRATOR)
    return User.objects.filter(may_see, is_active=True).distinct().order_by("username")


def cases_found(user: User, asked: Mapping[str, str]) -> CaseQuerySet:
    """The user's cases that fit what was asked for: the names of FILTERS, `job` (part of a name), `text`, `order`.

    An unknown order is the newest first; an empty value filters nothing.
    """
    found = Case.objects.visible_to(user).select_related("team", "owner").defer("found_text", "search_text")
    for name, column in FILTERS.items():
        if asked.get(name):
            found = found.filter(**{column: asked[name]})
    if asked.get("job"):
        found = found.filter(job_names__icontains=asked["job"])
    if asked.get("text"):
        found = found.matching(asked["text"])
    return found.order_by(*ORDERS.get(asked.get("order", ""), ORDERS["newest"]))


def case_page(user: User, asked: Mapping[str, str]) -> Page[Case]:
    """One page of `cases_found`; `page` counts from 1, one out of range is the last."""
    return Paginator(cases_found(user, asked), CASES_ON_A_PAGE).get_page(asked.get("page", 1))


def list_choices(user: User) -> dict[str, list[str]]:
    """What can be chosen in the list's filters: the values that the user's cases have, by filter name."""
    visible = Case.objects.visible_to(user)
    return {name: _values(visible, column) for name, column in FILTERS.items()}


def _values(cases: QuerySet[Case], column: str) -> list[str]:
    known = cases.exclude(**{column: None}).exclude(**{column: ""})
    return list(known.order_by(column).values_list(column, flat=True).distinct())


def numbers_by_class(user: User) -> list[dict[str, int | str]]:
    """How many of the user's cases have each verdict, how many are closed, how many confirmed: most frequent first."""
    with_verdict = Case.objects.visible_to(user).exclude(verdict_class=None)
    counted = (
        with_verdict.order_by()
        .values("verdict_class")
        .annotate(
            cases=Count("pk"),
            closed=Count("pk", filter=Q(status="closed")),
        )
    )
    return list(counted.order_by("-cases", "verdict_class"))
