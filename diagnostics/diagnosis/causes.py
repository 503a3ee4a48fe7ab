"""Orders findings into root causes, contributing causes and consequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from diagnostics.citation import Citation
from diagnostics.diagnosis.finding import Finding
from diagnostics.evidence.subject import Subject
from diagnostics.rules.rule import Rule, Severity
from diagnostics.symptoms import symptom
from diagnostics.vocabulary.alarming_readings import alarming_readings

SEVERITY_WEIGHT: dict[Severity, float] = {"critical": 1.0, "warning": 0.85, "info": 0.3}
"""Weight of a severity when causes are ranked, multiplied by confidence. Our choice: a confident warning precedes an
uncertain critical finding, and a remark never precedes either.
"""

LEAST_EXPLAINING = 0.5
"""A finding with less confidence neither explains nor vetoes others. Our choice: more likely right than wrong."""


LATER_MS = 300_000
"""How long after another cause one may have begun to explain it. Our choice: five minutes, within which the samples and
records of one trouble mostly come.
"""


NEARLY_AS_SURE = 0.15
"""A cause whose confidence is lower by at most this is nearly as sure. Our choice: one or two arguments."""
CLEARLY_MORE = 0.1
"""A gain that is larger by at least this share is clearly larger. Our choice: above the noise of shares of time."""


RESEMBLANCE = "fault_traits.resembles"
"""What a finding rests on that knows a failure by its traits alone."""

READINGS = "alarming_readings."
"""What a finding rests on that judges a reading alone."""


def weight(finding: Finding) -> float:
    """Strength of a finding as a candidate for the cause."""
    return finding.confidence * SEVERITY_WEIGHT[finding.severity]


def order_causes(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of one job with their roles, the root cause first, consequences last.

    A finding of a class that a more confident cause of the same task vetoes is dropped, and so is one that knows a
    failure by its traits alone where a stronger cause rests on the same record, and one reading where a stronger
    finding of its class measures the same. Of independent causes that are nearly as sure, the one whose repair gives
    clearly more is the root cause. A consequence refers to the cause that explains it; a cause that another one
    explains becomes its consequence. The others are contributing.
    """
    ranked = sorted(findings, key=lambda each: (-weight(each), each.rule.id, repr(each.subject)))
    ranked = [each for each in ranked if not _vetoed(each, ranked)]
    ranked = [each for each in ranked if not _is_known_better(each, ranked) and not _is_measured_better(each, ranked)]
    causes = [each for each in ranked if symptom(each.symptom_class).kind == "cause"]
    own = [each for each in causes if each.severity != "info" and _explainer(each, causes) is None]
    root = _most_worth(own) if own else None
    placed = {id(each): each for each in ranked}
    if root is not None:
        placed[id(root)] = replace(root, role="root_cause")
    for finding in ranked:
        if finding is root or finding in own:
            continue
        explainer = _explainer(finding, [root, *causes] if root else causes)
        cause = placed[id(explainer)] if explainer else None
        is_consequence = cause is not None or symptom(finding.symptom_class).kind == "consequence"
        placed[id(finding)] = replace(
            finding,
            role="consequence" if is_consequence else "contributing",
            cause=cause,
            first_step=None if _is_answered(finding, cause) else finding.first_step,
        )
    roles = ("root_cause", "contributing", "consequence")
    return tuple(sorted((placed[id(each)] for each in ranked), key=lambda each: roles.index(each.role)))


def _most_worth(own: Sequence[Finding]) -> Finding:
    """The surest of independent causes, or one nearly as sure and as severe whose repair gives clearly more of the
    same quantity.
    """
    surest = own[0]
    rivals = [each for each in own[1:] if _is_worth_more(each, surest)]
    return max(rivals, key=lambda each: each.gain.share if each.gain else 0.0, default=surest)


def _is_worth_more(finding: Finding, other: Finding) -> bool:
    if finding.gain is None or other.gain is None or finding.gain.of != other.gain.of:
        return False
    return (
        finding.symptom_class != other.symptom_class
        and finding.severity == other.severity
        and finding.confidence >= max(other.confidence - NEARLY_AS_SURE, LEAST_EXPLAINING)
        and finding.gain.share >= other.gain.share + CLEARLY_MORE
        and not _may_be_same_task(finding.subject, other.subject)
    )


def _is_answered(finding: Finding, cause: Finding | None) -> bool:
    """Whether its step is to look for the cause or to repair it, which the finding of the cause says itself."""
    return cause is not None and not finding.step_eases and symptom(finding.symptom_class).kind == "consequence"


def independent_causes(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The finding with the highest confidence of each independent class, the largest gain of a repair first.

    Gains are compared only when both are shares of the same quantity; else the higher confidence comes first.
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
        and finding.symptom_class != other.symptom_class
        and _may_be_same_task(finding.subject, other.subject)
        for other in others
    )


def _is_known_better(finding: Finding, others: Sequence[Finding]) -> bool:
    """Whether a finding by traits cites the record of a stronger cause that knows what the record says."""
    if not _is_by_traits(finding) or not finding.citations:
        return False
    record = _place(finding.citations[0])
    return any(
        symptom(other.symptom_class).kind == "cause"
        and not _is_by_traits(other)
        and weight(other) >= weight(finding)
        and any(_place(each) == record for each in other.citations)
        for other in others
    )


def _is_measured_better(finding: Finding, others: Sequence[Finding]) -> bool:
    """Whether a finding by one reading is of the class of a stronger one that rests on what measures the same."""
    is_reading = f"{READINGS}{finding.symptom_class}.kind" in finding.rule.when.facts()
    reading = alarming_readings().get(str(finding.facts.get("kind"))) if is_reading else None
    same = reading.same_as if reading else frozenset()
    return any(
        other.symptom_class == finding.symptom_class
        and weight(other) > weight(finding)
        and any(check.holds and check.fact.rpartition(".")[0] in same for check in other.checks)
        for other in others
    )


def _is_by_traits(finding: Finding) -> bool:
    return any(check.fact == RESEMBLANCE for check in finding.checks)


def _place(citation: Citation) -> tuple[int, int | None, str | None]:
    return citation.file_id, citation.line, citation.pointer


def _may_be_same_task(one: Subject, other: Subject) -> bool:
    """Whether two findings can be about the same task: a look-up in one says nothing about a sink in another."""
    if one.vertex_id and other.vertex_id:
        return one.vertex_id == other.vertex_id
    return not (one.vertex and other.vertex) or one.vertex == other.vertex


def _explainer(finding: Finding, causes: Iterable[Finding | None]) -> Finding | None:
    """The first cause, strongest first, that explains the finding, began no later and is not explained by it."""
    for cause in causes:
        if (
            cause is not None
            and cause is not finding
            and cause.confidence >= LEAST_EXPLAINING
            and cause.severity != "info"
            and _is_named(finding, cause.rule)
            and not _came_later(cause, finding)
            and (cause.symptom_class not in finding.rule.explains or weight(cause) > weight(finding))
        ):
            return cause
    return None


def _came_later(cause: Finding, finding: Finding) -> bool:
    """Whether a finding that is a cause itself was there long before the other one began. The onset of a consequence is
    its first sample, which says less.
    """
    if symptom(finding.symptom_class).kind != "cause":
        return False
    began_ms, before_ms = cause.began.ts_ms, finding.began.ts_ms
    return (
        began_ms is not None and before_ms is not None and began_ms - before_ms > LATER_MS and not cause.began.at_start
    )


def _is_named(finding: Finding, cause: Rule) -> bool:
    """Whether the rule says that it explains the finding; of its own symptom class, it names rules."""
    if cause.symptom_class == finding.symptom_class:
        return finding.rule.id in cause.precedes
    return not {finding.symptom_class, *finding.rule.follows}.isdisjoint(cause.explains)
