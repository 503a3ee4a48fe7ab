"""The first use of a term on a page leads to the glossary."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from diagnostics.language import CHINESE
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.languages.sentences import in_language
from workbench.languages.templatetags.glossary import breakable, glossary_links

# ruff: noqa: RUF001 - punctuation of Chinese

TERM = re.compile(r'<a class="term" href="/rules/glossary/#([\w-]+)" title="[^"]+">([^<]+)</a>')


def linked(text: str, terms: set[str] | None = None) -> list[tuple[str, str]]:
    """Anchor and name of each link."""
    return TERM.findall(glossary_links(text, set() if terms is None else terms))


def test_only_the_first_use_of_a_term_is_linked() -> None:
    terms: set[str] = set()
    assert linked("Checkpoints expire; a checkpoint of the job fails.", terms) == [
        ("checkpoint", "Checkpoints"),
        ("job", "job"),
    ]
    assert linked("The next checkpoint has no barrier.", terms) == [("barrier", "barrier")]


def test_the_longest_term_counts() -> None:
    assert linked("An unaligned checkpoint") == [("unaligned-checkpoint", "unaligned checkpoint")]
    with in_language(CHINESE):
        assert linked("启用非对齐 Checkpoint") == [("unaligned-checkpoint", "非对齐 Checkpoint")]


def test_a_chinese_sentence_is_linked_by_either_name_and_shows_the_chinese_meaning() -> None:
    with in_language(CHINESE):
        assert linked("水位线停滞，Watermark 不前进") == [("watermark", "水位线")]
        assert linked("Watermark停滞") == [("watermark", "Watermark")]
        assert "不再预期事件时间更早的事件" in glossary_links("水位线停滞", set())


@pytest.mark.parametrize("text", ["taskmanager.memory.task.heap.size", "/jobs/:jobid/checkpoints", "my-job", "tasked"])
def test_a_setting_a_path_or_another_word_is_no_term(text: str) -> None:
    assert linked(text) == []


def test_the_text_around_a_term_is_escaped() -> None:
    assert glossary_links("<b>job</b> & more", {"job"}) == "&lt;b&gt;job&lt;/b&gt; &amp; more"
    assert "&lt;b&gt;<a " in glossary_links("<b>job</b>", set())


@pytest.mark.django_db
def test_case_page_and_runbook_link_a_term_once_in_both_languages(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0]["runbook"] = "data-skew"
    analysis.save(update_fields=["document"])
    pages = (analysis.case.get_absolute_url(), reverse("runbooks:detail", args=[analysis.pk, 0]))
    for page in pages:
        for language in ("en", "zh-hans"):
            shown = signed_in(people.alice).get(page, HTTP_ACCEPT_LANGUAGE=language).content.decode()
            anchors = [anchor for anchor, _ in TERM.findall(shown)]
            assert len(anchors) == len(set(anchors))
            assert anchors or page == pages[0], "the sentences of the runbook have terms"


def test_a_long_name_may_be_broken_after_a_dot_and_not_within_a_word() -> None:
    name = "org.postgresql.jdbc.PgPreparedStatement.executeQuery"
    assert breakable(f"in {name} (<i>)") == f"in {name.replace('.', '.<wbr>')} (&lt;i&gt;)"
    assert breakable("Source: page-views at 1.5 times") == "Source: page-views at 1.5 times"
