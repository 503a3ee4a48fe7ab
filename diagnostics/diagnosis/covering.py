"""Rules that do not hold only because a finding says more: that checkpoints come near their timeout is not refuted by
checkpoints that expire.
"""

from __future__ import annotations

from collections.abc import Iterable

from diagnostics.diagnosis.finding import Finding
from diagnostics.diagnosis.match import Silent
from diagnostics.evidence.subject import Subject
from diagnostics.rules.condition import Check

UPPER = ("==", "<", "<=")
LOWER = (">", ">=")


def covering(silent: Silent, findings: Iterable[Finding]) -> Finding | None:
    """The finding that the rule yields to: all that refutes the rule is more of what the finding rests on, and all
    else that the rule asks for is there.
    """
    ours = (each for each in findings if each.job == silent.job and _concerns(each.subject, silent.subject))
    return next((each for each in ours if silent.is_near and _says_more(each, silent)), None)


def _says_more(finding: Finding, silent: Silent) -> bool:
    return all(any(_exceeds(check, held) for held in finding.checks) for check in silent.refuting)


def _concerns(one: Subject, other: Subject) -> bool:
    """Whether no part is known of both and differs: a finding about a job concerns each of its tasks."""
    known, wanted = one.as_json(), other.as_json()
    return all(wanted.get(part, value) == value for part, value in known.items())


def _exceeds(refuting: Check, held: Check) -> bool:
    """Whether a number is above what the rule allows, and the finding holds because it is."""
    numbers = (refuting.value, refuting.bound)
    if not all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in numbers):
        return False
    above = refuting.op in UPPER and refuting.value > refuting.bound
    return above and held.op in LOWER and (held.fact, held.value) == (refuting.fact, refuting.value)
