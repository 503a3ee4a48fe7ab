"""Writes about rules: load shipped ones, save drafts, publish versions. A published text never changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from diagnostics.diagnosis.sample import shipped_samples
from diagnostics.errors import InvalidRule
from diagnostics.rules import rule as diagnostics_rule
from diagnostics.rules import shipped as diagnostics_shipped
from diagnostics.rules.rule import LONGEST_RULE
from diagnostics.yaml_document import LONGEST_DOCUMENT, read_yaml
from workbench.accounts.models import User
from workbench.languages.sentences import say, to_say
from workbench.rules.models import (
    Draft,
    EventKind,
    Origin,
    Rule,
    RuleEvent,
    Ruleset,
    RuleVersion,
    VersionState,
)
from workbench.rules.runbook_texts import RUNBOOK, checked_runbook, is_runbook
from workbench.rules.selectors import versions_that_count
from workbench.rules.validation import blockers, checked_rule


@dataclass(frozen=True, slots=True)
class Loaded:
    """Result of `rules_load`, by rule id.

    kept_local  rules whose local text stays published beside a newer shipped one
    """

    added: list[str]
    dropped: list[str]
    kept_local: list[str]
    ruleset: Ruleset


@transaction.atomic
def rules_load() -> Loaded:
    """Stores and publishes new shipped rules; a published local edit stays effective.

    A rule that is no longer shipped is retired. Raises InvalidRule when a shipped rule does not load.
    """
    shipped = {rule.id: rule for rule in diagnostics_shipped.shipped_rules()}
    added = _store_shipped(shipped)
    gone = RuleVersion.objects.filter(origin=Origin.SHIPPED, state=VersionState.PUBLISHED).exclude(
        rule__rule_id__in=shipped
    )
    gone = gone.exclude(rule__rule_id__startswith=RUNBOOK)
    dropped = list(gone.values_list("rule__rule_id", flat=True))
    gone.update(state=VersionState.RETIRED)
    local = RuleVersion.objects.filter(origin=Origin.LOCAL, state=VersionState.PUBLISHED)
    kept_local = list(local.filter(rule__rule_id__in=added).values_list("rule__rule_id", flat=True))
    ruleset = Ruleset.objects.published().first()
    if ruleset is None or added or dropped:
        ruleset = ruleset_make(
            reason=to_say("Shipped rules loaded: {added} new, {gone} gone").format(added=len(added), gone=len(dropped)),
            user=None,
        )
    return Loaded(added, dropped, kept_local, ruleset)


def ruleset_published() -> Ruleset:
    """The ruleset of new analyses; loads the shipped rules when there is none yet."""
    return Ruleset.objects.published().first() or rules_load().ruleset


class DraftChanged(Exception):
    """The draft was saved by somebody else meanwhile; the text says who and when."""


@transaction.atomic
def draft_save(
    *,
    user: User,
    text: str,
    fires_sample: str = "",
    silent_sample: str = "",
    draft: Draft | None = None,
    base: RuleVersion | None = None,
    revision: int | None = None,
) -> Draft:
    """Stores a draft, valid or not. `base` is the version that a new draft starts from.

    revision  the one that the writer has read. Raises DraftChanged when the draft has another one now, and InvalidRule
              for texts that are too long.
    """
    texts = {"text": text, "fires_sample": fires_sample, "silent_sample": silent_sample}
    for name, content in texts.items():
        # The text may be a runbook's, and those are longer; what a rule may have is checked with its content.
        longest = LONGEST_DOCUMENT if name == "text" else LONGEST_RULE
        if len(content) > longest:
            raise InvalidRule(
                [
                    say(
                        "{name}: {content:,} characters, at most {longest_rule:,} are stored",
                        name=name,
                        content=len(content),
                        longest_rule=longest,
                    )
                ]
            )
    if draft is None:
        draft = Draft(author=user, rule=base.rule if base else None, base=base)
    else:
        draft.refresh_from_db(from_queryset=Draft.objects.select_for_update())
        if revision is not None and revision != draft.revision:
            raise DraftChanged(
                say(
                    "It was saved elsewhere at {saved_at:%H:%M:%S} UTC. Reload to see that text.",
                    saved_at=draft.saved_at,
                )
            )
        if all(getattr(draft, name) == content for name, content in texts.items()):
            return draft
    for name, content in texts.items():
        setattr(draft, name, content)
    draft.revision += 1
    draft.approval_withdraw()
    draft.save()
    _record_draft(draft, user)
    return draft


def _record_draft(draft: Draft, user: User) -> None:
    """One event for all saves of a draft by a user: only the last text is kept."""
    before = draft.base.text if draft.base else ""
    newest = RuleEvent.objects.filter(draft_number=draft.pk).order_by("-pk").first()
    if newest and newest.kind == EventKind.DRAFT_SAVED and newest.by == user:
        newest.rule_id, newest.at, newest.after = _stated_id(draft), timezone.now(), draft.text
        newest.save(update_fields=["rule_id", "at", "after"])
        return
    RuleEvent.objects.create(
        rule_id=_stated_id(draft),
        kind=EventKind.DRAFT_SAVED,
        by=user,
        draft_number=draft.pk,
        before=before,
        after=draft.text,
    )


def _stated_id(draft: Draft) -> str:
    return draft.stated_rule_id[:80]


@transaction.atomic
def draft_discard(*, draft: Draft, user: User) -> None:
    """Discards a draft; the audit log keeps its last text."""
    RuleEvent.objects.create(
        rule_id=_stated_id(draft),
        kind=EventKind.DISCARDED,
        by=user,
        draft_number=draft.pk,
        before=draft.text,
        after=draft.base.text if draft.base else "",
    )
    draft.delete()


@transaction.atomic
def draft_publish(*, draft: Draft, user: User, reason: str) -> RuleVersion:
    """Makes a version of the draft, effective from now on, under the next free number; deletes the draft.

    Raises InvalidRule with every reason against publishing it.
    """
    draft.refresh_from_db(from_queryset=Draft.objects.select_for_update())
    problems = list(blockers(draft, user))
    if problems:
        raise InvalidRule(problems)
    said = _read(draft.text, draft.rule)
    identity, _ = Rule.objects.get_or_create(rule_id=said.rule_id)
    number = _highest(identity) + 1
    text = _numbered(draft.text, number, identity)
    before = _text_that_counts(identity)
    version = _local_version(
        draft,
        rule=identity,
        number=number,
        text=text,
        reason=reason,
        symptom_class=said.symptom_class,
        title=said.title,
        status=said.status,
        author=draft.author,
        published_by=user,
    )
    _make_it_count(version)
    event_record(version, EventKind.PUBLISHED, user, reason=reason, before=before, after=text)
    ruleset_make(reason=f"{identity} version {number} published", user=user)
    draft.delete()
    return version


@transaction.atomic
def rule_roll_back(*, version: RuleVersion, user: User, reason: str) -> Ruleset:
    """Makes an earlier version effective again. Its findings carry its number as before.

    For the published shipped version this retires the local one, and later shipped versions are effective as they come.
    An older shipped one becomes a local copy under a new number, because loading the shipped rules would replace it.
    Raises InvalidRule for a text that no longer loads.
    """
    version.refresh_from_db()
    _read(version.text, version.rule)
    before = _text_that_counts(version.rule)
    if version.origin == Origin.SHIPPED and version.state == VersionState.PUBLISHED:
        _retire_local(version.rule)
    else:
        if version.origin == Origin.SHIPPED:
            version = _local_copy(version, user, reason)
        _make_it_count(version)
    event_record(version, EventKind.ROLLED_BACK, user, reason=reason, before=before, after=version.text)
    return ruleset_make(
        reason=to_say("{rule} rolled back to version {number}").format(rule=version.rule, number=version.number),
        user=user,
    )


@transaction.atomic
def rule_switch(*, rule: Rule, enabled: bool, user: User, reason: str = "") -> Ruleset:
    """Disables a rule for new rulesets, keeping its versions, or enables it again."""
    rule.enabled = enabled
    rule.save(update_fields=["enabled"])
    kind = EventKind.SWITCHED_ON if enabled else EventKind.SWITCHED_OFF
    RuleEvent.objects.create(rule_id=rule.rule_id, kind=kind, by=user, reason=reason)
    return ruleset_make(reason=f"{rule} switched {'on' if enabled else 'off'}", user=user)


def event_record(
    version: RuleVersion, kind: EventKind, user: User, *, reason: str = "", before: str = "", after: str = ""
) -> RuleEvent:
    """Records an action on a version."""
    return RuleEvent.objects.create(
        rule_id=version.rule.rule_id, kind=kind, by=user, version=version, reason=reason, before=before, after=after
    )


def _make_it_count(version: RuleVersion) -> None:
    _retire_local(version.rule)
    version.state = VersionState.PUBLISHED
    version.save(update_fields=["state"])


def _retire_local(rule: Rule) -> None:
    local = RuleVersion.objects.filter(rule=rule, origin=Origin.LOCAL, state=VersionState.PUBLISHED)
    local.update(state=VersionState.RETIRED)


def _text_that_counts(rule: Rule) -> str:
    counting = versions_that_count(rule.versions.filter(state=VersionState.PUBLISHED)).get(rule.pk)
    return counting.text if counting else ""


def _local_copy(version: RuleVersion, user: User, reason: str) -> RuleVersion:
    number = _highest(version.rule) + 1
    text = _numbered(version.text, number, version.rule)
    return _local_version(
        version,
        rule=version.rule,
        number=number,
        text=text,
        reason=reason,
        symptom_class=version.symptom_class,
        title=version.title,
        status=version.status,
        author=user,
        published_by=user,
    )


def _local_version(samples_of: Draft | RuleVersion, *, text: str, **columns: Any) -> RuleVersion:
    """A local version; not effective before `_make_it_count`."""
    return RuleVersion.objects.create(
        text=text,
        sha256=text_digest(text),
        origin=Origin.LOCAL,
        state=VersionState.RETIRED,
        fires_sample=samples_of.fires_sample,
        silent_sample=samples_of.silent_sample,
        published_at=timezone.now(),
        **columns,
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """Properties stated in a text, of a rule or a runbook."""

    rule_id: str
    symptom_class: str
    title: str
    status: str


def _read(text: str, rule: Rule | None) -> _Said:
    """Raises InvalidRule for a text that does not load."""
    if rule and is_runbook(rule.rule_id):
        runbook = checked_runbook(text)
        return _Said(f"{RUNBOOK}{runbook.id}", runbook.symptom_class, runbook.title, "stable")
    read = checked_rule(text)
    return _Said(read.id, read.symptom_class, read.title, read.status)


def _numbered(text: str, number: int, rule: Rule) -> str:
    """A rule's text contains its version number; a runbook's does not."""
    return text if is_runbook(rule.rule_id) else with_version(text, number)


def with_version(text: str, number: int) -> str:
    """The rule's text with another version number, otherwise unchanged."""
    lines = text.splitlines()
    lines[read_yaml(text, "rule").lines[("version",)] - 1] = f"version: {number}"
    return "\n".join(lines) + "\n"


def ruleset_make(*, reason: str, user: User | None) -> Ruleset:
    """A ruleset of the published rules: for each enabled rule its local version, else the newest shipped one."""
    published = RuleVersion.objects.filter(state=VersionState.PUBLISHED, rule__enabled=True)
    published = published.exclude(rule__rule_id__startswith=RUNBOOK)
    ruleset = Ruleset.objects.create(reason=reason, created_by=user)
    ruleset.versions.set(versions_that_count(published).values())
    return ruleset


def _store_shipped(shipped: Mapping[str, diagnostics_rule.Rule]) -> list[str]:
    """Stores and publishes the shipped texts in place of earlier ones; gives the ids of changed rules."""
    Rule.objects.bulk_create([Rule(rule_id=rule_id) for rule_id in shipped], ignore_conflicts=True)
    identities = Rule.objects.in_bulk(shipped, field_name="rule_id")
    texts, samples = diagnostics_shipped.shipped_rule_texts(), shipped_samples()
    versions = {
        rule_id: RuleVersion(
            rule=identities[rule_id],
            origin=Origin.SHIPPED,
            number=rule.version,
            sha256=text_digest(texts[rule_id]),
            state=VersionState.PUBLISHED,
            text=texts[rule_id],
            fires_sample=samples.get(rule_id, {}).get("fires", ""),
            silent_sample=samples.get(rule_id, {}).get("silent", ""),
            symptom_class=rule.symptom_class,
            title=rule.title,
            status=rule.status,
        )
        for rule_id, rule in shipped.items()
    }
    published = RuleVersion.objects.filter(origin=Origin.SHIPPED, state=VersionState.PUBLISHED)
    before = dict(published.values_list("rule__rule_id", "sha256"))
    added = [rule_id for rule_id, version in versions.items() if before.get(rule_id) != version.sha256]
    published.filter(rule__rule_id__in=added).update(state=VersionState.RETIRED)
    RuleVersion.objects.bulk_create(
        versions.values(),
        update_conflicts=True,
        unique_fields=["rule", "origin", "number", "sha256"],
        update_fields=["state", "fires_sample", "silent_sample"],
    )
    published.filter(rule__rule_id__in=added).update(published_at=timezone.now())
    return added


def _highest(rule: Rule) -> int:
    return rule.versions.aggregate(highest=Max("number"))["highest"] or 0


def text_digest(text: str) -> str:
    """The checksum by which equal texts are one version."""
    return hashlib.sha256(text.encode()).hexdigest()
