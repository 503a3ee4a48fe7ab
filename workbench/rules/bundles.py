"""The rules that arrive with the bundle of a case."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from diagnostics.errors import InvalidRule
from workbench.accounts.models import User
from workbench.languages.sentences import say
from workbench.rules.models import BundledRule, Ruleset, RuleVersion
from workbench.rules.services import text_digest
from workbench.rules.validation import checked_rule


def bundled_rules(texts: Iterable[str]) -> list[BundledRule]:
    """The validated rules of a bundle, not stored.

    Parsing takes seconds, so it must not happen within a transaction. Raises InvalidRule.
    """
    rules = {}
    for text in texts:
        rule_id = checked_rule(text).id
        if rule_id in rules:
            raise InvalidRule([say("two rules have the id {rule_id!r}", rule_id=rule_id)])
        rules[rule_id] = BundledRule(rule_id=rule_id, text=text)
    return list(rules.values())


@transaction.atomic
def ruleset_of_bundle(*, rules: Iterable[BundledRule], reason: str, user: User) -> Ruleset:
    """A ruleset of exactly these rules (`bundled_rules`), for the case they were imported with.

    A known text becomes its known version; every other one exists only in the ruleset and does not occupy its id.
    """
    ruleset = Ruleset.objects.create(reason=reason[:300], created_by=user, of_bundle=True)
    by_digest = {text_digest(each.text): each for each in rules}
    known = {version.sha256: version for version in RuleVersion.objects.filter(sha256__in=by_digest)}
    ruleset.versions.set(known.values())
    foreign = [rule for digest, rule in by_digest.items() if digest not in known]
    for rule in foreign:
        rule.ruleset = ruleset
    BundledRule.objects.bulk_create(foreign)
    return ruleset
