"""Bulk actions on cases, and their undo. Callers pass only cases that the user may change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import PermissionDenied
from django.db import transaction

from workbench.accounts.models import User
from workbench.cases.models import Case, CaseChange, CaseStatus
from workbench.cases.services import case_assign, case_change, case_close, case_lock, case_status_set, columns_of
from workbench.languages.sentences import say

MOST_CASES = 500
"""Cases per bulk action. Our choice: more than a page shows, few enough for one request."""


@dataclass(frozen=True, slots=True)
class Undone:
    """Number of restored cases, and of cases that somebody changed since, which are kept."""

    cases: int
    changed_since: int


@transaction.atomic
def cases_set_status(*, cases: Iterable[Case], user: User, status: CaseStatus) -> UUID:
    """Sets an open status on all of them. Gives the batch for `batch_undo`."""
    batch = uuid4()
    for case in cases:
        case_status_set(case=case, user=user, status=status, batch=batch)
    return batch


@transaction.atomic
def cases_assign(*, cases: Iterable[Case], user: User, owner: User) -> UUID:
    """Assigns all of them. Raises ValidationError, without any change, when the owner may not see one of them."""
    batch = uuid4()
    for case in cases:
        case_assign(case=case, user=user, owner=owner, batch=batch)
    return batch


@transaction.atomic
def cases_close(*, cases: Iterable[Case], user: User, confirmed_class: str, what_fixed_it: str) -> UUID:
    """Closes all of them with the same confirmed cause. Raises ValidationError, without any change, when it is
    missing.
    """
    batch = uuid4()
    for case in cases:
        case_close(case=case, user=user, confirmed_class=confirmed_class, what_fixed_it=what_fixed_it, batch=batch)
    return batch


@transaction.atomic
def batch_undo(*, user: User, batch: UUID) -> Undone:
    """Undoes a batch of the user's changes where nobody changed the columns since. The undo is recorded as a change.

    Raises PermissionDenied for a user who may no longer change cases.
    """
    if not user.may_change_cases:
        raise PermissionDenied(say("Your role may read cases, not change them."))
    undone = changed_since = 0
    mine = CaseChange.objects.filter(batch=batch, by=user, case__in=Case.objects.visible_to(user))
    for change in mine.select_related("case"):
        case_lock(change.case)
        if columns_of(change.case, change.after) != change.after:
            changed_since += 1
            continue
        case_change(case=change.case, user=user, **_as_stored(change))
        undone += 1
    return Undone(undone, changed_since)


def _as_stored(change: CaseChange) -> dict[str, Any]:
    columns = {column.attname: column for column in Case._meta.concrete_fields}
    return {name: columns[name].to_python(value) for name, value in change.before.items()}
