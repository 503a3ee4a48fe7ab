"""Admits people whom a provider of identities vouches for, with the teams and the role that their groups grant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from workbench.accounts.models import RANK, Membership, Role, User
from workbench.languages.sentences import say
from workbench.sign_in.models import GroupMapping, Identity, Provider
from workbench.untrusted.storable import storable

NO_NAME = re.compile(r"[^\w.@+-]+")
LONGEST_NAME = 150
MOST_GROUPS = 2_000
"""Groups of a person that are read. Our choice: Active Directory limits a sign-in to 1,010 (Microsoft, "Logging on a
user account that is a member of more than 1,010 groups").
"""


class NotAdmitted(Exception):
    """The provider vouches for the person, but the workbench does not admit them; the text is for that person."""


@dataclass(frozen=True, slots=True)
class Presented:
    """A person as a provider of identities describes them. All texts come from outside."""

    provider: Provider
    issuer: str
    subject: str
    name: str
    groups: frozenset[str]
    first_name: str = ""
    last_name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Grants:
    """What the groups of a person grant. `is_admitted`: at least one group is mapped."""

    is_admitted: bool
    role: Role
    teams: frozenset[int]


def grants_of(groups: Iterable[str]) -> Grants:
    """The grants of the mapped groups: all teams, and the highest role. Names are compared without case."""
    held = {group.casefold() for group in groups}
    rows = [row for row in GroupMapping.objects.all() if row.group.casefold() in held]
    roles = [Role(row.role) for row in rows if row.role]
    return Grants(
        is_admitted=bool(rows),
        role=max(roles, key=RANK.__getitem__, default=Role.VIEWER),
        teams=frozenset(row.team_id for row in rows if row.team_id is not None),
    )


def person_admit(presented: Presented) -> User:
    """The user of the identity, created at the first sign-in, with role and teams as granted now.

    A person who has no mapped group any more loses the role, the mapped teams and the API tokens. Raises NotAdmitted.
    """
    grants = grants_of(presented.groups)
    user = _admitted(presented, grants)
    if user is None or not grants.is_admitted:
        raise NotAdmitted(say("None of your groups may use this workbench. An administrator maps groups to teams."))
    if not user.is_active:
        raise NotAdmitted(say("This account is not active."))
    return user


@transaction.atomic
def _admitted(presented: Presented, grants: Grants) -> User | None:
    known = Identity.objects.select_related("user").filter(
        provider=presented.provider, issuer=presented.issuer, subject=presented.subject
    )
    identity = known.first()
    if identity is None:
        if not grants.is_admitted:
            return None
        identity = _newcomer(presented)
    user = identity.user
    user.role = grants.role
    user.first_name = _shortened(presented.first_name, 150)
    user.last_name = _shortened(presented.last_name, 150)
    user.email = _shortened(presented.email, 254)
    user.save(update_fields=["role", "first_name", "last_name", "email", "is_staff", "is_superuser"])
    _set_teams(user, grants.teams)
    if grants.is_admitted:
        identity.signed_in_at = timezone.now()
        identity.save(update_fields=["signed_in_at"])
    else:
        user.api_tokens.all().delete()
    return user


def _newcomer(presented: Presented) -> Identity:
    """Raises NotAdmitted where a local account has the name, which may be of another person."""
    name = NO_NAME.sub("-", presented.name).strip("-")[:LONGEST_NAME]
    if not name:
        raise NotAdmitted(say("The provider did not state your name."))
    if User.objects.filter(username__iexact=name).exists():
        raise NotAdmitted(
            say(
                "There is an account {name} already, which is not linked to this sign-in. An administrator links it.",
                name=name,
            )
        )
    user = User(username=name)
    user.set_unusable_password()
    user.save()
    return Identity.objects.create(
        user=user, provider=presented.provider, issuer=presented.issuer, subject=presented.subject
    )


def _set_teams(user: User, granted: frozenset[int]) -> None:
    """Memberships of teams that no group is mapped to were granted by an administrator and stay."""
    mapped = set(GroupMapping.objects.filter(team__isnull=False).values_list("team_id", flat=True))
    Membership.objects.filter(user=user, team_id__in=mapped - granted).delete()
    for team_id in granted:
        Membership.objects.get_or_create(user=user, team_id=team_id)


def _shortened(text: str, most: int) -> str:
    return str(storable(text))[:most]
