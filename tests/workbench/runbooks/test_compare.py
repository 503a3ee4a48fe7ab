"""Any two cases are compared side by side."""

from __future__ import annotations

import pytest

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in


def test_two_cases_are_compared_the_earlier_one_first(people: People) -> None:
    first, second = diagnosed_case(people.alice), diagnosed_case(people.alice, title="Later")
    asked = {"first": str(second.case_id), "second": f"#{first.case_id}"}
    answer = signed_in(people.bob).get("/runbooks/compare/", asked)
    assert answer["Location"] == f"/runbooks/proof/{first.pk}/{second.pk}/"
    page = signed_in(people.bob).get(answer["Location"])
    assert page.status_code == 200
    assert f"Case {second.case_id}: Later" in page.content.decode()


@pytest.mark.parametrize("written", ["", "x", "999999", "-1", "9" * 30])
def test_a_case_that_is_not_there_is_said(people: People, written: str) -> None:
    analysis = diagnosed_case(people.alice)
    asked = {"first": str(analysis.case_id), "second": written}
    answer = signed_in(people.bob).get("/runbooks/compare/", asked, follow=True)
    assert "Name two cases of your teams" in answer.content.decode()


def test_cases_of_others_and_without_a_diagnosis_are_not_told_apart(people: People) -> None:
    mine, theirs = diagnosed_case(people.alice), diagnosed_case(people.charlie)
    for other in (theirs.case, case_of(people.alice, "Not diagnosed")):
        asked = {"first": str(mine.case_id), "second": str(other.pk)}
        answer = signed_in(people.bob).get("/runbooks/compare/", asked, follow=True)
        assert "both have to be diagnosed" in answer.content.decode()


def test_similar_cases_and_two_ticked_ones_lead_to_the_comparison(people: People) -> None:
    first, second = diagnosed_case(people.alice), diagnosed_case(people.alice, title="Later")
    browser = signed_in(people.alice)
    page = browser.get(f"/cases/{second.case_id}/").content.decode()
    assert f"/runbooks/compare/?first={first.case_id}&amp;second={second.case_id}" in page
    ticked = {"action": "compare", "case": [str(first.case_id), str(second.case_id)]}
    answer = browser.post("/cases/bulk/", ticked)
    assert answer["Location"] == f"/runbooks/compare/?first={first.case_id}&second={second.case_id}"
    alone = browser.post("/cases/bulk/", ticked | {"case": [str(first.case_id)]}, follow=True)
    assert "Tick exactly two cases to compare them." in alone.content.decode()
