"""Administrators map the groups of a provider to teams and roles."""

from __future__ import annotations

import pytest

from tests.workbench.people import People, signed_in
from workbench.accounts.models import Role
from workbench.sign_in.models import GroupMapping
from workbench.sign_in.services import grants_of


def test_an_administrator_maps_a_group_and_removes_it(people: People) -> None:
    browser = signed_in(people.ada)
    form = {"group": " flink-oncall ", "team": str(people.team.pk), "role": Role.RESPONDER}
    assert browser.post("/sign-in/", form).status_code == 302
    [row] = GroupMapping.objects.all()
    assert (row.group, row.team, row.role) == ("flink-oncall", people.team, Role.RESPONDER)
    assert "flink-oncall" in browser.get("/sign-in/").content.decode()
    assert "exists already" in browser.post("/sign-in/", form).content.decode()
    browser.post(f"/sign-in/{row.pk}/remove/")
    assert not GroupMapping.objects.exists()


@pytest.mark.parametrize(
    "form",
    [
        {"group": "", "role": Role.VIEWER},
        {"group": "x"},
        {"group": "x", "role": "emperor"},
        {"group": "x", "team": "9" * 30},
        {"group": "x" * 301, "role": Role.VIEWER},
    ],
)
def test_a_mapping_without_group_or_grant_is_refused_with_the_reason(people: People, form: dict[str, str]) -> None:
    answer = signed_in(people.ada).post("/sign-in/", form)
    assert answer.status_code == 200
    assert 'role="alert"' in answer.content.decode()
    assert not GroupMapping.objects.exists()


def test_groups_that_are_not_mapped_grant_nothing(people: People) -> None:
    GroupMapping.objects.create(group="on call", team=people.team)
    assert not grants_of({"oncall"}).is_admitted
    granted = grants_of({"ON CALL", "other"})
    assert (granted.is_admitted, granted.role, granted.teams) == (True, Role.VIEWER, frozenset({people.team.pk}))
