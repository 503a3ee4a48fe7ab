"""Reads cases that a user may see: one case, and the list with its filters."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, TypedDict

from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import F, ManyToOneRel, Q, QuerySet
from django.db.models.expressions import OrderBy
from django.shortcuts import get_object_or_404

from workbench.accounts.models import Role, User
from workbench.cases.models import Case, CaseQuerySet, SavedView, Snapshot
from workbench.cases.own_texts import INCIDENT
from workbench.languages.sentences import say

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

CASES_ON_A_PAGE = 25
MOST_MATCHES = 10_000
"""Numbers that every database accepts in one query."""
ORDERS: Mapping[str, tuple[str | OrderBy, ...]] = {
    "newest": ("-created_at", "-pk"),
    "oldest": ("created_at", "pk"),
    "updated": ("-updated_at", "-pk"),
    "health": (F("health_score").asc(nulls_last=True), "-pk"),
    "title": ("title", "-pk"),
}
FILTERS: Mapping[str, str] = {
    "status": "status",
    "confirmed_class": "confirmed_class",
    "severity": "severity",
    "owner": "owner__username",
    "analysis_status": "analysis_status",
    "flink_version": "flink_version",
}
"""Query parameter -> column that must be equal."""
PEOPLE: Mapping[str, Callable[[CaseQuerySet, User], CaseQuerySet]] = {
    "mine": lambda cases, user: cases.filter(owner=user),
    "watched": lambda cases, user: cases.filter(watches__user=user),
    "news": lambda cases, user: cases.with_news_for(user),
    "actions": lambda cases, user: cases.filter(
        Q(pk__in=user.follow_ups.filter(done_at=None).values("case"))
        | Q(pk__in=user.approvals.waiting().order_by().values("case"))
    ),
    "mentioned": lambda cases, user: cases.filter(pk__in=user.mentioned_in.values("case")),
}
"""Value of the query parameter `people` -> the cases related to the user in that way."""


def case_visible(user: User, case_id: int) -> Case:
    """The case. Raises Http404 for users who may not see it, so that its existence is not revealed."""
    return get_object_or_404(
        Case.objects.visible_to(user).select_related(
            "team__objective", "owner", "created_by", "closed_by", "merged_into"
        ),
        pk=case_id,
    )


def case_to_change(user: User, case_id: int) -> Case:
    """The case, for a change. Raises Http404 for a stranger, PermissionDenied for a viewer of the team."""
    case = case_visible(user, case_id)
    if not case.may_be_changed_by(user):
        raise PermissionDenied(say("Your role may read this case, not change it."))
    return case


def relations_held(case: Case, names: Sequence[str]) -> frozenset[str]:
    """Which of these relations of the case have rows.

    Most cases have few: one statement shows where a query is worth its time. The ORM takes longer to write such a
    statement than it saves.
    """
    relations = [each for name in names if isinstance(each := Case._meta.get_field(name), ManyToOneRel)]
    probe = 'EXISTS (SELECT 1 FROM "{}" WHERE "{}" = %s)'
    probes = ", ".join(probe.format(each.related_model._meta.db_table, each.field.column) for each in relations)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {probes}", [case.pk] * len(relations))
        return frozenset(compress(names, cursor.fetchone() or ()))


def snapshots_of(case: Case, *, has_later: bool = True) -> list[Snapshot]:
    """The snapshots of a case in order; the first one, the incident, is not stored.

    has_later  False when it is known that none is stored
    """
    later = list(case.snapshots.select_related("started_by")) if has_later else []
    if later and later[0].number == 1:
        return later
    first = Snapshot(case=case, number=1, change=INCIDENT, started_by=case.created_by, started_at=case.created_at)
    return [first, *later]


def owners_possible(case: Case) -> QuerySet[User]:
    """Possible owners of the case: members of its team who may change it, and the present owner, by name."""
    changing = [role for role in Role if role != Role.VIEWER]
    of_the_team = Q(teams=case.team, is_active=True, role__in=changing)
    return User.objects.filter(of_the_team | Q(pk=case.owner_id)).distinct().order_by("username")


def owners_possible_for(user: User) -> QuerySet[User]:
    """Possible owners of the user's cases: members of the user's teams who may change them, by name."""
    changing = [role for role in Role if role != Role.VIEWER]
    colleagues = User.objects.filter(is_active=True, role__in=changing)
    if not user.is_administrator:
        colleagues = colleagues.filter(teams__in=user.teams.all())
    return colleagues.distinct().order_by("username")


class Seen(TypedDict):
    """When a person last opened a case that they watch."""

    seen_at: dt.datetime


def watchers(case: Case) -> list[WithAnnotations[User, Seen]]:
    """Users who follow the case and may still see it, by name, each with `seen_at` of the watch."""
    return list(readers(case).filter(watches__case=case).annotate(seen_at=F("watches__seen_at")))


def readers(case: Case) -> QuerySet[User]:
    """Users who may see the case: its team, and the administrators."""
    may_see = Q(teams=case.team) | Q(role=Role.ADMINISTRATOR)
    return User.objects.filter(may_see, is_active=True).distinct().order_by("username")


def cases_matching(
    user: User, asked: Mapping[str, str | Sequence[str]], considered: CaseQuerySet | None = None
) -> CaseQuerySet:
    """The user's cases that match the filters, in the requested order.

    considered  `cases_considered` of the same filters, when the caller has it already
    asked  names of FILTERS, each with one or several values, one must match; `symptom_class`, the verdict of the case
           or the cause of one of its jobs; `job_name`, `job` (part of a name), `text`, `people` (a name of PEOPLE),
           `order`. An unknown order is the newest first; an empty value filters nothing.
    """
    among = cases_considered(user, asked) if considered is None else considered
    cases = among.select_related("team", "owner")
    for name, column in FILTERS.items():
        if values := values_asked(asked, name):
            cases = cases.filter(**{f"{column}__in": values})
    if classes := values_asked(asked, "symptom_class"):
        cases = cases.with_a_verdict_of(classes)
    if jobs := values_asked(asked, "job_name"):
        cases = cases.with_a_job_of(jobs)
    order = next(iter(values_asked(asked, "order")), "")
    return cases.order_by(*ORDERS.get(order, ORDERS["newest"]))


def cases_considered(user: User, asked: Mapping[str, str | Sequence[str]]) -> CaseQuerySet:
    """The user's cases that match search and `people`, without merged ones: the basis of the facet counts.

    Searches the long texts once; later queries use the numbers of the matches. Of more than MOST_MATCHES the newest are
    used.
    """
    cases = Case.objects.visible_to(user).filter(merged_into=None)
    for job in values_asked(asked, "job"):
        cases = cases.filter(job_names__icontains=job)
    for text in values_asked(asked, "text"):
        numbers = cases.matching(text).order_by("-pk").values_list("pk", flat=True)
        cases = cases.filter(pk__in=list(numbers[:MOST_MATCHES]))
    for people in values_asked(asked, "people"):
        if people in PEOPLE:
            cases = PEOPLE[people](cases, user)
    return cases


def values_asked(asked: Mapping[str, str | Sequence[str]], name: str) -> list[str]:
    """Non-empty values of one parameter. No text of ours contains a NUL, and no database accepts one."""
    given = asked.get(name, ())
    values = [given] if isinstance(given, str) else given
    return [value.replace("\x00", "") for value in values if value]


def case_page(
    user: User, asked: Mapping[str, str | Sequence[str]], considered: CaseQuerySet | None = None
) -> Page[Case]:
    """One page of `cases_matching`; `page` counts from 1, one out of range is the last."""
    number = next(iter(values_asked(asked, "page")), "1")
    return Paginator(cases_matching(user, asked, considered), CASES_ON_A_PAGE).get_page(number)


def views_saved(user: User) -> QuerySet[SavedView]:
    """The user's saved views and those shared by teammates, by name."""
    shared = Q(team__in=user.teams.all())
    return SavedView.objects.filter(Q(user=user) | shared).distinct().select_related("user", "team").order_by("name")
