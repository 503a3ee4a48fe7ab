"""Stored rules as the library's rules."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from diagnostics import rule as diagnostics_rule
from diagnostics.errors import InvalidRule
from workbench.rules.models import Ruleset, RuleVersion


def rules_of(ruleset: Ruleset) -> tuple[diagnostics_rule.Ruleset, list[str]]:
    """The rules to judge with, and a sentence for each stored rule that no longer loads."""
    return rules_from(ruleset.versions.select_related("rule").order_by("rule__rule_id"))


def rules_from(versions: Iterable[RuleVersion]) -> tuple[diagnostics_rule.Ruleset, list[str]]:
    """As `rules_of`, for any versions."""
    rules, unreadable = [], []
    for version in versions:
        try:
            rules.append(_rule(version.rule.rule_id, version.text))
        except InvalidRule as error:
            unreadable.append(f"Rule {version.rule} version {version.number} was left out: {error}")
    return diagnostics_rule.Ruleset.of(rules), unreadable


@lru_cache(maxsize=1000)
def _rule(rule_id: str, text: str) -> diagnostics_rule.Rule:
    return diagnostics_rule.Rule.from_yaml(text, rule_id)
