"""Cases that are one incident."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from tests.workbench.people import People, case_of, signed_in
from workbench.cases.models import Case
from workbench.cases.selectors import cases_matching
from workbench.history.case_records import case_records
from workbench.history.merging import case_merge, case_unmerge
from workbench.history.timeline import timeline


def listed(people: People) -> list[str]:
    return [case.title for case in cases_matching(people.alice, {})]


def test_a_merged_case_leaves_the_list_and_comes_back_when_it_is_taken_out(people: People) -> None:
    first, second = case_of(people.alice, "first"), case_of(people.alice, "second")

    case_merge(case=second, into=first, user=people.bob)
    assert listed(people) == ["first"]
    case_unmerge(case=second, user=people.bob)

    assert listed(people) == ["second", "first"]


def test_both_cases_report_it_in_their_timelines(people: People) -> None:
    first, second = case_of(people.alice, "first"), case_of(people.alice, "second")
    case_merge(case=second, into=first, user=people.bob)
    case_unmerge(case=second, user=people.alice)

    assert [f"{entry.by} {entry.text}" for entry in timeline(case_records(first))[1:]] == [
        f"bob merged case {second.pk} into this one: second",
        f"alice took case {second.pk} out again: second",
    ]
    assert [f"{entry.by} {entry.text}" for entry in timeline(case_records(second))[1:]] == [
        f"bob merged the case into case {first.pk}",
        f"alice took the case out of case {first.pk} again",
    ]


def test_what_was_merged_into_a_case_goes_along(people: People) -> None:
    one, two, three = (case_of(people.alice, title) for title in ("one", "two", "three"))
    case_merge(case=one, into=two, user=people.alice)
    case_merge(case=two, into=three, user=people.alice)
    assert set(three.merged.all()) == {one, two}


def test_a_case_is_not_merged_into_itself_nor_into_a_merged_one(people: People) -> None:
    first, second, third = (case_of(people.alice, title) for title in ("1", "2", "3"))
    case_merge(case=second, into=first, user=people.alice)
    for case, into in ((first, first), (third, second)):
        with pytest.raises(ValidationError):
            case_merge(case=case, into=Case.objects.get(pk=into.pk), user=people.alice)


def test_the_page_of_a_merged_case_leads_on_and_offers_to_take_it_out(people: People) -> None:
    first, second = case_of(people.alice, "first"), case_of(people.alice, "second")
    alice = signed_in(people.alice)

    page = alice.post(f"/history/{second.pk}/merge/", {"into": f"#{first.pk}"}, follow=True).content.decode()

    assert f"Case {second.pk}, second</a>, is part of this case." in page
    assert "Merged into <a" in alice.get(second.get_absolute_url()).content.decode()


def test_a_case_of_strangers_is_no_case_to_merge_into(people: People) -> None:
    ours, theirs = case_of(people.alice), case_of(people.charlie)
    page = signed_in(people.alice).post(f"/history/{ours.pk}/merge/", {"into": theirs.pk}, follow=True)
    assert f"There is no case {theirs.pk} in your teams." in page.content.decode()
    ours.refresh_from_db()
    assert ours.merged_into is None


@pytest.mark.parametrize("name", ["merge", "unmerge"])
def test_a_stranger_and_a_viewer_merge_nothing(people: People, name: str) -> None:
    address = f"/history/{case_of(people.alice).pk}/{name}/"
    assert signed_in(people.charlie).post(address).status_code == 404
    assert signed_in(people.vera).post(address).status_code == 403


@pytest.mark.parametrize("into", ["", "x", "٣", "9" * 30])
def test_what_is_no_number_names_no_case(people: People, into: str) -> None:
    case = case_of(people.alice)
    page = signed_in(people.alice).post(f"/history/{case.pk}/merge/", {"into": into}, follow=True)
    assert "Name the other case by its number." in page.content.decode()
