from __future__ import annotations

import pytest

from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import ApiToken, Role, User
from workbench.cases.models import Case
from workbench.rules.models import Rule


def test_each_role_may_do_what_the_one_before_it_may(people: People) -> None:
    rights = {
        user.role: (user.may_change_cases, user.may_edit_rules, user.is_administrator)
        for user in (people.vera, people.alice, people.rita, people.ada)
    }
    assert rights == {
        Role.VIEWER: (False, False, False),
        Role.RESPONDER: (True, False, False),
        Role.RULE_EDITOR: (True, True, False),
        Role.ADMINISTRATOR: (True, True, True),
    }


def test_django_flags_follow_the_role(people: People) -> None:
    assert [(each.is_staff, each.is_superuser) for each in (people.alice, people.rita, people.ada)] == [
        (False, False),
        (True, False),
        (True, True),
    ]
    people.ada.role = Role.VIEWER
    people.ada.save()
    assert not people.ada.is_superuser


def test_createsuperuser_makes_an_administrator(db: None) -> None:
    assert User.objects.create_superuser("root", password="a-long-password").role == Role.ADMINISTRATOR


def test_a_case_is_visible_to_its_team_and_to_administrators_only(people: People) -> None:
    case = case_of(people.alice)
    assert case in Case.objects.visible_to(people.bob)
    assert case in Case.objects.visible_to(people.vera)
    assert case in Case.objects.visible_to(people.ada)
    assert case not in Case.objects.visible_to(people.charlie)


def test_a_token_is_stored_as_a_hash_only(people: People) -> None:
    token, secret = ApiToken.objects.make(people.alice, "laptop")
    assert secret not in str(ApiToken.objects.values().get())
    assert ApiToken.objects.with_secret(secret) == token


def test_a_token_of_an_inactive_user_opens_nothing(people: People) -> None:
    _, secret = ApiToken.objects.make(people.alice, "laptop")
    people.alice.is_active = False
    people.alice.save()
    assert ApiToken.objects.with_secret(secret) is None


@pytest.mark.parametrize(("name", "status"), [("alice", 403), ("rita", 200), ("ada", 200)])
def test_the_rule_editor_opens_for_rule_editors(people: People, name: str, status: int) -> None:
    answer = signed_in(getattr(people, name)).get("/rules/new/")
    assert answer.status_code == status


@pytest.mark.parametrize(("path", "leads_to"), [("", "/rules/"), ("add/", "/rules/new/")])
def test_the_administration_leads_rule_editors_to_the_rules(people: People, path: str, leads_to: str) -> None:
    rita = signed_in(people.rita)
    assert "/admin/rules/rule/" in rita.get("/admin/").content.decode()
    assert rita.get(f"/admin/rules/rule/{path}").headers["Location"] == leads_to


def test_the_administration_changes_no_rule_behind_the_editor(people: People) -> None:
    rule, rita = Rule.objects.get(rule_id="skew.hot-subtask"), signed_in(people.rita)
    answer = rita.post(f"/admin/rules/rule/{rule.pk}/change/", {"rule_id": "other"})
    assert answer.headers["Location"] == "/rules/skew.hot-subtask/edit/"
    assert rita.post(f"/admin/rules/rule/{rule.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Rule.objects.filter(rule_id="skew.hot-subtask").exists()


def test_an_administrator_finds_people_and_teams_from_every_page(people: People) -> None:
    assert "People and teams" in signed_in(people.ada).get("/").content.decode()
    assert "People and teams" not in signed_in(people.rita).get("/").content.decode()


def test_a_rule_editor_administers_no_people(people: People) -> None:
    assert signed_in(people.rita).get("/admin/accounts/user/").status_code == 403
    assert signed_in(people.ada).get("/admin/accounts/user/").status_code == 200
    assert signed_in(people.ada).get(f"/admin/accounts/user/{people.bob.pk}/change/").status_code == 200
