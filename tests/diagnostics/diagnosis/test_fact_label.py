"""Every fact that a rule or a step of a runbook compares has a label that a reader understands without the rule."""

from __future__ import annotations

import re

import pytest

from diagnostics.diagnosis.fact_label import chinese_labels, fact_label
from diagnostics.language import CHINESE, reading_in
from diagnostics.rules.shipped import shipped_rules
from diagnostics.runbook import runbooks
from diagnostics.signals import DEFINITIONS

RELATIVE = re.compile(
    r"(?:its|their|the same|the (?:first|last|others?|further)|how (?:many|much|long|often|far)|th(?:at|ose|ese)"
    r"|which|what|where|when|of|in |by|since|because|both|either|least (?:that|that))\b"
)
"""Words that begin a label which needs the one before it."""
INTERNAL = re.compile(r"_|`|\.yaml|\.csv")


def compared_facts() -> list[str]:
    """Facts in conditions of rules, of runbook answers, and of exits."""
    facts = {fact for rule in shipped_rules() for part in rule.conditions() for fact in part.facts()}
    facts |= {fact for rule in shipped_rules() for part, _ in rule.severity_when for fact in part.facts()}
    for runbook in runbooks().values():
        for step in runbook.steps:
            conditions = [step.done_when, *(answer.when for answer in step.answers)]
            facts |= {fact for part in conditions if part for fact in part.facts()}
    return sorted(facts)


def fault(label: str) -> str | None:
    """Why a reader would not understand the label alone."""
    if " " not in label:
        return "one word"
    if INTERNAL.search(label):
        return "an internal name"
    if RELATIVE.match(label):
        return "it begins with a word that refers to another label"
    return None


def test_every_compared_fact_has_a_label_that_is_understood_alone() -> None:
    faults = {fact: (label, reason) for fact in compared_facts() if (reason := fault(label := fact_label(fact)))}
    assert faults == {}


def test_every_fact_of_a_signal_has_a_chinese_label() -> None:
    labels = chinese_labels()
    facts = [(key, fact) for key, definition in DEFINITIONS.items() for fact in definition.facts]
    assert [f"{key}.{fact}" for key, fact in facts if fact not in labels.get(key, {})] == []


@pytest.mark.parametrize(
    ("fact", "label"),
    [
        ("load_balance.hot_busy_ratio", "busy ratio of the hot subtask"),
        ("settings.state_backend", "state backend"),
        ("heap_pressure.live_ratio", "live data as part of the usable heap (of the worst TaskManager)"),
        ("restarts.gone_since", "gone since"),
        ("prepare", "prepare"),
    ],
)
def test_units_and_explanations_are_no_part_of_a_label(fact: str, label: str) -> None:
    assert fact_label(fact) == label


def test_a_label_is_in_the_language_of_its_reader() -> None:
    with reading_in(CHINESE):
        assert fact_label("load_balance.hot_busy_ratio") == "热点子任务的繁忙比例"
        assert fact_label("restarts.gone_since") == "gone since"
    assert fact_label("load_balance.hot_busy_ratio") == "busy ratio of the hot subtask"


def test_a_chinese_label_belongs_to_a_fact_that_is_measured() -> None:
    labels = chinese_labels()
    assert [(key, name) for key in labels for name in labels[key] if name not in DEFINITIONS[key].facts] == []
