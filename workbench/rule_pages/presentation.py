"""Prepares rules for their pages: the list with each rule's record, and the help page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from diagnostics.errors import InvalidRule
from diagnostics.language import in_reader_language
from diagnostics.rules import rule as diagnostics_rule
from diagnostics.rules import shipped as diagnostics_shipped
from diagnostics.runbook import Runbook, runbooks
from diagnostics.symptoms import Symptom, symptom
from workbench.accounts.models import User
from workbench.languages.sentences import say_later
from workbench.rule_pages import wording
from workbench.rule_pages.history import Record, RefutedClaim, records_of_rules, refuted_claims
from workbench.rule_pages.reliability import Reliability, reliability_of
from workbench.rules.models import RegressionSample, Rule, RuleVersion, VersionState
from workbench.rules.runbook_texts import RUNBOOK, runbook_counting
from workbench.rules.selectors import rule_of, version_to_edit, versions_that_count

OFF = "off"
STATUSES = {
    "experimental": say_later("Experimental"),
    "stable": say_later("Stable"),
    "deprecated": say_later("Deprecated"),
    OFF: say_later("Off"),
}
"""Statuses in a rule's text, and disabled."""


@dataclass(frozen=True, slots=True)
class RuleShown:
    """A rule in the list: the effective version, or the newest one without any."""

    rule: Rule
    version: RuleVersion
    status: str
    record: Record

    @property
    def status_name(self) -> str:
        return STATUSES[self.status]

    @property
    def title(self) -> str:
        """Its title in the reader's language."""
        return version_title(self.version)


@dataclass(frozen=True, slots=True)
class ClassShown:
    """A symptom class with its rules."""

    symptom: Symptom
    rules: list[RuleShown] = field(default_factory=list)


def classes_shown(user: User, asked: Mapping[str, str]) -> list[ClassShown]:
    """The rules by class, in the order of the classes, that match `text`, `symptom_class` and `status`."""
    records = records_of_rules(user)
    words = asked.get("text", "").casefold().split()
    classes: dict[str, ClassShown] = {}
    for version in _shown_versions():
        shown = RuleShown(version.rule, version, _status(version), records.get(version.rule.rule_id, Record()))
        about = symptom(version.symptom_class)
        searched = (version.rule.rule_id, version.title, shown.title, about.id, about.title, about.read_title)
        text = " ".join(searched).casefold()
        if (
            all(word in text for word in words)
            and asked.get("symptom_class", "") in ("", about.id)
            and asked.get("status", "") in ("", shown.status)
        ):
            classes.setdefault(about.id, ClassShown(about)).rules.append(shown)
    return sorted(classes.values(), key=lambda each: (each.symptom.order, each.symptom.title))


def classes_with_rules() -> list[Symptom]:
    """The classes in the list's filter."""
    names = {version.symptom_class for version in _shown_versions()}
    return sorted((symptom(name) for name in names), key=lambda each: (each.order, each.title))


def _shown_versions() -> list[RuleVersion]:
    """One version per rule: the effective one, or the one that would be if the rule were enabled, else the newest."""
    of_rules = RuleVersion.objects.exclude(rule__rule_id__startswith=RUNBOOK)
    chosen = versions_that_count(of_rules.filter(state=VersionState.PUBLISHED).select_related("rule"))
    for version in of_rules.exclude(rule__in=list(chosen)).select_related("rule").order_by("rule_id", "-pk"):
        chosen.setdefault(version.rule_id, version)
    return sorted(chosen.values(), key=lambda each: each.rule.rule_id)


def version_title(version: RuleVersion) -> str:
    """The title; where it is that of the shipped rule or runbook, as the reader's language has it."""
    shipped = _shipped_titles().get(version.rule.rule_id)
    return in_reader_language(shipped) if shipped and shipped == version.title else version.title


@cache
def _shipped_titles() -> Mapping[str, str]:
    titles = {rule.id: rule.title for rule in diagnostics_shipped.shipped_rules()}
    return titles | {f"{RUNBOOK}{each.id}": each.title for each in runbooks().values()}


def _status(version: RuleVersion) -> str:
    return version.status if version.rule.enabled and version.state == VersionState.PUBLISHED else OFF


@dataclass(frozen=True, slots=True)
class HelpShown:
    """The content of a rule's help page.

    version    the one that counts, or the newest one where none does
    counts     whether the version judges new analyses
    content    the library's rule, None when the stored text no longer loads (`errors` says why)
    statement  the finding's sentence in pieces; True marks the name of a measured value
    """

    rule: Rule
    version: RuleVersion
    status: str
    counts: bool
    record: Record
    about: Symptom
    versions: Sequence[RuleVersion]
    reliability: Reliability
    refuted: Sequence[RefutedClaim] = ()
    kept: Sequence[RegressionSample] = ()
    content: diagnostics_rule.Rule | None = None
    errors: Sequence[str] = ()
    trigger: wording.ConditionWords | None = None
    clearing: wording.ConditionWords | None = None
    steps: Sequence[wording.Step] = ()
    statement: Sequence[tuple[str, bool]] = ()
    sources: Sequence[str] = ()
    runbook: Runbook | None = None

    @property
    def title(self) -> str:
        """The title of the rule in the reader's language."""
        return in_reader_language(self.content.title) if self.content else self.version.title

    @property
    def goal(self) -> list[tuple[str, bool]]:
        """The purpose of the runbook, in pieces as `statement`."""
        return list(wording.pieces(self.runbook.goal)) if self.runbook else []

    @property
    def questions(self) -> list[list[tuple[str, bool]]]:
        """The questions of the runbook's steps, each in pieces as `statement`."""
        return [list(wording.pieces(step.texts["question"])) for step in self.runbook.steps] if self.runbook else []

    @property
    def doubts(self) -> Sequence[wording.Step]:
        """What speaks against the claim: the conditions that lower its confidence."""
        return [step for step in self.steps if step.delta < 0]

    @property
    def status_name(self) -> str:
        return STATUSES[self.status]


def help_shown(user: User, rule: Rule) -> HelpShown:
    """The help page of a rule that has a version."""
    versions = list(rule.versions.select_related("rule", "author", "published_by"))
    version = version_to_edit(rule)
    common: dict[str, Any] = {
        "rule": rule,
        "version": version,
        "status": _status(version),
        "counts": rule.enabled and version.state == VersionState.PUBLISHED,
        "record": records_of_rules(user).get(rule.rule_id, Record()),
        "about": symptom(version.symptom_class),
        "reliability": reliability_of(user, rule.rule_id),
        "refuted": refuted_claims(user, rule.rule_id),
        "kept": list(RegressionSample.objects.visible_to(user).filter(rule=rule)),
        "versions": sorted(versions, key=lambda each: -each.pk),
    }
    try:
        content = rule_of(version)
    except InvalidRule as error:
        return HelpShown(**common, errors=error.errors)
    return HelpShown(
        **common,
        content=content,
        trigger=wording.trigger_words(content.when),
        clearing=wording.clearing_words(content.when),
        steps=wording.confidence_steps(content),
        statement=list(wording.pieces(content.statement)),
        sources=wording.sources(content),
        runbook=runbook_counting(content.runbook),
    )
