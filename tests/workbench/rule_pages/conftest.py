"""The pages of rules are tested as the rules themselves: each test sees only the rules that it made."""

from __future__ import annotations

from tests.workbench.rules.conftest import no_rules_yet

__all__ = ["no_rules_yet"]
