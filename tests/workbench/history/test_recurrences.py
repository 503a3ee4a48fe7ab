"""A problem that comes back after its fix, by the times in the evidence and not by those of the upload."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.cases.services import case_close, case_reopen
from workbench.history.recurrences import came_back, recurrence
from workbench.uploads.models import UploadedFile


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


MAY, JUNE, JULY = (dt.datetime(2026, month, 3, 12, tzinfo=dt.UTC) for month in (5, 6, 7))


def skewed(user: User, title: str, seen_at: dt.datetime | None = None) -> Case:
    return diagnosed_case(user, title=title, seen_at=seen_at).case


def closed(case: Case, user: User, at: dt.datetime = JUNE) -> Case:
    case_close(case=case, user=user, confirmed_class="data_skew", what_fixed_it="Salted the key")
    Case.objects.filter(pk=case.pk).update(closed_at=at)
    case.refresh_from_db()
    return case


def page_of(case: Case, people: People) -> str:
    return signed_in(people.alice).get(case.get_absolute_url()).content.decode()


def test_a_problem_seen_after_a_confirmed_fix_is_a_regression_and_the_page_says_what_fixed_it(people: People) -> None:
    earlier = closed(skewed(people.alice, "In May", MAY), people.bob)
    later = skewed(people.alice, "In July", JULY)

    assert recurrence(people.alice, later).returned_from == earlier
    assert came_back(people.alice, [earlier, later]) == {later.pk}
    page = page_of(later, people)
    assert "This came back." in page
    assert "on 2026-07-03 12:00 UTC, after the fix" in page
    assert "What fixed it then: Salted the key" in page


@pytest.mark.parametrize("answer", ["healthy", "inconclusive"])
def test_a_case_that_was_closed_without_a_cause_is_no_fix(people: People, answer: str) -> None:
    earlier = skewed(people.alice, "In May", MAY)
    case_close(case=earlier, user=people.bob, confirmed_class=answer, what_fixed_it="")
    Case.objects.filter(pk=earlier.pk).update(closed_at=JUNE)
    earlier.refresh_from_db()
    later = skewed(people.alice, "In July", JULY)

    assert recurrence(people.alice, later).returned_from is None
    assert came_back(people.alice, [earlier, later]) == set()


def test_open_cases_with_the_same_problem_are_one_line(people: People) -> None:
    for title in ("In May", "In June"):
        skewed(people.alice, title, MAY)
    page = page_of(skewed(people.alice, "In July", JULY), people)
    assert page.count("The same problem is open in") == 1
    assert "In June</a>; <a" in page


def test_old_evidence_that_is_uploaded_after_the_fix_is_no_regression(people: People) -> None:
    fixed = closed(skewed(people.alice, "In May", MAY), people.bob)
    old = skewed(people.alice, "Found on a disk", MAY - dt.timedelta(days=1))

    found = recurrence(people.alice, old)
    assert (found.returned_from, found.before_fix) == (None, fixed)
    assert came_back(people.alice, [old]) == set()
    page = page_of(old, people)
    assert "No regression:" in page
    assert "on 2026-05-02 12:00 UTC, before" in page


def test_evidence_without_times_cannot_tell(people: People) -> None:
    fixed = closed(skewed(people.alice, "In May", MAY), people.bob)
    undated = skewed(people.alice, "A screenshot of metrics")

    found = recurrence(people.alice, undated)
    assert (found.returned_from, found.before_fix, found.undated) == (None, None, fixed)
    assert came_back(people.alice, [undated]) == set()
    assert "Whether this is a regression is not known:" in page_of(undated, people)


@pytest.mark.parametrize("seen_at", [None, MAY])
def test_the_same_files_uploaded_twice_are_the_same_incident(people: People, seen_at: dt.datetime | None) -> None:
    first = closed(skewed(people.alice, "first", seen_at), people.bob)
    again = skewed(people.alice, "again", seen_at)
    digest = UploadedFile.objects.get(case=first).sha256
    UploadedFile.objects.filter(case=again).update(sha256=digest)

    found = recurrence(people.alice, again)
    assert (found.same_incident, found.returned_from, found.undated, list(found.others)) == ([first], None, None, [])
    page = page_of(again, people)
    assert "The same incident" in page
    assert f'href="{first.get_absolute_url()}"' in page


def test_the_same_moment_is_the_same_incident_however_it_was_packed(people: People) -> None:
    first, zipped = skewed(people.alice, "a folder", MAY), skewed(people.alice, "a zip", MAY)
    assert recurrence(people.alice, zipped).same_incident == [first]


def test_the_list_marks_what_came_back(people: People) -> None:
    closed(skewed(people.alice, "In May", MAY), people.bob)
    later = skewed(people.alice, "In July", JULY)
    assert signed_in(people.alice).get("/").context["returned"] == {later.pk}
    assert "Came back" in signed_in(people.alice).get("/").content.decode()


def test_the_earlier_case_says_that_its_fix_did_not_last(people: People) -> None:
    earlier = closed(skewed(people.alice, "In May", MAY), people.bob)
    later = skewed(people.alice, "In July", JULY)

    assert recurrence(people.alice, earlier).came_back_as == later
    assert "The fix did not last." in page_of(earlier, people)


def test_the_same_problem_in_a_case_that_is_still_open_is_no_regression(people: People) -> None:
    first, second = skewed(people.alice, "first", MAY), skewed(people.alice, "second", JULY)
    found = recurrence(people.alice, second)
    assert (found.returned_from, found.others) == (None, [first])


def test_a_case_that_was_closed_without_knowing_the_cause_was_not_fixed(people: People) -> None:
    first = skewed(people.alice, "first", MAY)
    case_close(case=first, user=people.alice, confirmed_class="inconclusive", what_fixed_it="")
    second = skewed(people.alice, "second", timezone.now() + dt.timedelta(hours=1))
    assert recurrence(people.alice, second).returned_from is None


def test_a_case_that_was_opened_again_is_not_fixed(people: People) -> None:
    first = closed(skewed(people.alice, "first", MAY), people.alice)
    second = skewed(people.alice, "second", JULY)
    case_reopen(case=first, user=people.alice)
    assert recurrence(people.alice, second).returned_from is None
