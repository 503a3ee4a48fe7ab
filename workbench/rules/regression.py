"""Stores a closed case as a regression sample of the rules that detected its cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml
from django.db import transaction

from diagnostics.diagnosis.fact_view import FactView, SignalIndex
from diagnostics.diagnosis.flink_version import VERSION
from diagnostics.diagnosis.match import findings_of
from diagnostics.errors import InvalidRule
from diagnostics.evidence.subject import FactValue
from diagnostics.rules import rule as diagnostics_rule
from diagnostics.rules.condition import Check
from diagnostics.rules.rule import LONGEST_RULE
from diagnostics.signals.signal import Signal
from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.languages.sentences import to_say
from workbench.rules.models import EventKind, RegressionSample, Rule, RuleEvent
from workbench.rules.selectors import rules_of
from workbench.rules.services import ruleset_published
from workbench.rules.validation import tested

FLINK_VERSION = "job_overview.flink_version"
ENDLESS = 10**6
TEXT_PARTS = ("contains", "does not contain")
"""Line width of the YAML writer: unlimited, so that a signal's facts stay on one line."""


@transaction.atomic
def case_keep(*, case: Case, user: User) -> list[str]:
    """Stores the incident's newest diagnosis as a regression sample of the rules of its confirmed class that fire on
    it.

    Gives the ids of those rules; none when the case has no diagnosis or no rule of the class fires.
    """
    analysis = case.analyses.exclude_later_snapshots().done().first()
    if analysis is None:
        return []
    index = SignalIndex.from_stored(analysis.signals)
    published, _ = rules_of(ruleset_published())
    concerned = [rule for rule in published.rules if rule.symptom_class == case.confirmed_class]
    return [rule.id for rule in concerned if _keep(case, user, index, rule)]


def _keep(case: Case, user: User, index: SignalIndex, rule: diagnostics_rule.Rule) -> bool:
    findings = findings_of(index, diagnostics_rule.Ruleset.of([rule]))
    if not findings:
        return False
    surest = max(findings, key=lambda finding: finding.confidence)
    text = reduced(rule, index.view(surest.subject, rule.level))
    try:
        if len(text) > LONGEST_RULE or not tested(rule, text, "fires").passes:
            return False
    except InvalidRule:
        return False
    identity = Rule.objects.get(rule_id=rule.id)
    RegressionSample.objects.update_or_create(rule=identity, case=case, defaults={"text": text, "created_by": user})
    RuleEvent.objects.create(
        rule_id=rule.id, kind=EventKind.SAMPLE_KEPT, by=user, case=case, reason=to_say("A case was closed"), after=text
    )
    return True


@transaction.atomic
def sample_remove(*, sample: RegressionSample, user: User, reason: str) -> None:
    """Removes a regression sample; the audit log keeps its text."""
    RuleEvent.objects.create(
        rule_id=sample.rule.rule_id,
        kind=EventKind.SAMPLE_REMOVED,
        by=user,
        case=sample.case,
        reason=reason,
        before=sample.text,
    )
    sample.delete()


def reduced(rule: diagnostics_rule.Rule, view: FactView) -> str:
    """The facts that the rule's conditions read, as a sample without names.

    Jobs, tasks and hosts are numbered, and texts are reduced to what the rule compares them with: every other operator,
    class, address or message becomes an invented word. The rule gives the same result on the sample as on the case.
    """
    asked: dict[str, list[Check]] = {}
    for condition in rule.conditions():
        for reference in condition.facts():
            asked.setdefault(reference, [])
        for check in condition.checks(lambda _: None):
            asked[check.fact].append(check)
    if rule.flink:
        asked.setdefault(FLINK_VERSION, [])
    names = _Names()
    entries = list(_entries(view.signals, asked, names))
    lines = [
        yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=ENDLESS, allow_unicode=True).strip()
        for entry in entries
    ]
    return "".join(["signals:\n", *(f"  - {line}\n" for line in lines)])


def _entries(
    signals: Mapping[str, Signal], asked: Mapping[str, Sequence[Check]], names: _Names
) -> Iterator[dict[str, Any]]:
    """The signals with the requested facts: reference -> its comparisons."""
    for key, signal in sorted(signals.items()):
        facts = {}
        for name, value in signal.facts.items():
            reference = f"{key}.{name}"
            if reference not in asked or value is None:
                continue
            version = VERSION.match(value) if reference == FLINK_VERSION and isinstance(value, str) else None
            facts[name] = version.group() if version else names.without(value, asked[reference])
        if facts:
            yield {"key": key, "subject": names.rename(signal.subject.as_json()), "facts": facts}


class _Names:
    """Consistent invented names for parts of subjects and for texts within a sample."""

    forms = {
        "job": "{:032x}",
        "vertex": "Task {}",
        "vertex_id": "{:032x}",
        "task_manager": "taskmanager-{}",
        "host": "host-{}",
        "text": "text-{}",
    }

    def __init__(self) -> None:
        self._known: dict[tuple[str, Any], str] = {}

    def rename(self, subject: Mapping[str, Any]) -> dict[str, Any]:
        return {part: self._name(part, value) for part, value in subject.items()}

    def without(self, value: FactValue, comparisons: Sequence[Check]) -> FactValue:
        """The value with only the texts that it is compared with: the whole text, or what it must contain."""
        if isinstance(value, list):
            return [self.without(each, comparisons) for each in value]
        if not isinstance(value, str):
            return value
        bounds = [bound for each in comparisons for bound in _listed(each.bound)]
        if value in bounds:
            return value
        contained = [each.bound for each in comparisons if each.op in TEXT_PARTS and str(each.bound) in value]
        return " ".join(map(str, contained)) or self._name("text", value)

    def _name(self, part: str, value: Any) -> Any:
        if part not in self.forms:
            return value
        number = 1 + sum(known == part for known, _ in self._known)
        return self._known.setdefault((part, value), self.forms[part].format(number))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
