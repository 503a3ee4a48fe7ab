"""Adds and completes follow-up actions of a case. Callers have checked `case_to_change` first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from workbench.accounts.models import User
from workbench.cases.models import LONGEST_FOLLOW_UP, Case, FollowUp
from workbench.cases.selectors import owners_possible
from workbench.cases.services import case_lock, search_text_update, watch


@dataclass(frozen=True, slots=True)
class LeftToDo:
    """Number of open follow-ups of a case, and of overdue ones."""

    count: int
    overdue: int


@transaction.atomic
def follow_up_add(*, case: Case, user: User, text: str, owner: User, due: dt.date | None = None) -> FollowUp:
    """Adds a follow-up; its owner watches the case. Raises ValidationError for an empty text or a stranger."""
    text = " ".join(text.split())[:LONGEST_FOLLOW_UP]
    if not text:
        raise ValidationError({"text": "Say what is to be done."})
    if not owners_possible(case).filter(pk=owner.pk).exists():
        raise ValidationError({"owner": f"{owner} cannot change cases of the team {case.team}."})
    case_lock(case)
    added = FollowUp.objects.create(case=case, text=text, owner=owner, due=due, added_by=user)
    search_text_update(case)
    watch(case=case, user=owner, has_news=owner != user)
    return added


@transaction.atomic
def follow_up_set(*, follow_up: FollowUp, user: User, done: bool) -> None:
    """Completes or reopens it; no effect when it is in that state already."""
    case_lock(follow_up.case)
    follow_up.refresh_from_db()
    if (follow_up.done_at is not None) == done:
        return
    follow_up.done_by, follow_up.done_at = (user, timezone.now()) if done else (None, None)
    follow_up.save()
    search_text_update(follow_up.case)


def left_to_do(cases: Iterable[Case]) -> dict[int, LeftToDo]:
    """Number of a case -> its open follow-ups, for cases with any, in one query."""
    late = Q(due__lt=timezone.now().date())
    counted = FollowUp.objects.filter(case__in=[case.pk for case in cases], done_at=None).order_by().values("case")
    rows = counted.annotate(count=Count("pk"), overdue=Count("pk", filter=late))
    return {row["case"]: LeftToDo(row["count"], row["overdue"]) for row in rows}
