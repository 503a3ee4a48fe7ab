"""How reliable a rule was is drawn from closed cases."""

from __future__ import annotations

import pytest

from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, published
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Finding
from workbench.cases.services import case_close
from workbench.rule_pages.reliability import reliability_of


def closed(people: People, confidence: float, confirmed: str) -> None:
    analysis = diagnosed_case(people.alice)
    Finding.objects.filter(analysis=analysis).update(rule_id="skew.test", confidence=confidence, role="root_cause")
    case_close(case=analysis.case, user=people.alice, confirmed_class=confirmed, what_fixed_it="")


def test_claims_are_grouped_by_how_sure_they_were(people: People) -> None:
    for confidence, confirmed in (
        (0.92, "data_skew"),
        (0.94, "data_skew"),
        (0.91, "gc_pressure"),
        (0.62, "gc_pressure"),
        (0.93, "inconclusive"),
    ):
        closed(people, confidence, confirmed)
    low, high = reliability_of(people.bob, "skew.test").bins
    assert (low.cases, low.right, low.sure) == (1, 0, 0.62)
    assert (high.cases, high.right) == (3, 2)
    assert high.sure == pytest.approx((0.92 + 0.94 + 0.91) / 3)
    assert 0 < high.least < high.share < high.most < 1


def test_the_page_of_the_rule_draws_them_for_who_sees_the_cases(people: People) -> None:
    published(SKEW_RULE, people.rita)
    closed(people, 0.92, "data_skew")
    page = signed_in(people.bob).get("/rules/skew.test/").content.decode()
    assert "1 closed case in which it claimed the cause" in page
    assert "1 of 1" in page
    assert "So few cases show little." in page
    assert "No closed case that you see" in signed_in(people.charlie).get("/rules/skew.test/").content.decode()
