"""Rules that do not hold: refuted by what was measured, or only because a finding says more."""

from __future__ import annotations

from typing import Any

from diagnostics.diagnosis.judge import judge
from diagnostics.rules.rule import Rule, Ruleset
from tests.diagnostics.diagnosis.test_match import signal


def compared(fact: str, op: str, value: float) -> dict[str, Any]:
    return {"fact": fact, "op": op, "value": value, "source": "our choice: an example"}


def rule(name: str, when: dict[str, Any]) -> Rule:
    entry = {
        "id": name,
        "version": 1,
        "symptom_class": "checkpoint_timeout",
        "level": "job",
        "title": name,
        "severity": "warning",
        "when": when,
        "confidence": {"base": 0.8},
        "statement": "It holds.",
    }
    return Rule.from_mapping(entry, "test")


EXPIRED = rule("expired", compared("progress.expired", ">=", 1))
NEAR = rule("near", {"all": [compared("progress.expired", "==", 0), compared("progress.share", ">=", 0.5)]})


def silent(*rules: Rule, **facts: Any) -> list[dict[str, Any]]:
    document = judge([signal("progress", **facts)], [], Ruleset.of(rules))
    found: list[dict[str, Any]] = document["checks"]["silent"]
    return found


def test_a_rule_that_asks_for_less_of_what_a_finding_counts_is_covered_by_it() -> None:
    assert [(each["title"], each["covered_by"]) for each in silent(EXPIRED, NEAR, expired=3, share=0.93)] == [
        ("near", 0)
    ]


def test_a_rule_that_something_else_refutes_as_well_is_not_covered() -> None:
    assert [each["covered_by"] for each in silent(EXPIRED, NEAR, expired=3, share=0.1)] == [None]


def test_a_rule_of_which_something_is_not_measured_is_not_covered() -> None:
    assert [each["covered_by"] for each in silent(EXPIRED, NEAR, expired=3)] == [None]


def test_a_rule_that_no_finding_says_more_of_is_not_covered() -> None:
    assert [each["covered_by"] for each in silent(NEAR, expired=3, share=0.93)] == [None]


def test_a_branch_that_is_not_needed_does_not_refute_a_rule() -> None:
    either = {"any": [compared("progress.share", ">=", 0.5), compared("progress.running", ">=", 0.5)]}
    [one] = silent(
        rule("near", {"all": [compared("progress.expired", "==", 0), either]}), expired=3, share=0.93, running=0
    )
    assert [each["fact"] for each in one["checks"]] == ["progress.expired"]


def test_a_counter_indication_that_is_there_refutes_a_rule() -> None:
    [one] = silent(rule("near", {"none": [compared("progress.expired", ">=", 1)]}), expired=3)
    assert [(each["op"], each["bound"], each["value"]) for each in one["checks"]] == [("<", 1, 3)]
