"""The page of the sources, and links to them."""

from __future__ import annotations

import pytest

from tests.workbench.diagnosed import SKEW_RULE, published
from tests.workbench.people import People, signed_in

pytestmark = pytest.mark.django_db


def test_the_page_lists_sources_and_disputed_claims(people: People) -> None:
    page = signed_in(people.alice).get("/rules/sources/").content.decode()
    assert "Flink documentation, Monitoring Back Pressure" in page
    assert 'id="bp.level"' in page
    assert "A lost barrier is retried" in page
    assert "Nothing resends a barrier" in page


def test_a_rule_s_page_names_the_source_of_its_bounds_with_a_link(people: People) -> None:
    published(SKEW_RULE.replace("made up for the test", "bp.level: as a test"), people.rita)
    page = signed_in(people.alice).get("/rules/skew.test/").content.decode()
    assert "ops/monitoring/back_pressure/" in page
    assert "Flink documentation, Monitoring Back Pressure" in page
