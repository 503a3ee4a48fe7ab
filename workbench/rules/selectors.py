"""Reads stored rules as the library's values."""

from __future__ import annotations

from functools import lru_cache

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from diagnostics.errors import InvalidRule
from diagnostics.rules import rule as diagnostics_rule
from diagnostics.rules import shipped as diagnostics_shipped
from workbench.languages.sentences import say
from workbench.rules.models import Origin, Rule, Ruleset, RuleVersion, VersionState


def rules_of(ruleset: Ruleset) -> tuple[diagnostics_rule.Ruleset, list[str]]:
    """The rules, and a sentence for each stored rule that no longer loads."""
    rules, unreadable = [], []
    for rule_id, text in rule_texts(ruleset).items():
        try:
            rules.append(_rule(rule_id, text))
        except InvalidRule as error:
            unreadable.append(say("Rule {rule_id} was left out: {error}", rule_id=rule_id, error=error))
    return diagnostics_rule.Ruleset.of(rules), unreadable


def rule_texts(ruleset: Ruleset) -> dict[str, str]:
    """The text of each of its rules by id, sorted by id, including bundled rules."""
    texts = dict(ruleset.versions.values_list("rule__rule_id", "text"))
    if ruleset.of_bundle:
        texts |= dict(ruleset.bundled_rules.values_list("rule_id", "text"))
    return dict(sorted(texts.items()))


def versions_that_count(published: QuerySet[RuleVersion]) -> dict[int, RuleVersion]:
    """Primary key of each rule -> its effective version: the published local one, else the newest shipped one."""
    chosen: dict[int, RuleVersion] = {}
    for version in published.order_by("rule_id", "-pk"):
        present = chosen.setdefault(version.rule_id, version)
        if version.origin == Origin.LOCAL and present.origin == Origin.SHIPPED:
            chosen[version.rule_id] = version
    return chosen


def rule_readable(rule_id: str) -> Rule:
    """The rule, for any signed-in user. Raises Http404 for one without a version."""
    return get_object_or_404(Rule.objects.filter(versions__isnull=False).distinct(), rule_id=rule_id)


def version_to_edit(rule: Rule) -> RuleVersion:
    """The effective version (or the one that would be if the rule were enabled), else the newest one."""
    return versions_to_edit(Rule.objects.filter(pk=rule.pk))[rule.rule_id]


def versions_to_edit(rules: QuerySet[Rule]) -> dict[str, RuleVersion]:
    """Rule id -> its version to edit; rules without a version are left out."""
    versions = RuleVersion.objects.filter(rule__in=rules).select_related("rule").order_by("pk")
    chosen = versions_that_count(versions.filter(state=VersionState.PUBLISHED))
    # In the order of their keys: the newest version of a rule comes last.
    chosen |= {version.rule_id: version for version in versions.exclude(rule__in=chosen)}
    return {version.rule.rule_id: version for version in chosen.values()}


def rule_of(version: RuleVersion) -> diagnostics_rule.Rule:
    """The library's rule of a stored version. Raises InvalidRule for one that no longer loads."""
    return _rule(version.rule.rule_id, version.text)


@lru_cache(maxsize=1000)
def _rule(rule_id: str, text: str) -> diagnostics_rule.Rule:
    # Most stored rules are shipped ones, which a process has read already: to read 209 again took 0.5 s.
    return diagnostics_shipped.shipped_rule(rule_id, text) or diagnostics_rule.Rule.from_yaml(text, rule_id)
