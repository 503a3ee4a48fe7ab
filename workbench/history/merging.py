"""Merges two cases of one incident, and separates them again."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.cases.services import case_change
from workbench.languages.sentences import say


@transaction.atomic
def case_merge(*, case: Case, into: Case, user: User) -> None:
    """Merges a case into another one of its team: list, statistics and similar cases show only that one.

    Cases merged into the first one move along. Raises ValidationError for itself, another team, or a merged target.
    """
    if case.pk == into.pk or into.merged_into_id is not None:
        raise ValidationError(say("A case is merged into another one that is not merged itself."))
    if case.team_id != into.team_id:
        raise ValidationError(say("Only cases of the same team are merged: their readers are the same."))
    for part in (*case.merged.all(), case):
        case_change(case=part, user=user, merged_into_id=into.pk)


def case_unmerge(*, case: Case, user: User) -> None:
    """Separates a merged case again."""
    case_change(case=case, user=user, merged_into_id=None)
