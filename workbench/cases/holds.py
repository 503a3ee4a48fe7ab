"""Legal hold and retention of a team. A hold beats every deletion: by hand, by age, and of removed files."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from workbench.accounts.models import Team, User
from workbench.cases.models import LegalHold, Retention
from workbench.languages.sentences import say


class OnHold(Exception):
    """Nothing of the team is deleted; the text is for the user."""


def require_no_hold(team_id: int) -> None:
    """Raises OnHold."""
    hold = LegalHold.objects.in_force().filter(team=team_id).select_related("team").first()
    if hold is not None:
        raise OnHold(
            say("Team {team} is under legal hold since {at:%Y-%m-%d}: nothing is deleted.", team=hold.team, at=hold.at)
        )


def any_hold() -> bool:
    """Whether a team is under legal hold."""
    return LegalHold.objects.in_force().exists()


@transaction.atomic
def hold_place(*, team: Team, user: User, reason: str) -> LegalHold:
    """Places the team under legal hold; the present one stays when there is one."""
    Team.objects.select_for_update().get(pk=team.pk)
    present = LegalHold.objects.in_force().filter(team=team).first()
    return present or LegalHold.objects.create(team=team, by=user, reason=reason)


def hold_lift(*, team: Team, user: User) -> bool:
    """Ends the hold; what is due by age is deleted from then on. Gives whether there was one."""
    return bool(LegalHold.objects.in_force().filter(team=team).update(lifted_by=user, lifted_at=timezone.now()))


def retention_set(*, team: Team, user: User, days: int | None) -> None:
    """Sets after how many days the files of a closed case are deleted; 0 never, None as the environment states."""
    Retention.objects.update_or_create(team=team, defaults={"days": days, "by": user, "at": timezone.now()})


def kept_days() -> dict[int, int]:
    """Primary key of each team without a hold -> days that the files of its closed cases are kept; 0 for ever."""
    held = LegalHold.objects.in_force().values("team")
    own = {row.team_id: row.days for row in Retention.objects.all() if row.days is not None}
    teams = Team.objects.exclude(pk__in=held).values_list("pk", flat=True)
    return {team: own.get(team, settings.KEEP_EVIDENCE_DAYS) for team in teams}
