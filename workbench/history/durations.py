"""How long cases took from the page, or from their opening, to a diagnosis and to the lasting repair."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median, quantiles

from django.db.models import Min, QuerySet

from diagnostics.wording.phrase import duration
from workbench.analyses.models import Analysis
from workbench.cases.models import Case, CaseChange, CaseStatus
from workbench.languages.sentences import say

REPAIRED = (CaseStatus.FIX_APPLIED, CaseStatus.VERIFYING, CaseStatus.CLOSED)
FEW = 10
"""With fewer cases a ninetieth percentile is the slowest one. Our choice."""
TARGET = dt.timedelta(minutes=10)
"""The time to repair that the source documents state: vocabulary/sources/documents.yaml S095."""


@dataclass(frozen=True, slots=True)
class Durations:
    """Statistics of a duration over the cases where it is known; ms, None without any.

    in_time  how many took at most TARGET
    """

    cases: int
    median_ms: float | None
    slow_ms: float | None
    in_time: int = 0

    @staticmethod
    def summarise(times: Iterable[dt.timedelta]) -> Durations:
        """Median and ninetieth percentile."""
        known = sorted(time.total_seconds() * 1000 for time in times)
        if not known:
            return Durations(0, None, None)
        slow = quantiles(known, n=10)[-1] if len(known) >= FEW else known[-1]
        in_time = sum(each <= TARGET.total_seconds() * 1000 for each in known)
        return Durations(len(known), median(known), slow, in_time)

    @property
    def in_time_share(self) -> float | None:
        """The share of the cases that took at most TARGET; None without any."""
        return self.in_time / self.cases if self.cases else None


def began_at(cases: QuerySet[Case]) -> dict[int, dt.datetime]:
    """Case -> when its first alert came, or when it was opened if that was earlier or no alert came."""
    rows = cases.order_by().annotate(paged_at=Min("alerts__received_at")).values_list("pk", "created_at", "paged_at")
    return {case: min(opened, paged or opened) for case, opened, paged in rows}


def diagnosed_after(cases: QuerySet[Case], began: Mapping[int, dt.datetime]) -> dict[int, dt.timedelta]:
    """Case -> from its beginning to the first diagnosis that names a root cause."""
    named = Analysis.objects.done().filter(case__in=cases.order_by(), findings__role="root_cause").order_by()
    first = named.values("case").annotate(first=Min("finished_at")).values_list("case", "first")
    return {case: moment - began[case] for case, moment in first if moment and case in began}


def repaired_after(cases: QuerySet[Case], began: Mapping[int, dt.datetime]) -> dict[int, dt.timedelta]:
    """Case -> from its beginning to the lasting fix: a reopened case is not repaired until its next closing."""
    changes = CaseChange.objects.filter(case__in=cases.order_by(), after__has_key="status").order_by("pk")
    repaired: dict[int, dt.timedelta] = {}
    for case, moment, status in changes.values_list("case", "at", "after__status"):
        if status not in REPAIRED:
            repaired.pop(case, None)
        elif case in began:
            repaired.setdefault(case, moment - began[case])
    return repaired


def duration_words(case: Case) -> list[str]:
    """The two durations of one case as phrases, each with how it compares with TARGET; empty when unknown."""
    cases = Case.objects.filter(pk=case.pk)
    began = began_at(cases)
    diagnosed, repaired = diagnosed_after(cases, began).get(case.pk), repaired_after(cases, began).get(case.pk)
    words = [] if diagnosed is None else [say("verdict after {compared}", compared=_compared(diagnosed))]
    return words if repaired is None else [*words, say("fix after {compared}", compared=_compared(repaired))]


def _compared(took: dt.timedelta) -> str:
    values = {"took": duration(took.total_seconds() * 1000), "target": duration(TARGET.total_seconds() * 1000)}
    if took <= TARGET:
        return say("{took}, within the {target} target", **values)
    return say("{took}, above the {target} target", **values)
