"""The health score: 100 minus one deduction per finding.

When something failed, or a symptom has no known cause, a last deduction lowers the score to MOST_IN_TROUBLE.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from diagnostics.diagnosis.finding import Finding
from diagnostics.language import say
from diagnostics.rules.rule import Severity
from diagnostics.symptoms import Dimension, symptom
from diagnostics.wording import phrase

MOST_IN_TROUBLE = 60
"""The score of a job in trouble goes no higher, however sure its findings are: a fatal error, no TaskManager, no
completed checkpoint, a failed attempt, a cause that could not be judged, or files that do not show whether it is well.
Our choice: the upper end of the band "act".
"""
MOST_STOPPED = 0
"""The score of a job that does not run, and of its stability: no running job is worse. Our choice."""


@dataclass(frozen=True, slots=True)
class HealthWeights:
    """Points that a finding of full confidence costs, and the highest score of a job in trouble."""

    cause: Mapping[Severity, float]
    consequence: Mapping[Severity, float]
    most_in_trouble: int = MOST_IN_TROUBLE

    def points(self, severity: Severity, role: str, confidence: float) -> float:
        """The points that one finding costs."""
        table = self.consequence if role == "consequence" else self.cause
        return round(table[severity] * confidence, 1)


USUAL_WEIGHTS = HealthWeights(
    cause={"critical": 50.0, "warning": 25.0, "info": 4.0},
    consequence={"critical": 15.0, "warning": 8.0, "info": 1.0},
)
"""Our choice, so that one sure critical cause with a consequence lands below 60 and one sure warning between 60 and 80:
the bands that users of hosted Flink know (over 80 good, 60 to 80 watch, under 60 act)."""

DIMENSION_FACTOR = 1.6
"""Weight of a finding within a dimension, which has fewer findings than the whole. Our choice."""

BOUND = "Never above "
"""The beginning of `bound_title` in a stored document."""


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
    """The reason for an upper bound, as words after a colon, and the finding behind it, if any.

    is_stop  whether the job does not run: the bound is MOST_STOPPED
    """

    title: str
    finding: Finding | None = None
    is_stop: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """A score of 0 to 100, overall and by dimension, with its deductions.

    trouble  why the score is bounded, whether or not the bound lowers it; None without a bound
    """

    score: int
    dimensions: dict[str, int]
    deductions: tuple[Deduction, ...]
    trouble: Trouble | None = None


def health(findings: Iterable[Finding], trouble: Iterable[Trouble] = ()) -> Health:
    """The health after these findings by USUAL_WEIGHTS, bounded when there is any trouble."""
    deductions = [
        Deduction(
            each.title,
            each,
            each.rule.dimension or symptom(each.symptom_class).dimension,
            USUAL_WEIGHTS.points(each.severity, each.role, each.confidence),
        )
        for each in findings
    ]
    dimensions = dimension_scores((each.dimension, each.points) for each in deductions)
    bound = next(iter(trouble), None)
    most = most_of(USUAL_WEIGHTS, is_stop=bound is not None and bound.is_stop)
    if bound and bound.is_stop:
        dimensions["stability"] = MOST_STOPPED
    if bound and (excess := points_above(most, (each.points for each in deductions))):
        title = bound_title(most, bound.title)
        deductions.append(Deduction(title, bound.finding, None, excess))
    return Health(points_left(each.points for each in deductions), dimensions, tuple(deductions), bound)


def dimension_scores(deducted: Iterable[tuple[str | None, float]]) -> dict[str, int]:
    """The score of each dimension, from the deductions as (dimension, points)."""
    rows = list(deducted)
    return {
        name: points_left(DIMENSION_FACTOR * points for dimension, points in rows if dimension == name)
        for name in get_args(Dimension)
    }


def most_of(weights: HealthWeights, *, is_stop: bool) -> int:
    """The highest score of a job in trouble, or of one that does not run."""
    return MOST_STOPPED if is_stop else weights.most_in_trouble


def points_above(most: int, deducted: Iterable[float]) -> float:
    """The points by which the rest exceeds the highest score of a job in trouble; 0 below it."""
    return max(round(100 - sum(deducted) - most, 1), 0.0)


def bound_title(most: int, reason: str) -> str:
    """The title of the deduction that bounds the score."""
    return say("Never above {most}: {reason}", most=most, reason=reason)


def trouble_in(findings: Iterable[Finding]) -> Iterator[Trouble]:
    """Findings with which no job is healthy: critical ones, and failures of a job, attempt or process."""
    for each in findings:
        kind = symptom(each.symptom_class)
        failed = kind.kind == "consequence" and kind.dimension == "stability" and each.severity != "info"
        if failed or each.severity == "critical":
            yield Trouble(phrase.within_sentence(each.title), each)


def points_left(points: Iterable[float]) -> int:
    """What the deductions leave of 100, at least 0."""
    return max(0, round(100 - sum(points)))
