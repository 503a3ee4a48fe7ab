"""Rules as validated values: every error at once, each with its line."""

import time

import pytest

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, reading_in
from diagnostics.rules.rule import Rule
from diagnostics.signals.signal import SignalDefinition

# ruff: noqa: RUF001 - punctuation of Chinese

RULE = """\
id: skew.hot-subtask
version: 1
symptom_class: data_skew
level: vertex
title: One subtask takes most of the records
severity: critical
when:
  all:
    - {fact: load.skew_ratio, op: ">=", value: 2}
confidence:
  base: 0.7
statement: "Subtask {load.hot} takes {load.share_ratio|percent}."
"""

VOCABULARY = {
    "load": SignalDefinition(
        key="load",
        level="vertex",
        facts={"skew_ratio": "", "share_ratio": "", "hot": ""},
        measure=lambda _: (),
    ),
    "clock": SignalDefinition(key="clock", level="subtask", facts={"offset_ms": ""}, measure=lambda _: ()),
}


def errors_of(text: str) -> list[str]:
    with pytest.raises(InvalidRule) as caught:
        Rule.from_yaml(text, "rule.yaml", VOCABULARY)
    return caught.value.errors


def test_a_complete_rule_loads() -> None:
    assert Rule.from_yaml(RULE, "rule.yaml", VOCABULARY).base == 0.7


def test_every_error_is_reported_at_once_with_its_line() -> None:
    broken = RULE.replace("severity: critical", "severity: urgent").replace("version: 1", "version: one")
    assert errors_of(broken) == [
        "rule.yaml line 2: `version` is a whole number from 1",
        "rule.yaml line 6: `severity` is one of critical, warning, info, not 'urgent'",
    ]


def test_errors_are_in_the_language_of_who_edits_and_keep_their_lines() -> None:
    broken = RULE.replace("severity: critical", "severity: urgent").replace("version: 1", "version: one")
    with reading_in(CHINESE):
        assert errors_of(broken) == [
            "rule.yaml，第 2 行：`version` 应为从 1 起的整数",
            "rule.yaml，第 6 行：`severity` 应为 critical、warning、info 之一，而不是 'urgent'",
        ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("load.skew_ratio", "load.skewness", "line 9: signal 'load' has no fact 'skewness'"),
        ("load.skew_ratio", "lode.skew_ratio", "unknown signal 'lode'"),
        ("load.skew_ratio", "clock.offset_ms", "is measured by subtask"),
        ("|percent", "|procent", "unknown format 'procent'"),
        ("{load.hot}", "{subject.planet}", "unknown part 'subject.planet'"),
        ("{load.hot}", "{load.hot", "a brace that is no placeholder"),
        ("base: 0.7", "base: 1.7", "a number above 0 and up to 1"),
        ("symptom_class: data_skew", "symptom_class: Data Skew!", "does not have the form"),
        ("severity: critical", "severity: critical\nadvice: maybe", "`advice` is true or false"),
        (
            "severity: critical",
            "severity: critical\ndimension: size",
            "`dimension` is one of checkpointing, back_pressure",
        ),
        ("severity: critical", "severity: critical\ncolour: red", "unknown entry 'colour'"),
        ("version: 1", "version: 1\nversion: 2", "'version' comes twice"),
        ("version: 1", "version: 1\nstatus: new", "`status` is one of experimental, stable, deprecated"),
        ("base: 0.7", "base: 0.7\n  suports: []", "line 12: unknown entry 'suports'"),
        ("value: 2}", "value: .nan}", "a number lies between"),
        ("value: 2}", "value: 1.0e+300}", "a number lies between"),
        ('op: ">=", value: 2}', 'op: "==", value: 2026-01-01}', "a number, a word, true or false"),
        ('op: ">=", value: 2}', 'op: "==", value: [2]}', "takes one value, not a list"),
        ('op: ">=", value: 2}', 'op: "==", value: "2 times"}', "a number is expected, not '2 times'"),
        ("load.share_ratio|percent", "load.share_ratio|bytes", "cannot be written as 'bytes'"),
        (
            '    - {fact: load.skew_ratio, op: ">=", value: 2}',
            '    - {fact: load.skew_ratio, op: ">=", value: 2}\n    - {fact: load.skew_ratio, op: "<", value: 1}',
            "line 7: it can never hold: load.skew_ratio cannot be",
        ),
    ],
)
def test_what_is_wrong_is_named(before: str, after: str, expected: str) -> None:
    assert expected in "\n".join(errors_of(RULE.replace(before, after)))


def test_aliases_are_refused_since_a_few_lines_can_stand_for_gigabytes() -> None:
    assert "aliases" in errors_of(RULE.replace("version: 1", "version: &one 1\ndocs: [*one]"))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RULE + "docs: " + "[" * 50_000, "20,000 are read"),
        (RULE + "docs: " + "[" * 5_000, "nested more than 40 deep"),
        (RULE + "x" * 1_000_000, "1,000,2"),
        (RULE + "docs: " + "9" * 9_000, "limit"),
        (
            RULE.replace("  all:\n", "  all:\n" + "    - {fact: load.hot, measured: true}\n" * 300),
            "at most 200 comparisons",
        ),
    ],
)
def test_what_would_be_endless_or_huge_is_refused_in_time(text: str, expected: str) -> None:
    began = time.process_time()
    assert expected in "\n".join(errors_of(text))
    assert time.process_time() - began < 5


def test_errors_of_text_and_of_references_come_together() -> None:
    broken = RULE.replace("severity: critical", "severity: urgent").replace("load.skew_ratio", "load.skewness")
    assert [error.split(":")[0] for error in errors_of(broken)] == ["rule.yaml line 6", "rule.yaml line 9"]


def test_text_that_is_not_yaml_is_named_with_its_line() -> None:
    assert "rule.yaml line 3" in errors_of("id: x\nversion: [1\n")[0]
