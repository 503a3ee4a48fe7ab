"""Administrators invite people, give them roles and teams, and end their access."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.workbench.people import People, signed_in, with_token
from workbench.accounts.models import Role, Team, User

NEW = {"username": "dora", "first_name": "Dora", "last_name": "", "email": "", "role": "viewer"}


def link_in(page: str) -> str:
    """The path of the invitation that a page shows."""
    found = re.search(r"http://testserver(/invitation/[^<]+)", page)
    assert found
    return found.group(1)


def test_an_invited_person_sets_a_password_and_signs_in(people: People) -> None:
    page = signed_in(people.ada).post("/people/", {**NEW, "teams": [people.team.pk]}).content.decode()
    dora = User.objects.get(username="dora")
    assert (dora.role, [*dora.teams.all()], dora.has_usable_password()) == (Role.VIEWER, [people.team], False)

    browser, link = Client(), link_in(page)
    form = browser.get(link, follow=True)
    chosen = {"new_password1": "a-long-one-for-dora", "new_password2": "a-long-one-for-dora"}
    assert browser.post(form.request["PATH_INFO"], chosen).status_code == 302
    answer = browser.post("/login/", {"username": "dora", "password": "a-long-one-for-dora"})
    assert (answer.status_code, browser.get("/").status_code) == (302, 200)
    assert "This link was used already" in Client().get(link, follow=True).content.decode()


def test_a_name_that_exists_is_not_invited_again(people: People) -> None:
    page = signed_in(people.ada).post("/people/", {**NEW, "username": "Bob"}).content.decode()
    assert "There is a person with this user name." in page
    assert not User.objects.filter(username="Bob").exists()


def test_role_and_teams_of_a_person_change(people: People) -> None:
    other = Team.objects.create(name="Payments")
    fields = {"first_name": "", "last_name": "", "email": "", "role": "rule_editor", "teams": [other.pk]}
    assert signed_in(people.ada).post(f"/people/{people.bob.pk}/", fields).status_code == 302
    people.bob.refresh_from_db()
    assert (people.bob.role, [*people.bob.teams.all()]) == (Role.RULE_EDITOR, [other])


def test_a_deactivated_person_is_out_at_once_and_can_be_admitted_again(people: People) -> None:
    ada, bob, program = signed_in(people.ada), signed_in(people.bob), with_token(people.bob)
    assert bob.get("/").status_code == 200
    assert program.get("/api/v1/cases/").status_code == 200

    ada.post(f"/people/{people.bob.pk}/deactivate/")
    assert bob.get("/").status_code == 302
    assert program.get("/api/v1/cases/").status_code == 401
    assert "bob" not in re.findall(r'class="title"[^>]*>(\w+)<', ada.get("/people/").content.decode())

    ada.post(f"/people/{people.bob.pk}/deactivate/", {"back": "1"})
    people.bob.refresh_from_db()
    assert (people.bob.is_active, [*people.bob.teams.all()]) == (True, [people.team])


def test_an_administrator_remains(people: People) -> None:
    ada = signed_in(people.ada)
    page = ada.post(f"/people/{people.ada.pk}/deactivate/", follow=True).content.decode()
    assert "Another administrator has to do this to your own account." in page
    fields = {"first_name": "", "last_name": "", "email": "", "role": "viewer"}
    assert "Another administrator" in ada.post(f"/people/{people.ada.pk}/", fields).content.decode()
    people.ada.refresh_from_db()
    assert (people.ada.is_active, people.ada.role) == (True, Role.ADMINISTRATOR)


def test_teams_are_created_renamed_and_filled(people: People) -> None:
    ada = signed_in(people.ada)
    made = ada.post("/people/teams/", {"name": "Payments"})
    team = Team.objects.get(name="Payments")
    assert made["Location"] == f"/people/teams/{team.pk}/"

    ada.post(f"/people/teams/{team.pk}/", {"name": "Payments EU", "members": [people.bob.pk, people.charlie.pk]})
    team.refresh_from_db()
    assert (team.name, {each.username for each in team.members.all()}) == ("Payments EU", {"bob", "charlie"})
    assert (
        "There is a team with this name."
        in ada.post("/people/teams/", {"name": "payments eu"}, follow=True).content.decode()
    )


@pytest.mark.parametrize("path", ["/people/", "/people/1/", "/people/teams/1/"])
def test_others_do_not_see_who_works_here(people: People, path: str) -> None:
    assert signed_in(people.rita).get(path).status_code == 403
