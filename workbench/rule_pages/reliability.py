"""How reliable a rule's confidence is: its findings in closed cases against the causes that people confirmed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.proof.reading import reading_of_share
from workbench.accounts.models import User
from workbench.analyses.models import Finding
from workbench.analyses.scoring import BIN_EDGES
from workbench.rule_pages.history import CLAIMS, closed_with_a_cause, latest_diagnoses

FEW = 5
"""With fewer cases a share says little; the page says so. Our choice."""
EDGES = (0.0, 0.25, *BIN_EDGES)
"""As of the reliability of verdicts, and two bins below what a verdict needs."""
SIDE = 200
"""Side of the diagram in units of its drawing."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Closed cases in which the rule was about as sure.

    cases, right  how many there are, and in how many its class was the confirmed cause
    sure          mean confidence, 0 to 1
    least, most   interval of 95 % of the share that is right (Wilson)
    """

    cases: int
    right: int
    sure: float
    least: float
    most: float

    @property
    def share(self) -> float:
        return self.right / self.cases

    @property
    def x(self) -> float:
        return self.sure * SIDE

    @property
    def y(self) -> float:
        return SIDE - self.share * SIDE

    @property
    def top(self) -> float:
        return SIDE - self.most * SIDE

    @property
    def bottom(self) -> float:
        return SIDE - self.least * SIDE


@dataclass(frozen=True, slots=True)
class Reliability:
    """The diagram of one rule; `side` is the length of its axes."""

    bins: Sequence[Bin]
    side: int = SIDE

    @property
    def cases(self) -> int:
        return sum(each.cases for each in self.bins)

    @property
    def is_thin(self) -> bool:
        return self.cases < FEW


def reliability_of(user: User, rule_id: str) -> Reliability:
    """The rule's findings that claimed a cause, one for each case: the surest. Cases without a known cause are out."""
    claims = Finding.objects.filter(analysis__in=latest_diagnoses(user), rule_id=rule_id, role__in=CLAIMS)
    findings = closed_with_a_cause(claims)
    surest: dict[int, tuple[float, bool]] = {}
    columns = ("analysis__case", "confidence", "symptom_class", "analysis__case__confirmed_class")
    for case_id, confidence, symptom_class, confirmed in findings.order_by().values_list(*columns):
        if confirmed is not None and confidence > surest.get(case_id, (-1.0, False))[0]:
            surest[case_id] = confidence, symptom_class == confirmed
    return Reliability(list(_bins(list(surest.values()))))


def _bins(claims: Sequence[tuple[float, bool]]) -> list[Bin]:
    bins = []
    for low, high in itertools.pairwise(EDGES):
        inside = [each for each in claims if low <= each[0] < high or each[0] == high == 1.0]
        if inside:
            right = sum(is_right for _, is_right in inside)
            share = reading_of_share(right, len(inside))
            assert share is not None
            assert share.low is not None
            assert share.high is not None
            sure = sum(confidence for confidence, _ in inside) / len(inside)
            bins.append(Bin(len(inside), right, sure, share.low, share.high))
    return bins
