"""What the cases about one job measured of it, one course for each quantity, the oldest case first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max

from diagnostics.proof import job_readings
from diagnostics.proof.quantities import GROUPS
from diagnostics.proof.quantity import Effect, Quantity, judge
from diagnostics.proof.reading import Reading
from diagnostics.proof.words import change_in_words, value_in_words
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.runbooks.proof import GROUP_TITLES, snapshot_data

MOST_CASES = 24
"""The newest cases that are read. Our choice: each has charts of its own, and more points do not change a course."""
WIDTH, HEIGHT = 640, 120
UNCHANGED = ("unchanged", "cannot tell")
"""Judgements by which the newest case does not differ from the one before."""


@dataclass(frozen=True, slots=True)
class CasePoint:
    """The value of one case: its place in the drawing, and as text with what it rests on."""

    case: Case
    x: float
    y: float
    value: str
    basis: str


@dataclass(frozen=True, slots=True)
class JobCourse:
    """One quantity over the cases that measured it, two at least.

    change  the newest case against the one before, as text
    effect  the same with its noise band and judgement
    """

    quantity: Quantity
    points: Sequence[CasePoint]
    effect: Effect
    change: str
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def line(self) -> str:
        """The points of an SVG line, zero at the bottom."""
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)

    @property
    def now(self) -> str:
        return self.points[-1].value


@dataclass(frozen=True, slots=True)
class JobOverCases:
    """The cases about a job, oldest first, and its courses.

    changed    title of a group -> the quantities that differ from the case before, beyond the noise
    unchanged  the others
    """

    cases: Sequence[Case]
    changed: Mapping[str, Sequence[JobCourse]]
    unchanged: Sequence[JobCourse]


def job_over_cases(user: User, name: str) -> JobOverCases:
    """The newest cases with a job of the name, and what their diagnoses of the incident measured of it."""
    cases = (
        Case.objects.visible_to(user).filter(merged_into=None).with_a_job_of([name]) if name else Case.objects.none()
    )
    shown = list(cases.order_by("-created_at", "-pk")[:MOST_CASES])[::-1]
    done = Analysis.objects.filter(case__in=shown).exclude_later_snapshots().done().order_by()
    newest = done.values("case").annotate(newest=Max("pk")).values_list("case", "newest")
    keys = dict(newest)
    analyses = Analysis.objects.defer("inputs").in_bulk(list(keys.values()))
    readings = {
        case.pk: job_readings(snapshot_data(analyses[keys[case.pk]]), name) for case in shown if case.pk in keys
    }
    changed: dict[str, list[JobCourse]] = {}
    unchanged: list[JobCourse] = []
    for group, quantities in GROUPS.items():
        for quantity in quantities:
            course = _course(quantity, shown, readings)
            if course and course.effect.judgement in UNCHANGED:
                unchanged.append(course)
            elif course:
                changed.setdefault(GROUP_TITLES[group], []).append(course)
    return JobOverCases(shown, changed, unchanged)


def _course(
    quantity: Quantity, cases: Sequence[Case], readings: Mapping[int, Mapping[str, Reading]]
) -> JobCourse | None:
    known = [(case, reading) for case in cases if (reading := readings.get(case.pk, {}).get(quantity.id)) is not None]
    if len(known) < 2:
        return None
    top = max(reading.value for _, reading in known) or 1.0
    points = [
        CasePoint(
            case,
            x=place / (len(known) - 1) * WIDTH,
            y=HEIGHT * (1 - reading.value / top),
            value=value_in_words(reading.value, quantity.unit),
            basis=reading.basis,
        )
        for place, (case, reading) in enumerate(known)
    ]
    effect = judge(quantity, known[-2][1], known[-1][1])
    return JobCourse(quantity, points, effect, change_in_words(effect))
