"""Nothing that is marked lacks its Chinese text, and no value is lost between both texts."""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

import pytest
from babel.messages.catalog import Message

from workbench.languages.catalogues import (
    CATALOGUE_SOURCES,
    COLLECTOR,
    ROOT,
    Source,
    catalogue,
    collector_written,
    compiled,
    is_translated,
    marked_in,
)
from workbench.languages.progress import code_shares, data_shares, progress_page, template_shares, unmarked_texts

PERCENT = re.compile(r"%\((\w+)\)s")
CHINESE_BESIDE_LATIN = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9%][\u4e00-\u9fff]")
SHARES_OF_TEMPLATES = cache(template_shares)
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:?!]|[\u4e00-\u9fff]\.(?:\s|$)")


def messages(source: Source) -> list[Message]:
    return [each for each in catalogue(source) if each.id]


def texts(message: Message) -> tuple[list[str], list[str]]:
    """The English and the Chinese forms."""
    english = [message.id] if isinstance(message.id, str) else list(message.id)
    chinese = [message.string] if isinstance(message.string, str) else list(message.string)
    return english, chinese


def values_in(text: str) -> set[str]:
    return set(PERCENT.findall(text)) | {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("source", CATALOGUE_SOURCES, ids=lambda each: each.domain)
def test_the_catalogue_has_exactly_what_is_marked(source: Source) -> None:
    marked = {(each.text if isinstance(each.text, str) else each.text[0], each.context) for each in source.marked()}
    stored = {(texts(each)[0][0], each.context) for each in messages(source)}
    assert stored == marked, "run manage.py translations"


@pytest.mark.parametrize("source", CATALOGUE_SOURCES, ids=lambda each: each.domain)
def test_everything_marked_is_translated(source: Source) -> None:
    assert [each.id for each in messages(source) if not is_translated(each)] == []


@pytest.mark.parametrize("source", CATALOGUE_SOURCES, ids=lambda each: each.domain)
def test_both_texts_have_the_same_values(source: Source) -> None:
    for message in messages(source):
        english, chinese = texts(message)
        assert {frozenset(values_in(each)) for each in chinese} == {frozenset(values_in(each)) for each in english[-1:]}


@pytest.mark.parametrize("source", CATALOGUE_SOURCES, ids=lambda each: each.domain)
def test_chinese_has_spaces_beside_latin_words_and_full_width_punctuation(source: Source) -> None:
    chinese = [PERCENT.sub("", text) for message in messages(source) for text in texts(message)[1]]
    assert [each for each in chinese if CHINESE_BESIDE_LATIN.search(each) or HALF_WIDTH.search(each)] == []


@pytest.mark.parametrize("source", CATALOGUE_SOURCES, ids=lambda each: each.domain)
def test_the_compiled_catalogue_is_that_of_the_text(source: Source) -> None:
    assert source.path().with_suffix(".mo").read_bytes() == compiled(catalogue(source)), "run manage.py translations"


def test_the_collector_has_its_sentences_in_chinese() -> None:
    assert COLLECTOR.read_text("utf-8") == collector_written(), "run manage.py translations"


def test_the_page_of_what_is_translated_has_every_area() -> None:
    page = progress_page()
    areas = (*SHARES_OF_TEMPLATES(), *data_shares(), *code_shares())
    assert [area for area in areas if f"| {area} |" not in page] == []


@pytest.mark.parametrize("area", ["templates/analyses", "templates/case_pages", "templates/redaction"])
def test_pages_of_the_main_way_stay_translated(area: str) -> None:
    assert SHARES_OF_TEMPLATES()[area].percent >= 95


def test_a_text_without_a_mark_is_counted() -> None:
    template = '<p title="A hint">{% translate "Files" %} and {{ more }} others <code>log.txt</code></p>'
    assert unmarked_texts(template) == ["A hint", "and   others"]


def test_a_mark_of_a_template_is_found_between_any_tags() -> None:
    path = ROOT / "templates" / "404.html"
    assert "Not found" in [each.text for each in marked_in(path)]
