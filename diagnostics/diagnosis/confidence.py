"""Confidence of a finding: the rule's base plus its adjustments. No hidden weights."""

from __future__ import annotations

from diagnostics.diagnosis.finding import Reason
from diagnostics.evidence.subject import Lookup
from diagnostics.language import in_reader_language, say
from diagnostics.rules.rule import Rule

LEAST, MOST = 0.05, 0.98
"""Evidence alone makes nothing certain or impossible. Our choice."""


def confidence(rule: Rule, lookup: Lookup) -> tuple[float, tuple[Reason, ...]]:
    """The confidence 0..1 and the steps that lead to it; an adjustment with unknown facts is ignored."""
    reasons = [Reason(rule.base, say("the rule holds: {title}", title=in_reader_language(rule.title)))]
    reasons += [
        Reason(each.delta, in_reader_language(each.because)) for each in rule.adjustments if each.when.holds(lookup)
    ]
    total = sum(reason.delta for reason in reasons)
    bounded = round(min(max(total, LEAST), MOST), 3)
    if round(bounded - total, 3):
        reasons.append(Reason(round(bounded - total, 3), say("evidence alone makes nothing certain or impossible")))
    return bounded, tuple(reasons)
