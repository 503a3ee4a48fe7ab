"""What the tests of rules share: a database without rules, so that each sees only those that it made."""

from __future__ import annotations

import pytest
from django.db import connection

from workbench.rules.models import Rule, Ruleset, RuleVersion


@pytest.fixture(autouse=True)
def no_rules_yet(db: None) -> None:
    """The shipped rules that the database came with are taken out for one test."""
    with connection.cursor() as cursor:  # Django would read all of them first, to look for what else goes with them
        for model in (Ruleset.versions.through, Ruleset, RuleVersion, Rule):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")
