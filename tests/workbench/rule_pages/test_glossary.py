"""The page of the glossary."""

from __future__ import annotations

import pytest

from tests.workbench.people import People, signed_in

pytestmark = pytest.mark.django_db


def test_the_page_lists_terms_in_both_languages_and_is_linked_from_every_page(people: People) -> None:
    client = signed_in(people.vera)
    page = client.get("/rules/glossary/").content.decode()
    assert 'id="back-pressure"' in page
    assert "反压" in page
    assert 'lang="zh-Hans"' in page
    assert 'href="/rules/glossary/"' in client.get("/").content.decode()
