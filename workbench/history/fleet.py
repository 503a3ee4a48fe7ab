"""The health of each job over all cases, as a page and as CSV.

A case gives one observation of each of its jobs, with the job's health and verdict; the column `shared` counts the
cases with several jobs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.accounts.models import User
from workbench.cases.models import Case, CaseQuerySet, CaseStatus
from workbench.untrusted.csv_cell import harmless_cell

MOST_LOOKS = 12
"""Observations in a trend. Our choice: three months of weekly trouble."""
WIDTH, HEIGHT = 96, 24
COLUMNS = ("job", "health", "health_before", "worst_health", "verdict", "cases", "open", "shared", "last_case", "last")


@dataclass(slots=True)
class JobHealth:
    """One job.

    looks          its health scores, the oldest case first, without cases that state none
    last           the newest of these cases
    symptom_class  its verdict there
    """

    name: str
    last: Case
    symptom_class: str
    looks: list[int] = field(default_factory=list)
    cases: int = 0
    open: int = 0
    shared: int = 0

    @property
    def health(self) -> int:
        return self.looks[-1]

    @property
    def change(self) -> int | None:
        """Points since the previous observation, None for the first one."""
        return self.looks[-1] - self.looks[-2] if len(self.looks) > 1 else None

    @property
    def line(self) -> str:
        """The trend as points of an SVG line, 100 on top."""
        shown = self.looks[-MOST_LOOKS:]
        step = WIDTH / max(len(shown) - 1, 1)
        return " ".join(f"{place * step:.1f},{HEIGHT * (1 - score / 100):.1f}" for place, score in enumerate(shown))


def fleet(user: User) -> list[JobHealth]:
    """Every job of the user's cases with a health score, the least healthy first; merged cases are left out."""
    jobs = jobs_in(cases_with_jobs(user))
    return sorted(jobs.values(), key=lambda job: (job.health, -job.cases, job.name))


def cases_with_jobs(user: User) -> CaseQuerySet:
    """The cases that say how a job is, the oldest first."""
    cases = Case.objects.visible_to(user).filter(merged_into=None).exclude(job_verdicts=[])
    return cases.order_by("created_at", "pk")


def jobs_in(cases: Iterable[Case]) -> dict[str, JobHealth]:
    """Name -> health of each job with a health score. The cases are ordered, the oldest first."""
    jobs: dict[str, JobHealth] = {}
    for case in cases:
        for verdict in case.job_verdicts:
            if verdict["health"] is None:
                continue
            name, symptom_class = verdict["name"], verdict["symptom_class"]
            job = jobs.setdefault(name, JobHealth(name, case, symptom_class))
            job.last, job.symptom_class = case, symptom_class
            job.looks.append(verdict["health"])
            job.cases += 1
            job.open += case.status != CaseStatus.CLOSED
            job.shared += len(case.job_verdicts) > 1
    return jobs


def rows(jobs: Sequence[JobHealth]) -> Iterator[tuple[object, ...]]:
    """The jobs in the order of COLUMNS; None for unknown values."""
    for job in jobs:
        before = job.looks[-2] if len(job.looks) > 1 else None
        counts = (job.cases, job.open, job.shared)
        last = (job.last.pk, job.last.created_at.isoformat(timespec="seconds"))
        yield job.name, job.health, before, min(job.looks), job.symptom_class, *counts, *last


def as_csv(jobs: Sequence[JobHealth]) -> str:
    """A table for a spreadsheet. Names that look like a formula get an apostrophe in front."""
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(COLUMNS)
    table.writerows([harmless_cell(value) for value in row] for row in rows(jobs))
    return written.getvalue()


def as_values(jobs: Sequence[JobHealth]) -> list[dict[str, object]]:
    """The same for programs, with the whole trend."""
    return [
        {**dict(zip(COLUMNS, row, strict=True)), "looks": job.looks} for row, job in zip(rows(jobs), jobs, strict=True)
    ]
