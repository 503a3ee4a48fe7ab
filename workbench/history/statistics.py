"""Statistics of the history: causes and their shares over time, times to diagnosis and repair, recurring jobs."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from diagnostics.symptoms import HEALTHY, NO_CAUSE
from workbench.accounts.models import User
from workbench.cases.job_verdicts import JobVerdict, causes_of
from workbench.cases.models import Case, CaseStatus
from workbench.cases.service_levels import ServiceLevel
from workbench.history.documented import Figure, documented_figures
from workbench.history.durations import Durations, began_at, diagnosed_after, repaired_after
from workbench.languages.sentences import say_later

PERIODS = {"90": say_later("90 days, by week"), "365": say_later("A year"), "": say_later("All time")}
"""Query parameter -> days back."""
MOST_DAYS_BY_WEEK = 92
"""A longer period is divided into months. Our choice: a quarter."""
MOST_SPANS = 14
MOST_SHARES = 5
"""Classes whose share is shown over time, the most frequent ones. Our choice: a row stays readable."""
MOST_JOBS = 15
UNNAMED = (None, "", *NO_CAUSE)
"""What a case has where nobody, and no diagnosis, names a cause."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A symptom class and how often it was the confirmed cause, or else the diagnosed one.

    cases  with that cause of the case or of another of its jobs
    share  of all confirmed causes, None when none is confirmed
    spans  one number for each of `Statistics.spans`
    """

    symptom_class: str
    cases: int
    confirmed: int
    share: float | None
    spans: Sequence[int]
    to_repair: Durations


@dataclass(frozen=True, slots=True)
class Span:
    """The cases that were opened in one week or month.

    first   its first day
    shares  of the confirmed causes, one for each of `Statistics.share_classes`; None when none is confirmed
    checkpoints  of the incidents: how many failed, and how many ended
    """

    first: dt.date
    cases: int
    confirmed: int
    shares: Sequence[float | None]
    checkpoints: tuple[int, int]
    to_diagnosis: Durations
    to_repair: Durations

    @property
    def failed_share(self) -> float | None:
        failed, ended = self.checkpoints
        return failed / ended if ended else None


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
    """spans are weeks or months, the oldest first; share_classes the most frequent confirmed causes."""

    cases: int
    open: int
    regressions: int
    by_week: bool
    spans: Sequence[Span]
    causes: Sequence[Cause]
    share_classes: Sequence[str]
    figures: Sequence[Figure]
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
    service_levels: list[ServiceLevel]

    @property
    def opened_on(self) -> dt.date:
        """The day in UTC."""
        return self.created_at.astimezone(dt.UTC).date()

    @property
    def cause(self) -> str | None:
        found = self.confirmed_class or self.verdict_class
        return None if found in UNNAMED else found

    @property
    def confirmed_cause(self) -> str | None:
        return None if self.confirmed_class in UNNAMED else self.confirmed_class

    @property
    def causes(self) -> list[str]:
        """The cause of the case, and those of its other jobs."""
        others = causes_of(self.job_verdicts[1:])
        return list(dict.fromkeys([*([self.cause] if self.cause else []), *others]))

    def is_worst(self, job: JobVerdict) -> bool:
        """Whether the verdict and the confirmed cause of the case are those of this job."""
        return job is self.job_verdicts[0]

    def cause_of(self, job: JobVerdict) -> str | None:
        """The cause for one job: the confirmed cause of a case is that of its worst job."""
        if self.is_worst(job):
            return self.cause
        return None if job["symptom_class"] in UNNAMED else job["symptom_class"]


def statistics(user: User, days: int | None = None) -> Statistics:
    """Statistics of the user's cases opened in the last `days`; merged ones count once."""
    cases = Case.objects.visible_to(user).filter(merged_into=None)
    if days:
        cases = cases.filter(created_at__gte=timezone.now() - dt.timedelta(days=days))
    columns = list(_Row.__dataclass_fields__)
    rows = [_Row(*values) for values in cases.order_by("created_at", "pk").values_list(*columns)]
    began = began_at(cases)
    repaired, diagnosed = repaired_after(cases, began), diagnosed_after(cases, began)
    span_of = _week_of if days and days <= MOST_DAYS_BY_WEEK else _month_of
    firsts = _spans(rows, span_of)
    causes = _causes(rows, firsts, span_of, repaired)
    shares = [each.symptom_class for each in sorted(causes, key=lambda each: -each.confirmed) if each.confirmed]
    to_diagnosis, to_repair = Durations.summarise(diagnosed.values()), Durations.summarise(repaired.values())
    confirmed = {row.pk: row.confirmed_cause for row in rows if row.confirmed_cause}
    return Statistics(
        cases=len(rows),
        open=sum(1 for row in rows if row.status != CaseStatus.CLOSED),
        regressions=sum(1 for _, is_return in _with_returns(rows) if is_return),
        by_week=span_of is _week_of,
        spans=list(_trend(rows, firsts, span_of, shares[:MOST_SHARES], diagnosed, repaired)),
        causes=causes,
        share_classes=shares[:MOST_SHARES],
        figures=list(documented_figures(confirmed, _checkpoints(rows), to_diagnosis, to_repair)),
        to_diagnosis=to_diagnosis,
        to_repair=to_repair,
        jobs=_jobs(rows),
    )


SpanOf = Callable[[dt.date], dt.date]
"""A day -> the first day of its week or month."""


def _week_of(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=day.weekday())


def _month_of(day: dt.date) -> dt.date:
    return day.replace(day=1)


def _spans(rows: Sequence[_Row], span_of: SpanOf) -> list[dt.date]:
    """The first days of the weeks or months from the first case until today."""
    if not rows:
        return []
    spans = [span_of(timezone.now().astimezone(dt.UTC).date())]
    while len(spans) < MOST_SPANS and spans[-1] > span_of(rows[0].opened_on):
        spans.append(span_of(spans[-1] - dt.timedelta(days=1)))
    return spans[::-1]


def _trend(
    rows: Sequence[_Row],
    firsts: Sequence[dt.date],
    span_of: SpanOf,
    classes: Sequence[str],
    diagnosed: Mapping[int, dt.timedelta],
    repaired: Mapping[int, dt.timedelta],
) -> Iterator[Span]:
    of_span: dict[dt.date, list[_Row]] = defaultdict(list)
    for row in rows:
        of_span[span_of(row.opened_on)].append(row)
    for first in firsts:
        own = of_span[first]
        confirmed = Counter(row.confirmed_cause for row in own if row.confirmed_cause)
        yield Span(
            first,
            len(own),
            confirmed.total(),
            [confirmed[name] / confirmed.total() if confirmed else None for name in classes],
            _checkpoints(own),
            Durations.summarise(diagnosed[row.pk] for row in own if row.pk in diagnosed),
            Durations.summarise(repaired[row.pk] for row in own if row.pk in repaired),
        )


def _checkpoints(rows: Iterable[_Row]) -> tuple[int, int]:
    """How many checkpoints of these incidents failed, and how many ended."""
    levels = [level for row in rows for level in row.service_levels]
    failed = sum(each["failed"] or 0 for each in levels)
    return failed, failed + sum(each["completed"] or 0 for each in levels)


def _causes(
    rows: Sequence[_Row], firsts: Sequence[dt.date], span_of: SpanOf, repaired: Mapping[int, dt.timedelta]
) -> list[Cause]:
    of_class: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        for cause in row.causes:
            of_class[cause].append(row)
    confirmed = Counter(row.confirmed_cause for row in rows if row.confirmed_cause)
    causes = []
    for name in sorted(of_class, key=lambda each: (-len(of_class[each]), each)):
        own = of_class[name]
        by_span = Counter(span_of(row.opened_on) for row in own)
        share = confirmed[name] / confirmed.total() if confirmed else None
        to_repair = Durations.summarise(repaired[row.pk] for row in own if row.pk in repaired and row.cause == name)
        causes.append(Cause(name, len(own), confirmed[name], share, [by_span[first] for first in firsts], to_repair))
    return causes


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
