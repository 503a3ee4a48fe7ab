"""The Chinese text of a rule or runbook states the facts of the English one, and an error in it has its place."""

from __future__ import annotations

import re

import pytest

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, Text, in_reader_language, joined_sentences, reading_in, say
from diagnostics.rules.rule import Rule
from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import runbooks
from diagnostics.symptoms import symptoms
from diagnostics.wording import phrase

RULE = """\
id: skew.test
version: 1
symptom_class: data_skew
level: vertex
title: One subtask takes most of the records
title_zh: 一个子任务处理大部分记录
severity: critical
when: {fact: load_balance.skew_ratio, op: ">=", value: 2, source: "made up for the test"}
confidence: {base: 0.9}
statement: "{subject.vertex} has a skew of {load_balance.skew_ratio|plain}."
statement_zh: "STATEMENT"
false_alarms: [a start after a pause]
false_alarms_zh: [停顿之后启动]
"""


def rule(statement: str) -> Rule:
    return Rule.from_yaml(RULE.replace("STATEMENT", statement), "rule")


def test_a_rule_is_read_in_both_languages() -> None:
    found = rule("{load_balance.skew_ratio|plain} 是 {subject.vertex} 的倾斜度。")
    assert (found.title, in_reader_language(found.title)) == (found.title, "One subtask takes most of the records")
    with reading_in(CHINESE):
        assert in_reader_language(found.title) == "一个子任务处理大部分记录"
        assert [in_reader_language(each) for each in found.false_alarms] == ["停顿之后启动"]


def test_a_fact_that_one_language_lacks_is_an_error_with_its_line() -> None:
    with pytest.raises(InvalidRule, match=r"line 10: the text in zh-hans has other facts: load_balance\.skew_ratio"):
        rule("{subject.vertex} 倾斜。")


def test_an_unknown_format_in_the_translation_is_an_error() -> None:
    with pytest.raises(InvalidRule, match="unknown format 'shown'"):
        rule("{subject.vertex} 的倾斜度是 {load_balance.skew_ratio|shown}。")


def test_a_list_has_as_many_texts_in_both_languages() -> None:
    text = RULE.replace("STATEMENT", "{subject.vertex} {load_balance.skew_ratio|plain}")
    with pytest.raises(InvalidRule, match="`false_alarms_zh` has a text for each of `false_alarms`"):
        Rule.from_yaml(text.replace("[停顿之后启动]", "[停顿之后启动, 其他]"), "rule")


def test_sentences_of_code_are_made_in_the_language_of_the_reader() -> None:
    assert (say("{count} more files", count=3), phrase.enumeration(["a", "b", "c"])) == ("3 more files", "a, b and c")
    with reading_in(CHINESE):
        assert say("{count} more files", count=3) == "另外 3 个文件"
        assert phrase.enumeration(["a", "b", "c"]) == "a、b 和 c"
        assert phrase.enumeration(["繁忙 9 %", "反压 0 %"]) == "繁忙 9 % 和反压 0 %"
        assert phrase.duration(2 * 86_400_000) == "2 天"
        assert joined_sentences(["一。", "二。"]) == "一。二。"
        assert joined_sentences(["启用 X", "见下。", "No room."]) == "启用 X 见下。No room."
        assert phrase.split_sentences("一。二。") == ["一。", "二。"]
        assert phrase.split_sentences("原因是“Too early. Wait.”。二。") == ["原因是“Too early. Wait.”。", "二。"]


@pytest.mark.parametrize("symptom_class", ["rocksdb_slow_upload", "healthy"])
def test_a_translated_class_has_every_text_of_its_rules_and_its_runbook(symptom_class: str) -> None:
    assert isinstance(symptoms()[symptom_class].title, Text)
    for each in (each for each in shipped_rules() if each.symptom_class == symptom_class):
        said = [each.title, each.statement, *(remark.say for remark in (*each.also, *each.first))]
        said += [adjustment.because for adjustment in each.adjustments]
        assert [text for text in said if not isinstance(text, Text)] == [], each.id
    for runbook in (each for each in runbooks().values() if each.symptom_class == symptom_class):
        texts = [runbook.title, runbook.goal]
        for step in runbook.steps:
            texts += [*step.texts.values(), *step.measured, *(look.what for look in step.look)]
            texts += [futile.text for futile in step.wont_help]
            texts += [text for answer in step.answers for text in (answer.condition, answer.meaning)]
        assert [text for text in texts if not isinstance(text, Text)] == [], runbook.id


def test_no_chinese_text_stands_where_english_is_read() -> None:
    chinese = re.compile(r"[\u4e00-\u9fff]")
    for each in shipped_rules():
        said = [each.title, each.statement, *each.false_alarms, *(remark.say for remark in (*each.also, *each.first))]
        assert [text for text in said if chinese.search(str(text))] == []
