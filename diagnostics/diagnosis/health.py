"""The health score: 100 minus one deduction per finding.

When something failed, or a symptom has no known cause, a last deduction lowers the score to MOST_IN_TROUBLE.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import get_args

from diagnostics.diagnosis.finding import Finding
from diagnostics.rules.rule import Severity
from diagnostics.symptoms import Dimension, symptom
from diagnostics.wording import phrase

CAUSE_POINTS: dict[Severity, float] = {"critical": 50.0, "warning": 25.0, "info": 4.0}
CONSEQUENCE_POINTS: dict[Severity, float] = {"critical": 15.0, "warning": 8.0, "info": 1.0}
"""Points at full confidence. Our choice, so that one sure critical cause with a consequence lands below 60 and one sure
warning between 60 and 80: the bands that users of hosted Flink know (over 80 good, 60 to 80 watch, under 60 act)."""

MOST_IN_TROUBLE = 60
"""The score of a job in trouble goes no higher, however sure its findings are: a fatal error, no TaskManager, no
completed checkpoint, a failed attempt, or a cause that could not be judged. Our choice: the upper end of the band
"act".
"""

DIMENSION_FACTOR = 1.6
"""Weight of a finding within a dimension, which has fewer findings than the whole. Our choice."""


@dataclass(frozen=True, slots=True)
class Deduction:
    """Points that one finding costs, or an upper bound of the whole score, whose reason is its title.

    finding    None for a bound without a shown finding
    dimension  None for a bound
    """

    title: str
    finding: Finding | None
    dimension: Dimension | None
    points: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason for an upper bound, as words after a colon, and the finding behind it, if any."""

    title: str
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """A score of 0 to 100, overall and by dimension, with its deductions."""

    score: int
    dimensions: dict[str, int]
    deductions: tuple[Deduction, ...]


def health(findings: Iterable[Finding], trouble: Iterable[Trouble] = ()) -> Health:
    """The health after these findings, at most MOST_IN_TROUBLE when there is any trouble."""
    deductions = [
        Deduction(
            each.rule.title, each, symptom(each.symptom_class).dimension, round(_points(each) * each.confidence, 1)
        )
        for each in findings
    ]
    dimensions = {
        name: _left(DIMENSION_FACTOR * each.points for each in deductions if each.dimension == name)
        for name in get_args(Dimension)
    }
    left = 100 - sum(each.points for each in deductions)
    bound = next(iter(trouble), None)
    if bound and left > MOST_IN_TROUBLE:
        title = f"Never above {MOST_IN_TROUBLE}: {bound.title}"
        deductions.append(Deduction(title, bound.finding, None, round(left - MOST_IN_TROUBLE, 1)))
    return Health(_left(each.points for each in deductions), dimensions, tuple(deductions))


def trouble_in(findings: Iterable[Finding]) -> Iterator[Trouble]:
    """Findings with which no job is healthy: critical ones, and failures of a job, attempt or process."""
    for each in findings:
        kind = symptom(each.symptom_class)
        failed = kind.kind == "consequence" and kind.dimension == "stability" and each.severity != "info"
        if failed or each.severity == "critical":
            yield Trouble(phrase.within_sentence(each.rule.title), each)


def _points(finding: Finding) -> float:
    table = CONSEQUENCE_POINTS if finding.role == "consequence" else CAUSE_POINTS
    return table[finding.severity]


def _left(points: Iterable[float]) -> int:
    return max(0, round(100 - sum(points)))
