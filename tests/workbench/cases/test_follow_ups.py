"""What is left to do after an incident is in sight until it is done: on its page, in the list, in the post-mortem."""

from __future__ import annotations

import datetime as dt

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from tests.workbench.people import People, case_of, signed_in
from workbench.cases.follow_ups import LeftToDo, follow_up_add, follow_up_set, left_to_do
from workbench.cases.models import Case, FollowUp
from workbench.cases.selectors import watchers
from workbench.cases.services import case_close
from workbench.history.case_records import case_records
from workbench.history.timeline import timeline
from workbench.reports.content import report_of
from workbench.reports.markdown import as_post_mortem


def asked(case: Case, people: People, text: str = "Load the alerts", due: dt.date | None = None) -> FollowUp:
    return follow_up_add(case=case, user=people.alice, text=text, owner=people.bob, due=due)


def days(count: int) -> dt.date:
    return timezone.now().date() + dt.timedelta(days=count)


def test_an_action_stays_in_sight_of_its_owner_until_it_is_done(people: People) -> None:
    case, bob = case_of(people.alice), signed_in(people.bob)
    action = asked(case, people, due=days(2))
    assert people.bob in watchers(case)
    assert "Load the alerts" in bob.get(case.get_absolute_url()).content.decode()
    assert [row[0] for row in bob.get("/?people=actions").context["rows"]] == [case]

    bob.post(f"/cases/{case.pk}/actions/{action.pk}/", {"done": "yes"})

    action.refresh_from_db()
    assert (action.done_by, action.done_at is not None) == (people.bob, True)
    assert [row[0] for row in bob.get("/?people=actions").context["rows"]] == []
    assert [entry.text for entry in timeline(case_records(case))][1:] == [
        f"asked bob for an action by {days(2)}",
        "ticked an action",
    ]


def test_the_list_counts_what_is_left_and_what_is_late(people: People) -> None:
    case, other = case_of(people.alice), case_of(people.alice, "Another")
    for due in (days(-1), days(0), None):
        asked(case, people, due=due)
    follow_up_set(follow_up=asked(other, people), user=people.bob, done=True)

    # Due today is not late before the day has ended.
    assert left_to_do([case, other]) == {case.pk: LeftToDo(3, 1)}
    assert "3 actions, 1 overdue" in signed_in(people.vera).get("/").content.decode()


def test_an_action_ticked_by_mistake_is_opened_again(people: People) -> None:
    action = asked(case_of(people.alice), people)
    follow_up_set(follow_up=action, user=people.bob, done=True)
    follow_up_set(follow_up=action, user=people.alice, done=False)
    assert (action.done_by, action.done_at) == (None, None)


def test_actions_outlive_the_closing_and_stand_in_the_post_mortem(people: People) -> None:
    case = case_of(people.alice)
    case_close(case=case, user=people.alice, confirmed_class="slow_sink", what_fixed_it="A larger batch")
    asked(case, people, "Bigger disks", dt.date(2030, 1, 2))
    follow_up_set(follow_up=asked(case, people, "An alert on lag"), user=people.bob, done=True)

    draft = as_post_mortem(report_of(case), "http://workbench/cases/1/")
    assert "- [ ] Bigger disks (bob, due 2030-01-02)" in draft
    assert f"- [x] An alert on lag (bob, done {timezone.now():%Y-%m-%d})" in draft
    assert Case.objects.matching("bigger").get() == case


def test_only_who_may_change_the_case_asks_and_ticks(people: People) -> None:
    case = case_of(people.alice)
    action = asked(case, people)
    form = {"text": "More", "owner": "alice"}
    for user, refused in ((people.vera, 403), (people.charlie, 404)):
        client = signed_in(user)
        assert client.post(f"/cases/{case.pk}/actions/", form).status_code == refused
        assert client.post(f"/cases/{case.pk}/actions/{action.pk}/", {"done": "yes"}).status_code == refused
    assert signed_in(people.alice).post(f"/cases/{case.pk}/actions/", form | {"owner": "charlie"}).status_code == 404
    elsewhere = case_of(people.charlie)
    foreign = f"/cases/{elsewhere.pk}/actions/{action.pk}/"
    assert signed_in(people.charlie).post(foreign, {"done": "yes"}).status_code == 404
    assert case.follow_ups.filter(done_at=None).count() == 1


def test_an_action_without_a_text_or_of_a_stranger_is_refused(people: People) -> None:
    case = case_of(people.alice)
    with pytest.raises(ValidationError):
        asked(case, people, "  ")
    with pytest.raises(ValidationError):
        follow_up_add(case=case, user=people.alice, text="More", owner=people.charlie)
    page = signed_in(people.alice).post(f"/cases/{case.pk}/actions/", {"text": "x", "owner": "bob", "due": "soon"})
    assert page.status_code == 302
    assert not case.follow_ups.exists()


def test_a_re_check_that_is_done_is_due_again_after_its_days_s094(people: People) -> None:
    case = case_of(people.alice)
    first = follow_up_add(case=case, user=people.alice, text="Check the restore", owner=people.bob, every_days=90)
    today = timezone.now().date()
    assert first.due == today + dt.timedelta(days=90)

    follow_up_set(follow_up=first, user=people.bob, done=True)
    follow_up_set(follow_up=first, user=people.bob, done=True)

    again = case.follow_ups.get(done_at=None)
    assert (again.text, again.owner, again.every_days) == ("Check the restore", people.bob, 90)
    assert again.due == today + dt.timedelta(days=90)
    follow_up_set(follow_up=first, user=people.bob, done=False)
    assert list(case.follow_ups.all()) == [first]


def test_a_re_check_of_a_closed_case_is_a_reminder_in_the_list_when_it_is_overdue(people: People) -> None:
    case = case_of(people.alice)
    late = timezone.now().date() - dt.timedelta(days=1)
    follow_up_add(case=case, user=people.alice, text="Drill", owner=people.bob, due=late, every_days=30)
    case_close(case=case, user=people.alice, confirmed_class="data_skew", what_fixed_it="")

    assert "1 overdue" in signed_in(people.bob).get("/?status=closed").content.decode()
    page = signed_in(people.bob).get(case.get_absolute_url()).content.decode()
    assert "a re-check every 30 days" in page
    assert "overdue" in page


@pytest.mark.parametrize("days", ["0", "731", "-1", "x"])
def test_other_days_between_re_checks_are_refused(people: People, days: str) -> None:
    case = case_of(people.alice)
    form = {"text": "Check", "owner": "bob", "every_days": days}
    page = signed_in(people.alice).post(f"/cases/{case.pk}/actions/", form, follow=True)
    assert "message error" in page.content.decode()
    assert not case.follow_ups.exists()
