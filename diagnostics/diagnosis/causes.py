"""Which finding is the cause and which ones follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from diagnostics.diagnosis.finding import Finding
from diagnostics.rules.rule import Severity
from diagnostics.symptoms import symptom

SEVERITY_WEIGHT: dict[Severity, float] = {"critical": 1.0, "warning": 0.85, "info": 0.3}
"""How much a severity counts beside the confidence when causes are ranked. Our choice: a sure warning goes before
an unsure alarm, and a remark never goes before either."""

LEAST_EXPLAINING = 0.5
"""A finding less sure than this explains and vetoes nothing. Our choice: more likely right than wrong."""


def weight(finding: Finding) -> float:
    """How strongly a finding claims to be the cause."""
    return finding.confidence * SEVERITY_WEIGHT[finding.severity]


def order_causes(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of one job with their roles, the root cause first, consequences last.

    A finding of a class that a surer cause vetoes is dropped. A consequence points to the cause that explains it;
    a cause that another one explains becomes its consequence. What is left is contributing.
    """
    ranked = sorted(findings, key=lambda each: (-weight(each), each.rule.id, repr(each.subject)))
    ranked = [each for each in ranked if not _vetoed(each, ranked)]
    causes = [each for each in ranked if symptom(each.symptom_class).kind == "cause"]
    own = [each for each in causes if each.severity != "info" and _explainer(each, causes) is None]
    root = own[0] if own else None
    placed = {id(each): each for each in ranked}
    if root is not None:
        placed[id(root)] = replace(root, role="root_cause")
    for each in ranked:
        if each is root or each in own:
            continue
        explainer = _explainer(each, [root, *causes] if root else causes)
        cause = placed[id(explainer)] if explainer else None
        is_consequence = cause is not None or symptom(each.symptom_class).kind == "consequence"
        placed[id(each)] = replace(each, role="consequence" if is_consequence else "contributing", cause=cause)
    roles = ("root_cause", "contributing", "consequence")
    return tuple(sorted((placed[id(each)] for each in ranked), key=lambda each: roles.index(each.role)))


def independent_causes(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The surest finding of each class that is a cause of its own, those first whose repair gives back most.

    Gains are compared only where both are shares of the same thing; else the surer cause goes first.
    """
    surest: dict[str, Finding] = {}
    for each in findings:
        if each.role != "consequence" and each.severity != "info" and each.confidence >= LEAST_EXPLAINING:
            surest.setdefault(each.symptom_class, each)
    causes = list(surest.values())
    measured = {each.gain.of for each in causes if each.gain}
    if len(measured) == 1 and all(each.gain for each in causes):
        causes.sort(key=lambda each: -(each.gain.share if each.gain else 0.0))
    return tuple(causes)


def _vetoed(finding: Finding, others: Sequence[Finding]) -> bool:
    return any(
        finding.symptom_class in other.rule.vetoes
        and other.confidence >= LEAST_EXPLAINING
        and weight(other) >= weight(finding)
        and finding.symptom_class not in (other.symptom_class,)
        for other in others
    )


def _explainer(finding: Finding, causes: Iterable[Finding | None]) -> Finding | None:
    """The first of the causes (strongest first) that explains the finding and is not explained by it."""
    for cause in causes:
        if (
            cause is not None
            and cause is not finding
            and cause.confidence >= LEAST_EXPLAINING
            and cause.severity != "info"
            and finding.symptom_class in cause.rule.explains
            and cause.symptom_class != finding.symptom_class
            and (cause.symptom_class not in finding.rule.explains or weight(cause) > weight(finding))
        ):
            return cause
    return None
