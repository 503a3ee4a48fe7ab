"""Whether a rule's text can be saved: the library's own checks, and that no version is written twice."""

from __future__ import annotations

from diagnostics import rule as diagnostics_rule
from diagnostics.errors import InvalidRule
from workbench.rules.models import RuleVersion


def checked_rule(text: str, draft: RuleVersion | None = None) -> diagnostics_rule.Rule:
    """The rule that the text holds, for a new draft or instead of the text of `draft`.

    Raises InvalidRule with every error, each with its line.
    """
    # Loads PySpark, which takes a second and which a web server that saves no rule does not need.
    from diagnostics.signals import DEFINITIONS

    rule = diagnostics_rule.Rule.from_yaml(text, "rule", DEFINITIONS)
    if draft and draft.rule.rule_id != rule.id:
        raise InvalidRule([f"rule: `id` is {rule.id!r}; a draft of {draft.rule.rule_id!r} keeps it"])
    others = RuleVersion.objects.filter(rule__rule_id=rule.id, number=rule.version)
    if draft:
        others = others.exclude(pk=draft.pk)
    if (draft is None or draft.number != rule.version) and others.exists():
        raise InvalidRule([f"rule: version {rule.version} of {rule.id!r} exists; versions are never overwritten"])
    return rule
