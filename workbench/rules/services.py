"""Writes about rules: shipped ones loaded, drafts saved, versions published. A published text never changes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from diagnostics import rule as diagnostics_rule
from diagnostics.errors import InvalidRule
from diagnostics.yaml_document import read_yaml
from workbench.accounts.models import User
from workbench.rules.models import Origin, Rule, Ruleset, RuleVersion, VersionState
from workbench.rules.validation import checked_rule


@dataclass(frozen=True, slots=True)
class Loaded:
    """What `rules_load` did, by rule id.

    kept_local  rules whose published text was written here while a newer shipped one is stored beside it
    """

    added: list[str]
    dropped: list[str]
    kept_local: list[str]
    ruleset: Ruleset


@transaction.atomic
def rules_load() -> Loaded:
    """Stores the shipped rules that are new and publishes them, except where a local edit is published: that stays.

    A shipped rule that is shipped no longer is retired. Raises InvalidRule when a shipped rule does not load.
    """
    shipped = {rule.id: rule for rule in diagnostics_rule.shipped_rules()}
    texts = diagnostics_rule.shipped_rule_texts()
    added = [rule_id for rule_id in shipped if _store_shipped(shipped[rule_id], texts[rule_id])]
    gone = RuleVersion.objects.filter(origin=Origin.SHIPPED, state=VersionState.PUBLISHED).exclude(
        rule__rule_id__in=shipped
    )
    dropped = list(gone.values_list("rule__rule_id", flat=True))
    gone.update(state=VersionState.RETIRED)
    local = RuleVersion.objects.filter(origin=Origin.LOCAL, state=VersionState.PUBLISHED)
    kept_local = list(local.filter(rule__rule_id__in=added).values_list("rule__rule_id", flat=True))
    ruleset = Ruleset.objects.first()
    if ruleset is None or added or dropped:
        ruleset = ruleset_make(reason=f"Shipped rules loaded: {len(added)} new, {len(dropped)} gone", user=None)
    return Loaded(added, dropped, kept_local, ruleset)


def ruleset_published() -> Ruleset:
    """The ruleset that new analyses judge with; the shipped rules are loaded when there is none yet."""
    return Ruleset.objects.first() or rules_load().ruleset


@transaction.atomic
def draft_save(*, text: str, user: User, draft: RuleVersion | None = None) -> RuleVersion:
    """A new draft, or a draft's new text. Raises InvalidRule with every error, each with its line."""
    rule = checked_rule(text, draft)
    identity, _ = Rule.objects.get_or_create(rule_id=rule.id)
    draft = draft or RuleVersion(origin=Origin.LOCAL, author=user)
    draft.rule = identity
    draft.number = rule.version
    draft.text = text
    draft.sha256 = _digest(text)
    draft.symptom_class = rule.symptom_class
    draft.title = rule.title
    draft.save()
    return draft


def draft_from(*, version: RuleVersion, user: User) -> RuleVersion:
    """A draft with the version's text under the next free version number, to be edited."""
    number = _highest(version.rule) + 1
    lines = version.text.splitlines()
    place = read_yaml(version.text, version.rule.rule_id).lines[("version",)] - 1
    lines[place] = f"version: {number}"
    return draft_save(text="\n".join(lines) + "\n", user=user)


@transaction.atomic
def rule_publish(*, version: RuleVersion, user: User) -> Ruleset:
    """Makes the version the one that counts for its rule, in a new ruleset. Raises InvalidRule."""
    if version.origin == Origin.SHIPPED:
        raise InvalidRule([f"{version} is shipped: loading the shipped rules publishes it"])
    checked_rule(version.text, version)
    same_rule = RuleVersion.objects.filter(rule=version.rule, state=VersionState.PUBLISHED)
    same_rule.filter(origin=Origin.LOCAL).exclude(pk=version.pk).update(state=VersionState.RETIRED)
    version.state = VersionState.PUBLISHED
    version.published_by = user
    version.published_at = timezone.now()
    version.save(update_fields=["state", "published_by", "published_at"])
    return ruleset_make(reason=f"{version.rule} version {version.number} published", user=user)


@transaction.atomic
def version_retire(*, version: RuleVersion, user: User) -> Ruleset:
    """Takes a local version out of use; the shipped one of the same rule counts again, if there is one."""
    version.state = VersionState.RETIRED
    version.save(update_fields=["state"])
    return ruleset_make(reason=f"{version.rule} version {version.number} retired", user=user)


@transaction.atomic
def rule_switch(*, rule: Rule, enabled: bool, user: User) -> Ruleset:
    """Takes a rule out of new rulesets without losing its versions, or brings it back."""
    rule.enabled = enabled
    rule.save(update_fields=["enabled"])
    return ruleset_make(reason=f"{rule} switched {'on' if enabled else 'off'}", user=user)


def ruleset_make(*, reason: str, user: User | None) -> Ruleset:
    """A ruleset of what is published now: for each enabled rule its local version, else the newest shipped one."""
    published = RuleVersion.objects.filter(state=VersionState.PUBLISHED, rule__enabled=True)
    chosen: dict[int, RuleVersion] = {}
    for version in published.order_by("rule_id", "-pk"):
        present = chosen.setdefault(version.rule_id, version)
        if version.origin == Origin.LOCAL and present.origin == Origin.SHIPPED:
            chosen[version.rule_id] = version
    ruleset = Ruleset.objects.create(reason=reason, created_by=user)
    ruleset.versions.set(chosen.values())
    return ruleset


def _store_shipped(rule: diagnostics_rule.Rule, text: str) -> bool:
    """Stores a shipped text that is not the published one already; the shipped text before it is retired."""
    identity, _ = Rule.objects.get_or_create(rule_id=rule.id)
    shipped = RuleVersion.objects.filter(rule=identity, origin=Origin.SHIPPED)
    if shipped.filter(sha256=_digest(text), state=VersionState.PUBLISHED).exists():
        return False
    shipped.filter(state=VersionState.PUBLISHED).update(state=VersionState.RETIRED)
    RuleVersion.objects.update_or_create(
        rule=identity,
        origin=Origin.SHIPPED,
        number=rule.version,
        sha256=_digest(text),
        defaults={
            "state": VersionState.PUBLISHED,
            "published_at": timezone.now(),
            "text": text,
            "symptom_class": rule.symptom_class,
            "title": rule.title,
        },
    )
    return True


def _highest(rule: Rule) -> int:
    return rule.versions.aggregate(highest=Max("number"))["highest"] or 0


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
