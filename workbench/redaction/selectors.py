"""Reads the redaction rules in force, and builds the redactor of an upload."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings

from diagnostics.redaction import RedactionRule, Redactor, shipped_redaction_rules
from workbench.machine.secret import kept_secret
from workbench.redaction import models


def redaction_rules() -> list[RedactionRule]:
    """The shipped rules and those of this workbench, which replace shipped ones with their id."""
    own = {each.rule_id: each for each in models.RedactionRule.objects.all()}
    shipped = [rule for rule in shipped_redaction_rules() if rule.id not in own]
    return [*shipped, *(each.as_rule() for each in own.values() if each.active)]


def redactor_for(chosen: Collection[str]) -> Redactor | None:
    """Applies the selected rules, and the default ones when this workbench redacts everything; None without rules."""
    rules = [rule for rule in redaction_rules() if rule.id in chosen or (settings.REDACT_ALWAYS and rule.usual)]
    return Redactor(rules, _key()) if rules else None


def _key() -> bytes:
    """Key kept beside the data: without it nobody can test which value a pseudonym represents."""
    return kept_secret(settings.WORKBENCH_DATA / "redaction-key").encode()
