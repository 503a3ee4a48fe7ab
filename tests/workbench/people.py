"""Alice owns the cases, Bob is on her team, Charlie is a stranger; Vera reads, Rita edits rules, Ada administers."""

from __future__ import annotations

from dataclasses import dataclass

from django.test import Client

from workbench.accounts.models import ApiToken, Membership, Role, Team, User
from workbench.cases.models import Case
from workbench.cases.services import case_open


@dataclass(frozen=True, slots=True)
class People:
    alice: User
    bob: User
    charlie: User
    vera: User
    rita: User
    ada: User
    team: Team


def make_people() -> People:
    """Everybody; Charlie has a team of his own."""
    team, strangers = Team.objects.create(name="Streaming"), Team.objects.create(name="Strangers")
    return People(
        alice=_person("alice", Role.RESPONDER, team),
        bob=_person("bob", Role.RESPONDER, team),
        charlie=_person("charlie", Role.RESPONDER, strangers),
        vera=_person("vera", Role.VIEWER, team),
        rita=_person("rita", Role.RULE_EDITOR, team),
        ada=_person("ada", Role.ADMINISTRATOR, team),
        team=team,
    )


def signed_in(user: User) -> Client:
    """A browser in which the user is signed in."""
    client = Client()
    client.force_login(user)
    return client


def with_token(user: User) -> Client:
    """A program that has a token of the user."""
    _, secret = ApiToken.objects.make(user, "test")
    return Client(headers={"Authorization": f"Token {secret}"})


def case_of(user: User, title: str = "Checkpoints expire since noon") -> Case:
    """An open case of the user's team."""
    return case_open(user=user, title=title)


def _person(name: str, role: Role, team: Team) -> User:
    user = User.objects.create_user(name, password=f"{name}-has-a-password", role=role)
    Membership.objects.create(user=user, team=team)
    return user
