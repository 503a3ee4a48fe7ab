"""What bounds rest on: every text of a shipped rule, runbook and calculator that cites names sources that exist."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from diagnostics.calculators import CALCULATORS
from diagnostics.language import CHINESE, reading_in
from diagnostics.rules.condition import Compare, Condition, Group
from diagnostics.rules.rule import Rule
from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import runbooks
from diagnostics.vocabulary.sources import (
    OWN_CHOICE,
    bound_reasons,
    cited_sources,
    disputed_claims,
    said_source,
    sources,
)


def bounds(condition: Condition) -> list[Compare]:
    if isinstance(condition, Group):
        return [bound for item in condition.items for bound in bounds(item)]
    return [condition] if isinstance(condition, Compare) else []


def test_ids_become_titles_and_what_follows_is_kept() -> None:
    cited = cited_sources("bp.level: bursts pass")
    assert [source.id for source in cited.sources] == ["bp.level"]
    assert cited.text == "Flink documentation, Monitoring Back Pressure: bursts pass"


def test_several_sources_of_one_page_are_named_once() -> None:
    cited = cited_sources("cpu.serialization, cpu.regex")
    assert len(cited.sources) == 2
    assert [each.id for each in cited.places] == ["cpu.serialization"]
    assert cited.text == "Flink documentation, Flame Graphs"


def test_lines_of_one_document_are_listed_below_one_title() -> None:
    cited = cited_sources("S006, bp.level, S007")
    assert [words for _, words in cited.listed] == [
        "Checkpoint failures and back pressure in practice, line 17",
        "line 19",
        "Flink documentation, Monitoring Back Pressure",
    ]
    whole = [each.id for each in sources().values() if each.title == sources()["S006"].document]
    assert [source.id for source, _ in cited_sources(f"S006, {whole[0]}").listed] == ["S006"]


@pytest.mark.parametrize("text", ["our choice: bursts pass", "bp.levels", "https://flink.apache.org/", ""])
def test_a_text_without_a_source_is_unchanged(text: str) -> None:
    assert cited_sources(text).sources == ()
    assert cited_sources(text).text == text


def test_a_reason_is_in_the_language_of_its_reader_and_names_stay() -> None:
    with reading_in(CHINESE):
        assert cited_sources("our choice: a fair sample").text.endswith("样本充分")
        assert cited_sources("bp.level: nothing waits for it").detail == "没有什么在等待它"
        assert cited_sources("flink.logs: state.size.limit").detail == "state.size.limit"
        assert cited_sources("our choice: a reason without translation").text.endswith("a reason without translation")


def test_every_source_says_something_and_a_public_one_has_an_address() -> None:
    assert [each.id for each in sources().values() if not each.says or not each.title] == []
    assert [
        each.id for each in sources().values() if each.basis != "claim" and not (each.url or "").startswith("https://")
    ] == []


FACT = re.compile(r"\d+(?:[.,]\d+)*|[A-Za-z]+(?:[._][A-Za-z]+)+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+", re.ASCII)
"""A number, or the name of an option, a metric, a class or a function."""


def facts(text: str) -> Counter[str]:
    return Counter(name.removesuffix("s") for name in FACT.findall(text))


def test_what_a_source_says_is_read_in_chinese_with_the_same_numbers_and_names() -> None:
    with reading_in(CHINESE):
        read = {each.id: (each.says, each.read_says) for each in sources().values()}
    assert [
        english
        for english, chinese in read.values()
        if english == chinese and re.search(r"\b[a-z]{3,} [a-z]{2,} [a-z]", english)
    ] == []
    assert {source_id: texts for source_id, texts in read.items() if facts(texts[0]) != facts(texts[1])} == {}


@pytest.mark.parametrize("rule", shipped_rules(), ids=lambda rule: rule.id)
def test_a_shipped_rule_cites_what_is_in_the_catalogue(rule: Rule) -> None:
    texts = [bound.source for part in rule.conditions() for bound in bounds(part) if bound.source] + list(rule.docs)
    unknown = [
        text for text in texts if not text.startswith((OWN_CHOICE, "https://")) and not cited_sources(text).sources
    ]
    assert unknown == []


def test_runbooks_and_calculators_cite_what_is_in_the_catalogue() -> None:
    cited = [*(each for calculator in CALCULATORS.values() for each in calculator.docs)]
    cited += [each for runbook in runbooks().values() for step in runbook.steps for each in step.docs]
    assert len(cited) > 50
    assert sorted({each for each in cited if not each.startswith("https://") and each not in sources()}) == []


def test_disputed_claims_are_answered() -> None:
    claims = disputed_claims()
    assert len(claims) == 14
    assert [each.claim for each in claims if not each.answer] == []
    assert {each for claim in claims for each in claim.sources} <= sources().keys()
    assert not [claim for claim in claims if re.search(r"S\d{3}", claim.claim)]


def test_disputed_claims_are_answered_in_the_language_of_their_reader() -> None:
    with reading_in(CHINESE):
        read = [each.read() for each in disputed_claims()]
    assert [each.answer for each in read if not each.answer.endswith("。")] == []
    assert disputed_claims()[0].read().answer.endswith(".")


def test_a_source_that_is_said_is_read_like_the_stored_one() -> None:
    for text in ("bp.level: nothing waits for it", "our choice: a fair sample", "cpu.serialization, cpu.regex", ""):
        assert said_source(text) == text
    with reading_in(CHINESE):
        said = said_source("bp.level: nothing waits for it")
        assert said == "bp.level: 没有什么在等待它"
        assert [each.id for each in cited_sources(said).sources] == ["bp.level"]
        assert said_source("our choice: a fair sample").endswith("样本充分")


def test_every_reason_of_our_own_has_its_chinese() -> None:
    reasons = {
        source.removeprefix(f"{OWN_CHOICE}: ")
        for rule in shipped_rules()
        for condition in (rule.when, *(each.when for each in (*rule.adjustments, *rule.also, *rule.first)))
        if condition is not None
        for source in (each.source for each in bounds(condition))
        if source and source.startswith(OWN_CHOICE)
    }
    assert reasons
    assert sorted(reasons - bound_reasons().keys()) == []
