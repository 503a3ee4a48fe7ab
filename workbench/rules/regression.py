"""A closed case kept as a test of the rules that found its cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from django.db import transaction

from diagnostics import rule as diagnostics_rule
from diagnostics.diagnosis.fact_view import FactView, SignalIndex
from diagnostics.diagnosis.match import findings_of
from diagnostics.errors import InvalidRule
from diagnostics.rule import LONGEST_RULE
from diagnostics.signal import Signal
from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.rules.models import EventKind, RegressionSample, Rule, RuleEvent
from workbench.rules.selectors import rules_of
from workbench.rules.services import ruleset_published
from workbench.rules.validation import tested

ENDLESS = 10**6
"""Characters after which the YAML writer breaks a line: never, a signal's facts stay on theirs."""


@transaction.atomic
def case_keep(*, case: Case, user: User) -> list[str]:
    """Keeps the incident's newest diagnosis as a regression sample of the rules of its confirmed class that fire on it.

    Gives the ids of those rules; none when the case has no diagnosis or no rule of the class fires.
    """
    analysis = case.analyses.of_incidents().done().first()
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
        rule_id=rule.id, kind=EventKind.SAMPLE_KEPT, by=user, reason=f"Case {case.pk} was closed", after=text
    )
    return True


@transaction.atomic
def sample_remove(*, sample: RegressionSample, user: User, reason: str) -> None:
    """Takes a regression sample away; the audit log keeps its text."""
    RuleEvent.objects.create(
        rule_id=sample.rule.rule_id, kind=EventKind.SAMPLE_REMOVED, by=user, reason=reason, before=sample.text
    )
    sample.delete()


def reduced(rule: diagnostics_rule.Rule, view: FactView) -> str:
    """What the rule's conditions read of the view, as a sample. Jobs, tasks and hosts have numbers for names there:
    rules are read by people who may not see the case."""
    asked: dict[str, set[str]] = {}
    for condition in rule.conditions():
        for reference in condition.facts():
            key, _, fact = reference.rpartition(".")
            asked.setdefault(key, set()).add(fact)
    if rule.flink:
        asked.setdefault("job_overview", set()).add("flink_version")
    names = _Names()
    entries = list(_entries(view.signals, asked, names))
    lines = [
        yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=ENDLESS, allow_unicode=True).strip()
        for entry in entries
    ]
    return "".join(["signals:\n", *(f"  - {line}\n" for line in lines)])


def _entries(signals: Mapping[str, Signal], asked: Mapping[str, set[str]], names: _Names) -> Iterator[dict[str, Any]]:
    for key in sorted(set(asked) & set(signals)):
        facts = {name: value for name, value in signals[key].facts.items() if name in asked[key] and value is not None}
        if facts:
            yield {"key": key, "subject": names.of(signals[key].subject.as_json()), "facts": facts}


class _Names:
    """The same made-up name for the same part of a subject, all over a sample."""

    forms = {
        "job": "{:032x}",
        "vertex": "Task {}",
        "vertex_id": "{:032x}",
        "task_manager": "taskmanager-{}",
        "host": "host-{}",
    }

    def __init__(self) -> None:
        self._known: dict[tuple[str, Any], str] = {}

    def of(self, subject: Mapping[str, Any]) -> dict[str, Any]:
        return {part: self._name(part, value) for part, value in subject.items()}

    def _name(self, part: str, value: Any) -> Any:
        if part not in self.forms:
            return value
        number = 1 + sum(known == part for known, _ in self._known)
        return self._known.setdefault((part, value), self.forms[part].format(number))
