"""Parts of a page that depend on the language alone are rendered once in each."""

from __future__ import annotations

from django.template import Context, Template
from django.utils import translation

from diagnostics.language import CHINESE, ENGLISH


def rendered(source: Template, language: str, **values: object) -> str:
    with translation.override(language):
        return source.render(Context(values))


def test_a_constant_part_has_the_text_of_each_language(both_languages: None) -> None:
    page = Template("{% load constant %}{% constant %}{% translate 'Cancel' %}{% endconstant %}")
    assert [rendered(page, each) for each in (ENGLISH, CHINESE, ENGLISH)] == ["Cancel", "取消", "Cancel"]


def test_nothing_of_a_page_is_kept_in_a_constant_part() -> None:
    page = Template("{% load constant %}{{ case }}{% constant %}[{{ case }}]{% endconstant %}")
    assert rendered(page, ENGLISH, case="alice's") == "alice&#x27;s[]"
    assert rendered(page, ENGLISH, case="bob's") == "bob&#x27;s[]"
