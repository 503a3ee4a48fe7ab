"""Creates the first administrator."""

from __future__ import annotations

import secrets

from django.db import transaction

from workbench.accounts.models import Membership, Role, Team, User

FIRST_ADMINISTRATOR = "admin"
FIRST_TEAM = "Operations"
PASSWORD_BYTES = 15


@transaction.atomic
def first_administrator_make(*, password: str | None) -> tuple[User, str] | None:
    """Creates the user `admin` and a first team when there is no administrator yet.

    Gives the user with the password, generated when none is given; None when an administrator exists.
    """
    if User.objects.filter(role=Role.ADMINISTRATOR).exists():
        return None
    password = password or secrets.token_urlsafe(PASSWORD_BYTES)
    user = User.objects.create_user(FIRST_ADMINISTRATOR, password=password, role=Role.ADMINISTRATOR)
    team, _ = Team.objects.get_or_create(name=FIRST_TEAM)
    Membership.objects.create(user=user, team=team)
    return user, password
