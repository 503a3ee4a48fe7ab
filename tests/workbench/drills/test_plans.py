"""A team plans how often it drills, and is reminded."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.drills.models import Drill, DrillPlan
from workbench.drills.selectors import drills_by_team, teams_with_a_due_drill
from workbench.drills.services import drill_plan_set

DUE = "A drill is due by the plan of Streaming."


def planned(people: People, days_ago: int, days: int = 90) -> None:
    drill_plan_set(team=people.team, user=people.alice, days=days)
    DrillPlan.objects.update(since=timezone.now() - dt.timedelta(days=days_ago))


def drilled(people: People, days_ago: int) -> None:
    analysis = diagnosed_case(people.alice)
    Drill.objects.create(
        user=people.bob,
        case=analysis.case,
        analysis=analysis,
        truth="data_skew",
        ended_at=timezone.now() - dt.timedelta(days=days_ago),
    )


def test_a_drill_is_due_when_the_last_one_is_longer_ago_than_planned(people: People) -> None:
    planned(people, days_ago=200)
    drilled(people, days_ago=91)
    assert teams_with_a_due_drill(people.bob) == ["Streaming"]
    assert [team.is_due for team in drills_by_team(people.bob)] == [True]
    for page in ("/", "/drills/", "/history/"):
        browser = signed_in(people.bob)
        assert all(DUE in browser.get(page).content.decode() for _ in range(2))
    assert teams_with_a_due_drill(people.charlie) == []


def test_a_drill_in_time_and_a_plan_that_is_new_are_not_due(people: People) -> None:
    planned(people, days_ago=200)
    drilled(people, days_ago=89)
    assert teams_with_a_due_drill(people.bob) == []
    Drill.objects.all().delete()
    assert teams_with_a_due_drill(people.bob) == ["Streaming"]
    planned(people, days_ago=0)
    assert teams_with_a_due_drill(people.bob) == []
    assert DUE not in signed_in(people.bob).get("/").content.decode()


def test_a_member_sets_and_removes_the_plan_of_a_team(people: People) -> None:
    address = f"/drills/plans/{people.team.pk}/"
    signed_in(people.bob).post(address, {"days": "30"})
    assert DrillPlan.objects.get().days == 30
    assert signed_in(people.vera).post(address, {"days": "5"}).status_code == 403
    assert signed_in(people.charlie).post(address, {"days": "5"}).status_code == 404
    signed_in(people.bob).post(address, {"days": ""})
    assert not DrillPlan.objects.exists()


@pytest.mark.parametrize("days", ["0", "731", "x", "-3", "9" * 40])
def test_other_days_are_refused_with_the_reason(people: People, days: str) -> None:
    page = signed_in(people.bob).post(f"/drills/plans/{people.team.pk}/", {"days": days}, follow=True)
    assert "message error" in page.content.decode()
    assert not DrillPlan.objects.exists()
