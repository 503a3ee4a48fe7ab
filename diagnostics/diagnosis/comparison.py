"""The verdict of an old case before and after a change of one rule, in milliseconds per case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.finding import Finding
from diagnostics.diagnosis.match import Matches, findings_of
from diagnostics.diagnosis.verdict import Diagnosis, conclude
from diagnostics.rules.rule import Rule, Ruleset


@dataclass(frozen=True, slots=True)
class Side:
    """The verdict of a case with one version of the rule.

    verdict  the symptom class
    fired    highest confidence of the rule's findings, None when it has none
    claims   whether a finding of it is a root or contributing cause
    """

    verdict: str
    fired: float | None
    claims: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """Both verdicts of one case."""

    before: Side
    after: Side

    @property
    def changes_verdict(self) -> bool:
        return self.before.verdict != self.after.verdict

    @property
    def changes_firing(self) -> bool:
        return (self.before.fired is None) != (self.after.fired is None)


def compare_rule(
    stored: Sequence[Mapping[str, Any]], others: Ruleset, before: Rule | None, after: Rule | None
) -> Compared:
    """The verdicts with `before` and with `after` among the other rules; None means that the rule is absent.

    The other rules are evaluated once for both.
    """
    index = SignalIndex.from_stored(stored, cited=False)
    shared = findings_of(index, others)
    first = _side(index, others, shared, before)
    return Compared(first, first if after == before else _side(index, others, shared, after))


def _side(index: SignalIndex, others: Ruleset, shared: Sequence[Finding], rule: Rule | None) -> Side:
    own = findings_of(index, Ruleset.of([rule])) if rule else ()
    findings = tuple(sorted([*shared, *own], key=lambda each: each.rule.id))
    return _side_of(conclude(index, Matches(findings, (), ()), (), others), rule.id if rule else "")


def _side_of(diagnosis: Diagnosis, rule_id: str) -> Side:
    found = [each for each in diagnosis.findings if each.rule.id == rule_id]
    return Side(
        verdict=diagnosis.worst.verdict.symptom_class,
        fired=max((each.confidence for each in found), default=None),
        claims=any(each.role in ("root_cause", "contributing") for each in found),
    )
