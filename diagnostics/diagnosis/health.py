"""The health score: 100 minus one deduction for each finding, each linked to the finding that it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from diagnostics.diagnosis.finding import Finding
from diagnostics.rules.rule import Severity
from diagnostics.symptoms import Dimension, symptom

CAUSE_POINTS: dict[Severity, float] = {"critical": 50.0, "warning": 25.0, "info": 4.0}
CONSEQUENCE_POINTS: dict[Severity, float] = {"critical": 15.0, "warning": 8.0, "info": 1.0}
"""Points at full confidence. Our choice, so that one sure critical cause with a consequence lands below 60 and one sure
warning between 60 and 80: the bands that users of hosted Flink know (over 80 good, 60 to 80 watch, under 60 act)."""

DIMENSION_FACTOR = 1.6
"""A dimension holds fewer findings than the whole, so each weighs more there. Our choice."""


@dataclass(frozen=True, slots=True)
class Deduction:
    """Points that one finding costs."""

    finding: Finding
    dimension: Dimension
    points: float


@dataclass(frozen=True, slots=True)
class Health:
    """A score of 0 to 100, whole and by dimension, and how it came about."""

    score: int
    dimensions: dict[str, int]
    deductions: tuple[Deduction, ...]


def health(findings: Iterable[Finding]) -> Health:
    """The health that these findings leave."""
    deductions = tuple(
        Deduction(each, symptom(each.symptom_class).dimension, round(_points(each) * each.confidence, 1))
        for each in findings
    )
    dimensions = {
        name: _left(DIMENSION_FACTOR * each.points for each in deductions if each.dimension == name)
        for name in get_args(Dimension)
    }
    return Health(_left(each.points for each in deductions), dimensions, deductions)


def _points(finding: Finding) -> float:
    table = CONSEQUENCE_POINTS if finding.role == "consequence" else CAUSE_POINTS
    return table[finding.severity]


def _left(points: Iterable[float]) -> int:
    return max(0, round(100 - sum(points)))
