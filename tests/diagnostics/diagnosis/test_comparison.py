"""Comparing two versions of a rule gives the same as judging with either ruleset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from diagnostics.diagnosis.comparison import compare_rule
from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.sample import shipped_samples
from diagnostics.rules.rule import Rule, Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.signals import DEFINITIONS
from diagnostics.yaml_document import read_yaml

RULES = {rule.id: rule for rule in shipped_rules()}


def stored(rule_id: str) -> list[dict[str, Any]]:
    """The firing sample of a shipped rule as an analysis stores signals."""
    signals = read_yaml(shipped_samples()[rule_id]["fires"], rule_id).content["signals"]
    return [
        {"citations": [], "citation_count": 0, "subject": {}, "level": DEFINITIONS[each["key"]].level, **each}
        | {"window": None}
        for each in signals
    ]


def verdict(signals: list[dict[str, Any]], rules: list[Rule]) -> str:
    return str(judge(signals, [], Ruleset.of(rules))["verdict"]["symptom_class"])


@pytest.mark.parametrize("rule_id", sorted(RULES))
def test_both_sides_are_what_judging_says(rule_id: str) -> None:
    signals, others = stored(rule_id), [rule for rule in RULES.values() if rule.id != rule_id]
    unsure = replace(RULES[rule_id], base=0.05, adjustments=())
    compared = compare_rule(signals, Ruleset.of(others), RULES[rule_id], unsure)
    assert compared.before.verdict == verdict(signals, [*others, RULES[rule_id]])
    assert compared.after.verdict == verdict(signals, [*others, unsure])


def test_a_rule_that_is_taken_away_fires_no_more() -> None:
    rule = RULES["sink.origin"]
    others = Ruleset.of(each for each in RULES.values() if each is not rule)
    compared = compare_rule(stored("sink.origin"), others, rule, None)
    assert (compared.before.claims, compared.after.fired, compared.changes_firing) == (True, None, True)
