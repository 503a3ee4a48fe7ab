"""Adds and completes follow-up actions and re-checks of a case. Callers have checked `case_to_change` first."""

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
from workbench.languages.sentences import say

MOST_DAYS = 730
"""Our choice: two years; a rarer check is one action of its own."""


@dataclass(frozen=True, slots=True)
class LeftToDo:
    """Number of open follow-ups of a case, and of overdue ones."""

    count: int
    overdue: int


@transaction.atomic
def follow_up_add(
    *,
    case: Case,
    user: User,
    text: str,
    owner: User,
    due: dt.date | None = None,
    every_days: int | None = None,
) -> FollowUp:
    """Adds a follow-up; its owner watches the case. Raises ValidationError for an empty text or a stranger.

    every_days  of a re-check: the days from one to the next; without `due` the first is due after that time
    """
    text = " ".join(text.split())[:LONGEST_FOLLOW_UP]
    if not text:
        raise ValidationError({"text": say("Say what is to be done.")})
    if not owners_possible(case).filter(pk=owner.pk).exists():
        raise ValidationError(
            {"owner": say("{owner} cannot change cases of the team {team}.", owner=owner, team=case.team)}
        )
    if every_days is not None and not 1 <= every_days <= MOST_DAYS:
        raise ValidationError(
            {"every_days": say("A re-check returns after 1 to {most_days} days.", most_days=MOST_DAYS)}
        )
    if every_days and due is None:
        due = _in_days(every_days)
    case_lock(case)
    added = FollowUp.objects.create(case=case, text=text, owner=owner, due=due, every_days=every_days, added_by=user)
    search_text_update(case)
    watch(case=case, user=owner, has_news=owner != user)
    return added


@transaction.atomic
def follow_up_set(*, follow_up: FollowUp, user: User, done: bool) -> None:
    """Completes or reopens it; no effect when it is in that state already.

    A re-check that is done is due again after its days; opening it again takes back the next one, if that is open.
    """
    case_lock(follow_up.case)
    follow_up.refresh_from_db()
    if (follow_up.done_at is not None) == done:
        return
    follow_up.done_by, follow_up.done_at = (user, timezone.now()) if done else (None, None)
    follow_up.save()
    if follow_up.every_days:
        _next_set(follow_up, user, wanted=done)
    search_text_update(follow_up.case)


def _next_set(follow_up: FollowUp, user: User, *, wanted: bool) -> None:
    """Adds the re-check after this one, or removes it."""
    same = {"case": follow_up.case, "text": follow_up.text, "owner": follow_up.owner}
    if not wanted:
        FollowUp.objects.filter(**same, every_days=follow_up.every_days, done_at=None, pk__gt=follow_up.pk).delete()
    elif follow_up.every_days:
        due = _in_days(follow_up.every_days)
        FollowUp.objects.create(**same, every_days=follow_up.every_days, due=due, added_by=user)


def _in_days(days: int) -> dt.date:
    return timezone.now().date() + dt.timedelta(days=days)


def left_to_do(cases: Iterable[Case]) -> dict[int, LeftToDo]:
    """Number of a case -> its open follow-ups, for cases with any, in one query."""
    late = Q(due__lt=timezone.now().date())
    counted = FollowUp.objects.filter(case__in=[case.pk for case in cases], done_at=None).order_by().values("case")
    rows = counted.annotate(count=Count("pk"), overdue=Count("pk", filter=late))
    return {row["case"]: LeftToDo(row["count"], row["overdue"]) for row in rows}
