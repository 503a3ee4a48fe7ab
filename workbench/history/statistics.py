"""Statistics of the history: causes by month, times to diagnosis and repair, recurring jobs."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from django.db.models import Min, QuerySet
from django.utils import timezone

from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.job_verdicts import JobVerdict
from workbench.cases.models import Case, CaseChange, CaseStatus

PERIODS = {"90": "90 days", "365": "A year", "": "All time"}
"""Query parameter -> days back."""
MOST_MONTHS = 12
MOST_JOBS = 15
HEALTHY = "healthy"
NO_CAUSE = (None, "", HEALTHY, "inconclusive")
REPAIRED = (CaseStatus.FIX_APPLIED, CaseStatus.VERIFYING, CaseStatus.CLOSED)
FEW = 10
"""With fewer cases a ninetieth percentile is the slowest one. Our choice."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A symptom class and how often it was the confirmed cause, or else the diagnosed one.

    months  one number per month of `Statistics.months`
    """

    symptom_class: str
    cases: int
    confirmed: int
    months: Sequence[int]
    to_repair: Durations


@dataclass(frozen=True, slots=True)
class Durations:
    """Statistics of a duration over the cases where it is known; ms, None without any."""

    cases: int
    median_ms: float | None
    slow_ms: float | None

    @staticmethod
    def summarise(times: Iterable[dt.timedelta]) -> Durations:
        """Median and ninetieth percentile."""
        known = sorted(time.total_seconds() * 1000 for time in times)
        if not known:
            return Durations(0, None, None)
        slow = quantiles(known, n=10)[-1] if len(known) >= FEW else known[-1]
        return Durations(len(known), median(known), slow)


@dataclass(slots=True)
class RecurringJob:
    """A job with several cases in which it was not healthy.

    returns  cases whose problem occurred before in another one; by the fingerprint of the worst job
    """

    name: str
    cases: int = 0
    returns: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    last: dt.datetime | None = None

    @property
    def leading_causes(self) -> list[tuple[str, int]]:
        return self.causes.most_common(3)


@dataclass(frozen=True, slots=True)
class Statistics:
    """months are first days of months, the oldest first."""

    cases: int
    open: int
    regressions: int
    months: Sequence[dt.date]
    causes: Sequence[Cause]
    to_diagnosis: Durations
    to_repair: Durations
    jobs: Sequence[RecurringJob]


@dataclass(frozen=True, slots=True)
class _Row:
    pk: int
    created_at: dt.datetime
    status: str
    verdict_class: str | None
    confirmed_class: str | None
    fingerprint: str | None
    problem_seen_at: dt.datetime | None
    job_verdicts: list[JobVerdict]

    @property
    def cause(self) -> str | None:
        found = self.confirmed_class or self.verdict_class
        return None if found in NO_CAUSE else found

    def is_worst(self, job: JobVerdict) -> bool:
        """Whether the verdict and the confirmed cause of the case are those of this job."""
        return job["symptom_class"] == self.verdict_class

    def cause_of(self, job: JobVerdict) -> str | None:
        """The cause for one job: the confirmed cause of a case is that of its worst job."""
        if self.is_worst(job):
            return self.cause
        return None if job["symptom_class"] in NO_CAUSE else job["symptom_class"]


def statistics(user: User, days: int | None = None) -> Statistics:
    """Statistics of the user's cases opened in the last `days`; merged ones count once."""
    cases = Case.objects.visible_to(user).filter(merged_into=None)
    if days:
        cases = cases.filter(created_at__gte=timezone.now() - dt.timedelta(days=days))
    columns = list(_Row.__dataclass_fields__)
    rows = [_Row(*values) for values in cases.order_by("created_at", "pk").values_list(*columns)]
    repaired = _repaired_after(cases)
    diagnosed = _diagnosed_after(cases)
    months = _months(rows)
    return Statistics(
        cases=len(rows),
        open=sum(1 for row in rows if row.status != CaseStatus.CLOSED),
        regressions=sum(1 for _, is_return in _with_returns(rows) if is_return),
        months=months,
        causes=_causes(rows, months, repaired),
        to_diagnosis=Durations.summarise(diagnosed.values()),
        to_repair=Durations.summarise(repaired.values()),
        jobs=_jobs(rows),
    )


def _repaired_after(cases: QuerySet[Case]) -> dict[int, dt.timedelta]:
    """Case -> time from its opening to the lasting fix: a reopened case is not repaired until its next closing."""
    changes = CaseChange.objects.filter(case__in=cases.order_by(), after__has_key="status").order_by("pk")
    repaired: dict[int, dt.timedelta] = {}
    for case, opened, moment, status in changes.values_list("case", "case__created_at", "at", "after__status"):
        if status in REPAIRED:
            repaired.setdefault(case, moment - opened)
        else:
            repaired.pop(case, None)
    return repaired


def _diagnosed_after(cases: QuerySet[Case]) -> dict[int, dt.timedelta]:
    """Case -> from its opening to the first diagnosis that names a root cause."""
    named = Analysis.objects.done().filter(case__in=cases.order_by(), findings__role="root_cause").order_by()
    first = named.values("case", "case__created_at").annotate(first=Min("finished_at"))
    told = first.values_list("case", "case__created_at", "first")
    return {case: moment - opened for case, opened, moment in told if moment}


def _months(rows: Sequence[_Row]) -> list[dt.date]:
    if not rows:
        return []
    last = timezone.now().astimezone(dt.UTC).date().replace(day=1)
    first = rows[0].created_at.astimezone(dt.UTC).date().replace(day=1)
    months = [last]
    while len(months) < MOST_MONTHS and months[-1] > first:
        months.append((months[-1] - dt.timedelta(days=1)).replace(day=1))
    return months[::-1]


def _causes(rows: Sequence[_Row], months: Sequence[dt.date], repaired: Mapping[int, dt.timedelta]) -> list[Cause]:
    of_class: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        if row.cause:
            of_class[row.cause].append(row)
    return [
        _cause(name, of_class[name], months, repaired)
        for name in sorted(of_class, key=lambda c: (-len(of_class[c]), c))
    ]


def _cause(name: str, rows: Sequence[_Row], months: Sequence[dt.date], repaired: Mapping[int, dt.timedelta]) -> Cause:
    by_month = Counter(row.created_at.astimezone(dt.UTC).date().replace(day=1) for row in rows)
    return Cause(
        name,
        len(rows),
        sum(1 for row in rows if row.confirmed_class == name),
        [by_month[month] for month in months],
        Durations.summarise(repaired[row.pk] for row in rows if row.pk in repaired),
    )


def _jobs(rows: Sequence[_Row]) -> list[RecurringJob]:
    jobs: dict[str, RecurringJob] = {}
    for row, is_return in _with_returns(rows):
        for verdict in row.job_verdicts:
            if verdict["symptom_class"] == HEALTHY:
                continue
            job = jobs.setdefault(verdict["name"], RecurringJob(verdict["name"]))
            job.cases += 1
            job.returns += is_return and row.is_worst(verdict)
            job.last = row.created_at
            if cause := row.cause_of(verdict):
                job.causes[cause] += 1
    again = [job for job in jobs.values() if job.cases > 1]
    return sorted(again, key=lambda job: (-job.cases, job.name))[:MOST_JOBS]


def _with_returns(rows: Sequence[_Row]) -> Iterator[tuple[_Row, bool]]:
    """Each case, and whether its problem occurred earlier in another one; the same incident counts once."""
    moments: dict[str, set[dt.datetime]] = defaultdict(set)
    for row in rows:
        if row.fingerprint and row.problem_seen_at:
            moments[row.fingerprint].add(row.problem_seen_at)
    counted: set[tuple[str, dt.datetime]] = set()
    for row in rows:
        returned = False
        if row.fingerprint and row.problem_seen_at:
            incident = (row.fingerprint, row.problem_seen_at)
            returned = incident not in counted and min(moments[row.fingerprint]) < row.problem_seen_at
            counted.add(incident)
        yield row, returned
