"""What the tests of rules share: a database without rules, so that each sees only those that it made."""

from __future__ import annotations

import pytest

from workbench.rules.models import Rule, Ruleset, RuleVersion


@pytest.fixture(autouse=True)
def no_rules_yet(db: None) -> None:
    """The shipped rules that the database came with are taken out for one test."""
    for model in (Ruleset, RuleVersion, Rule):
        model.objects.all().delete()
