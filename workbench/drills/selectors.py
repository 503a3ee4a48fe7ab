"""Reads cases suitable for drills, a person's drills, and a team's statistics."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from statistics import median

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.shortcuts import get_object_or_404
from django.utils import timezone

from diagnostics.symptoms import symptoms
from workbench.accounts.models import Team, User
from workbench.analyses.models import Analysis, Finding
from workbench.cases.models import Case, CaseChange, CaseStatus, Note, Watch
from workbench.drills.evidence import CAUSES
from workbench.drills.models import Drill, DrillPlan
from workbench.runbooks.models import StepRecord

RECENT = dt.timedelta(days=90)
"""A quarter: the source document asks for a drill in each."""
MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class TeamDrills:
    """A team's drills in the last quarter by people who had not worked on the case; no names.

    right       share with the right cause, None without any
    median_ms   usual time to a right answer, None without any
    last        when the newest one ended, None for never
    plan        how often the team drills, None without a plan
    due         when the next one is due by the plan, None without a plan
    """

    team: Team
    count: int
    right: float | None
    median_ms: float | None
    last: dt.datetime | None
    plan: DrillPlan | None = None
    due: dt.datetime | None = None

    @property
    def is_due(self) -> bool:
        return self.due is not None and self.due <= timezone.now()


def drill_of(user: User, drill_id: int) -> Drill:
    """The user's own drill of a case that they may still read. Raises Http404 for others."""
    drills = Drill.objects.filter(user=user, case__in=Case.objects.readable_by(user))
    return get_object_or_404(drills.select_related("case", "analysis"), pk=drill_id)


def drill_under_way(user: User) -> Drill | None:
    """The user's drill in progress."""
    if not user.cases_drilled:
        return None
    return Drill.objects.under_way().filter(user=user).first()


def drills_listed(user: User) -> QuerySet[Drill]:
    """The user's ended drills, the newest first."""
    visible = Case.objects.visible_to(user)
    return Drill.objects.ended().filter(user=user, case__in=visible).select_related("case")[:MOST_LISTED]


def analyses_to_drill(user: User) -> QuerySet[Analysis]:
    """Diagnoses suitable for a drill: closed cases whose confirmed cause is among the findings.

    A cause without a finding has no lines of evidence.
    """
    cases = Case.objects.visible_to(user).filter(status=CaseStatus.CLOSED, merged_into=None)
    cases = cases.filter(confirmed_class__in=[each.id for each in symptoms().values() if each.kind == "cause"])
    telling = Finding.objects.filter(
        analysis=OuterRef("pk"), symptom_class=OuterRef("case__confirmed_class"), role__in=CAUSES
    )
    return (
        Analysis.objects.exclude_later_snapshots()
        .done()
        .light()
        .filter(Exists(telling), case__in=cases)
        .select_related("case")
    )


def cases_unknown_to(user: User) -> QuerySet[Case]:
    """Cases that the user has neither worked on nor drilled."""
    own = Q(owner=user) | Q(created_by=user) | Q(closed_by=user)
    rows = (
        Watch.objects.filter(user=user),
        Note.objects.filter(author=user),
        CaseChange.objects.filter(by=user),
        StepRecord.objects.filter(by=user),
        Drill.objects.filter(user=user),
    )
    touched = reduce(or_, (Q(pk__in=each.order_by().values("case")) for each in rows), own)
    return Case.objects.exclude(pk__in=Case.objects.filter(touched).order_by().values("pk"))


def drills_by_team(user: User) -> Iterator[TeamDrills]:
    """The drills of each of the user's teams."""
    for team in user.teams.select_related("drill_plan"):
        ended = Drill.objects.ended().filter(case__team=team)
        recent = list(ended.filter(ended_at__gte=timezone.now() - RECENT, knew_it=False))
        times = [drill.lasted_ms for drill in recent if drill.is_right]
        last = ended.values_list("ended_at", flat=True).first()
        plan = getattr(team, "drill_plan", None)
        due = max(plan.since, last or plan.since) + dt.timedelta(days=plan.days) if plan else None
        yield TeamDrills(team, len(recent), _share(recent), median(times) if times else None, last, plan, due)


def teams_with_a_due_drill(user: User) -> list[str]:
    """The names of the user's teams whose next drill is due by their plan."""
    now = timezone.now()
    newest = Drill.objects.ended().filter(case__team=OuterRef("team")).order_by("-ended_at").values("ended_at")[:1]
    plans = DrillPlan.objects.filter(team__in=user.teams.all()).annotate(last=Subquery(newest)).select_related("team")
    return [
        plan.team.name
        for plan in plans
        if max(plan.since, plan.last or plan.since) + dt.timedelta(days=plan.days) <= now
    ]


def _share(drills: Sequence[Drill]) -> float | None:
    return sum(drill.is_right for drill in drills) / len(drills) if drills else None
