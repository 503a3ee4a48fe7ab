"""Creates the first administrator; invites, changes and deactivates people; changes teams."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from workbench.accounts.models import Membership, Role, Team, User
from workbench.languages.sentences import say

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


@transaction.atomic
def person_invite(
    *, username: str, first_name: str, last_name: str, email: str, role: str, teams: Iterable[Team]
) -> User:
    """A person who cannot sign in before the invitation's link was used to set a password."""
    person = User.objects.create_user(
        username, email, password=None, first_name=first_name, last_name=last_name, role=role
    )
    person.teams.set(teams)
    return person


def invitation_path(person: User) -> str:
    """The path of the link with which the person sets a password: once, within PASSWORD_RESET_TIMEOUT."""
    person_id = urlsafe_base64_encode(force_bytes(person.pk))
    return reverse("invitation", args=[person_id, default_token_generator.make_token(person)])


@transaction.atomic
def person_change(
    *, person: User, by: User, first_name: str, last_name: str, email: str, role: str, teams: Iterable[Team]
) -> None:
    """Changes names, role and teams. Raises ValidationError when the last administrator would lose the role."""
    if person.is_administrator and role != Role.ADMINISTRATOR:
        _refuse_without_administrator(person, by)
    person.first_name, person.last_name, person.email, person.role = first_name, last_name, email, role
    person.save()
    person.teams.set(teams)


@transaction.atomic
def person_deactivate(*, person: User, by: User) -> None:
    """Ends sessions and deletes tokens. Raises ValidationError for the own account and the last administrator."""
    if person.is_administrator:
        _refuse_without_administrator(person, by)
    person.is_active = False
    person.save(update_fields=["is_active"])
    person.api_tokens.all().delete()


def person_reactivate(*, person: User) -> None:
    """Admits a person again, with the role and the teams of before."""
    person.is_active = True
    person.save(update_fields=["is_active"])


def _refuse_without_administrator(person: User, by: User) -> None:
    if person.pk == by.pk:
        raise ValidationError(say("Another administrator has to do this to your own account."))
    if not User.objects.filter(role=Role.ADMINISTRATOR, is_active=True).exclude(pk=person.pk).exists():
        raise ValidationError(say("The workbench needs an administrator."))


def team_create(*, name: str) -> Team:
    """A team without members."""
    return Team.objects.create(name=name)


@transaction.atomic
def team_change(*, team: Team, name: str, members: Iterable[User]) -> None:
    """Changes the name and the members; cases stay with the team."""
    team.name = name
    team.save()
    team.members.set(members)
