"""The list: facets with their counts, saved views, one action on many cases and its undoing."""

from __future__ import annotations

import pytest
from django.http import QueryDict
from django.test import Client

from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.case_pages.facets import Facet, facets
from workbench.cases.models import Case, CaseStatus, SavedView
from workbench.cases.selectors import cases_considered
from workbench.cases.services import case_assign, case_status_set, note_add


def diagnosed(user: User, title: str, **columns: object) -> Case:
    case = case_of(user, title)
    Case.objects.filter(pk=case.pk).update(**columns)
    case.refresh_from_db()
    return case


def facets_of(user: User, query: str) -> list[Facet]:
    asked = QueryDict(query)
    return facets(cases_considered(user, dict(asked.lists())), asked)


def counts(user: User, query: str, name: str) -> dict[str, int]:
    facet = next(facet for facet in facets_of(user, query) if facet.name == name)
    return {each.value: each.count for each in facet.values}


def shown(client: Client, query: str) -> list[str]:
    return [case.title for case, *_ in client.get(f"/?{query}").context["rows"]]


@pytest.fixture
def history(people: People) -> list[Case]:
    return [
        diagnosed(people.alice, "one", verdict_class="data_skew", job_names="Orders\nClicks"),
        diagnosed(people.alice, "two", verdict_class="data_skew", job_names="Orders", status="closed"),
        diagnosed(people.bob, "three", verdict_class="slow_sink", job_names="Orders-eu"),
        diagnosed(people.charlie, "four", verdict_class="data_skew", job_names="Orders"),
    ]


def test_a_facet_counts_the_cases_of_the_users_teams(people: People, history: list[Case]) -> None:
    assert counts(people.alice, "", "symptom_class") == {"data_skew": 2, "slow_sink": 1}


def test_a_job_counts_once_for_each_case_that_has_it(people: People, history: list[Case]) -> None:
    assert counts(people.alice, "", "job_name") == {"Orders": 2, "Clicks": 1, "Orders-eu": 1}


def test_a_choice_lowers_the_counts_of_other_facets_and_not_of_its_own(people: People, history: list[Case]) -> None:
    assert counts(people.alice, "status=closed", "symptom_class") == {"data_skew": 1}
    assert counts(people.alice, "status=closed", "status") == {"open": 2, "closed": 1}


def test_the_search_lowers_all_counts(people: People, history: list[Case]) -> None:
    note_add(case=history[0], user=people.alice, text="a hot key")
    assert counts(people.alice, "text=hot+key", "symptom_class") == {"data_skew": 1}


def test_two_values_of_a_facet_are_alternatives_and_two_facets_hold_both(people: People, history: list[Case]) -> None:
    alice = signed_in(people.alice)
    assert shown(alice, "symptom_class=data_skew&symptom_class=slow_sink") == ["three", "two", "one"]
    assert shown(alice, "symptom_class=data_skew&status=open") == ["one"]
    assert shown(alice, "job_name=Orders") == ["two", "one"]


def test_a_chosen_value_leads_back_to_the_list_without_it(people: People, history: list[Case]) -> None:
    note_add(case=history[0], user=people.alice, text="x")
    facet = facets_of(people.alice, "status=open&status=closed&page=3&text=x")[0]
    assert {each.value: each.query for each in facet.values} == {
        "open": "status=closed&text=x",
        "closed": "status=open&text=x",
    }


def test_views_of_ones_own_cases_of_watched_and_of_mentions(people: People, history: list[Case]) -> None:
    case_assign(case=history[2], user=people.bob, owner=people.alice)
    note_add(case=history[1], user=people.bob, text="@alice look")
    alice = signed_in(people.alice)
    assert shown(alice, "people=mine") == ["three", "two", "one"]
    assert shown(alice, "people=mentioned") == ["two"]
    assert shown(signed_in(people.bob), "people=watched") == ["three", "two"]


def test_what_no_database_can_hold_finds_nothing_and_breaks_nothing(people: People, history: list[Case]) -> None:
    assert shown(signed_in(people.alice), "text=%00nowhere&status=%00") == []


def test_one_action_changes_the_ticked_cases_and_one_click_takes_it_back(people: People, history: list[Case]) -> None:
    alice = signed_in(people.alice)
    case_status_set(case=history[2], user=people.bob, status=CaseStatus.VERIFYING)
    ticked = {"case": [history[0].pk, history[2].pk], "action": "status", "status": "investigating"}

    page = alice.post("/cases/bulk/", ticked, follow=True)
    assert statuses(history) == ["investigating", "closed", "investigating", "open"]
    alice.post("/cases/undo/", {"batch": page.context["undo"]["batch"]})

    assert statuses(history) == ["open", "closed", "verifying", "open"]


def test_undoing_leaves_alone_what_somebody_changed_since(people: People, history: list[Case]) -> None:
    alice = signed_in(people.alice)
    ticked = {"case": [history[0].pk, history[2].pk], "action": "status", "status": "investigating"}
    page = alice.post("/cases/bulk/", ticked, follow=True)
    case_status_set(case=history[0], user=people.bob, status=CaseStatus.FIX_APPLIED)

    said = alice.post("/cases/undo/", {"batch": page.context["undo"]["batch"]}, follow=True).content.decode()

    assert statuses(history) == ["fix_applied", "closed", "open", "open"]
    assert "Taken back for 1 case. 1 changed since" in said


def test_closing_many_asks_for_their_cause_and_undoing_opens_them_again(people: People, history: list[Case]) -> None:
    alice = signed_in(people.alice)
    ticked = {"case": [history[0].pk, history[2].pk], "action": "close"}
    alice.post("/cases/bulk/", ticked)
    assert statuses(history)[0] == "open"

    page = alice.post("/cases/bulk/", {**ticked, "confirmed_class": "slow_sink", "what_fixed_it": "x"}, follow=True)
    assert statuses(history) == ["closed", "closed", "closed", "open"]
    alice.post("/cases/undo/", {"batch": page.context["undo"]["batch"]})

    history[0].refresh_from_db()
    assert (history[0].status, history[0].confirmed_class, history[0].closed_by) == ("open", None, None)


def test_cases_of_other_teams_are_passed_over(people: People, history: list[Case]) -> None:
    ticked = {"case": [history[0].pk, history[3].pk], "action": "status", "status": "verifying"}
    signed_in(people.alice).post("/cases/bulk/", ticked)
    assert statuses(history) == ["verifying", "closed", "open", "open"]


def test_a_viewer_changes_nothing_but_may_watch(people: People, history: list[Case]) -> None:
    vera = signed_in(people.vera)
    vera.post("/cases/bulk/", {"case": [history[0].pk], "action": "status", "status": "verifying"})
    vera.post("/cases/bulk/", {"case": [history[0].pk], "action": "watch"})
    assert statuses(history)[0] == "open"
    assert shown(vera, "people=watched") == ["one"]


@pytest.mark.parametrize("owner", ["charlie", "vera", "nobody"])
def test_many_cases_are_not_handed_to_who_cannot_work_on_them(people: People, history: list[Case], owner: str) -> None:
    signed_in(people.alice).post("/cases/bulk/", {"case": [history[0].pk], "action": "owner", "owner": owner})
    history[0].refresh_from_db()
    assert history[0].owner == people.alice


def test_nobody_takes_back_what_others_did(people: People, history: list[Case]) -> None:
    ticked = {"case": [history[0].pk], "action": "status", "status": "verifying"}
    page = signed_in(people.alice).post("/cases/bulk/", ticked, follow=True)
    signed_in(people.bob).post("/cases/undo/", {"batch": page.context["undo"]["batch"]})
    assert statuses(history)[0] == "verifying"


def test_a_view_is_kept_without_its_page_and_replaced_under_the_same_name(people: People) -> None:
    alice = signed_in(people.alice)
    alice.post("/cases/views/", {"name": "Skew", "query": "page=4&symptom_class=data_skew&evil=1"})
    alice.post("/cases/views/", {"name": "Skew", "query": "text=hot"})
    assert list(SavedView.objects.values_list("name", "query")) == [("Skew", "text=hot")]


def test_a_shared_view_is_in_the_list_of_the_team_and_of_no_stranger(people: People) -> None:
    case_of(people.charlie)
    signed_in(people.alice).post("/cases/views/", {"name": "Ours", "query": "status=open", "shared": "on"})
    signed_in(people.alice).post("/cases/views/", {"name": "Mine", "query": "status=open"})

    assert [view.name for view in signed_in(people.bob).get("/").context["saved_views"]] == ["Ours"]
    assert list(signed_in(people.charlie).get("/").context["saved_views"]) == []


def test_only_who_made_a_view_forgets_it(people: People) -> None:
    view = SavedView.objects.create(user=people.alice, team=people.team, name="Ours", query="status=open")
    assert signed_in(people.bob).post(f"/cases/views/{view.pk}/forget/").status_code == 404
    assert signed_in(people.alice).post(f"/cases/views/{view.pk}/forget/").status_code == 302
    assert not SavedView.objects.exists()


def statuses(cases: list[Case]) -> list[str]:
    return [Case.objects.get(pk=case.pk).status for case in cases]


def test_each_job_of_a_case_has_its_own_verdict_in_the_list(people: People) -> None:
    case = case_of(people.alice, "Two jobs")
    case.job_verdicts = [
        {"name": "Orders", "symptom_class": "data_skew", "health": 30},
        {"name": "Clicks", "symptom_class": "healthy", "health": 96},
    ]
    case.save(update_fields=["job_verdicts"])
    page = signed_in(people.alice).get("/").content.decode()
    assert 'Orders <span class="muted">data skew, health 30</span>' in page
    assert 'Clicks <span class="muted">healthy, health 96</span>' in page


def test_a_case_is_found_by_the_cause_of_each_of_its_jobs(people: People, history: list[Case]) -> None:
    """Only that of the worst job found it. Another job that is healthy does not make it a healthy case."""
    case = history[0]
    case.job_verdicts = [
        {"name": "Orders", "symptom_class": "data_skew", "health": 30},
        {"name": "Clicks", "symptom_class": "user_code", "health": 40},
        {"name": 'Odd", "symptom_class": "gc_pressure', "symptom_class": "healthy", "health": 96},
    ]
    case.save(update_fields=["job_verdicts"])
    alice = signed_in(people.alice)
    assert counts(people.alice, "", "symptom_class") == {"data_skew": 2, "slow_sink": 1, "user_code": 1}
    assert shown(alice, "symptom_class=user_code") == ["one"]
    assert shown(alice, "symptom_class=healthy") == []
    assert shown(alice, "symptom_class=gc_pressure") == [], "the name of a job is no verdict"
