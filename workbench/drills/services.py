"""Starts a drill, records its steps, and ends it with its score."""

from __future__ import annotations

import random

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from diagnostics.symptoms import symptoms
from workbench.accounts.models import Team, User
from workbench.drills.evidence import AT_ONCE, drawers, drawers_shown
from workbench.drills.models import Drill, DrillPlan, DrillStep, StepKind
from workbench.drills.scoring import parts
from workbench.drills.selectors import analyses_to_drill, cases_unknown_to
from workbench.languages.sentences import say, say_later

MOST_PLAN_DAYS = 730
NOTHING_LEFT = say_later(
    "No closed case is left that you neither worked on nor drilled. A colleague can send you the address of one.",
)


@transaction.atomic
def drill_start(*, user: User, case_id: int | None = None) -> Drill:
    """Starts a drill of the case, or of a random one that the user does not know.

    Raises ValidationError while another one is in progress, and when there is no such case.
    """
    drills_end_forgotten(user)
    if Drill.objects.under_way().filter(user=user).exists():
        raise ValidationError(say("End the drill that is under way first."))
    possible, unknown = analyses_to_drill(user), cases_unknown_to(user)
    if case_id is not None:
        analysis = possible.filter(case=case_id).first()
        if analysis is None:
            raise ValidationError(
                say("This case cannot be drilled: it is not closed with a cause that its evidence shows.")
            )
    else:
        # Random cases must not be predictable.
        numbers = list(possible.filter(case__in=unknown).order_by().values_list("case", flat=True).distinct())
        if not numbers:
            raise ValidationError(NOTHING_LEFT)
        analysis = possible.filter(case=random.SystemRandom().choice(numbers)).first()
        assert analysis is not None
    drill = Drill.objects.create(
        user=user,
        case=analysis.case,
        analysis=analysis,
        truth=analysis.case.confirmed_class or "",
        knew_it=not unknown.filter(pk=analysis.case_id).exists(),
    )
    user.drills_changed()
    return drill


@transaction.atomic
def drill_look(*, drill: Drill, kind: str) -> None:
    """Reveals the next pieces of one kind of evidence. Raises ValidationError for a kind that the case does not
    have.
    """
    _going_on(drill)
    shown = drawers_shown(drawers(drill.analysis, drill.truth), drill.steps.all())
    drawer = next((each for each in shown if each.drawer.kind == kind), None)
    if drawer is None:
        raise ValidationError(say("The case holds no evidence of this kind."))
    if drawer.left:
        number = min(drawer.open + AT_ONCE, len(drawer.drawer.pieces))
        DrillStep.objects.create(drill=drill, kind=StepKind.LOOK, subject=kind, shown=number)


@transaction.atomic
def drill_suspect(*, drill: Drill, symptom_class: str) -> None:
    """Records the user's present suspicion, without effect on the score. Raises ValidationError for an unknown
    cause.
    """
    _going_on(drill)
    DrillStep.objects.create(drill=drill, kind=StepKind.SUSPECT, subject=_cause(symptom_class))


@transaction.atomic
def drill_answer(*, drill: Drill, symptom_class: str) -> None:
    """Ends the drill with an answer and its score. Raises ValidationError for an unknown cause."""
    _going_on(drill)
    drill.answer = _cause(symptom_class)
    DrillStep.objects.create(drill=drill, kind=StepKind.ANSWER, subject=drill.answer)
    drill.ended_at = timezone.now()
    seen = drawers_shown(drawers(drill.analysis, drill.truth), drill.steps.all())
    drill.parts = parts(right=drill.is_right, seen=seen, lasted=drill.lasted)
    drill.points = sum(drill.parts.values())
    drill.save()


@transaction.atomic
def drill_give_up(*, drill: Drill) -> None:
    """Ends the drill without an answer and without points."""
    _going_on(drill)
    drill.ended_at, drill.points = timezone.now(), 0
    drill.save()


def drills_end_forgotten(user: User) -> None:
    """Ends abandoned drills of the user, without an answer, at the time when their case became visible again."""
    forgotten = Drill.objects.filter(user=user, ended_at=None)
    for drill in forgotten.exclude(pk__in=Drill.objects.under_way().values("pk")):
        drill.ended_at, drill.points = timezone.now(), 0
        drill.save()


def _going_on(drill: Drill) -> None:
    Drill.objects.select_for_update().get(pk=drill.pk)
    if not Drill.objects.under_way().filter(pk=drill.pk).exists():
        raise ValidationError(say("This drill has ended."))


def _cause(symptom_class: str) -> str:
    known = symptoms().get(symptom_class)
    if known is None or known.kind != "cause":
        raise ValidationError(say("Choose a cause."))
    return symptom_class


def drill_plan_set(*, team: Team, user: User, days: int | None) -> None:
    """Sets how often the team drills, from now on; None removes the plan.

    Raises ValidationError for other than 1 to MOST_PLAN_DAYS days.
    """
    if days is None:
        DrillPlan.objects.filter(team=team).delete()
        return
    if not 1 <= days <= MOST_PLAN_DAYS:
        raise ValidationError(say("A plan has 1 to {most} days between two drills.", most=MOST_PLAN_DAYS))
    DrillPlan.objects.update_or_create(team=team, defaults={"days": days, "by": user, "since": timezone.now()})
