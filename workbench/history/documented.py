"""Figures that the source documents state, each beside what the cases of this workbench show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from workbench.analyses.models import Finding
from workbench.history.durations import Durations
from workbench.languages.sentences import say

PROPAGATED = ("checkpoint_timeout", "back_pressure")
"""Classes of symptoms that S001 names: checkpoints that expire, and back pressure."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    source  id of the claim in `diagnostics/vocabulary/sources/documents.yaml`
    stated  the documents' figure as text
    part, whole  what is counted here; no share without a whole
    basis   what is counted
    """

    source: str
    title: str
    stated: str
    part: int
    whole: int
    basis: str

    @property
    def share(self) -> float | None:
        return self.part / self.whole if self.whole else None


def documented_figures(
    confirmed: Mapping[int, str], checkpoints: tuple[int, int], to_diagnosis: Durations, to_repair: Durations
) -> Iterator[Figure]:
    """The figures that cases can be counted for.

    confirmed    case -> its confirmed cause
    checkpoints  of all incidents: how many failed, and how many ended
    """
    failed, ended = checkpoints
    yield Figure(
        "S001",
        say("Failures with expired checkpoints or back pressure"),
        say("more than 60 %"),
        len(_cases_with(PROPAGATED, confirmed)),
        len(confirmed),
        say("cases with a confirmed cause whose incident shows one of the two"),
    )
    yield Figure(
        "S095",
        say("Repaired within 10 minutes"),
        say("10 min from failure to recovery"),
        to_repair.in_time,
        to_repair.cases,
        say("repaired cases, from the page to the fix"),
    )
    yield Figure(
        "S095",
        say("Root cause named within 10 minutes"),
        say("10 min from failure to recovery"),
        to_diagnosis.in_time,
        to_diagnosis.cases,
        say("cases in which one was named, from the page to the verdict"),
    )

    basis = say("checkpoints in the evidence of the incidents")
    yield Figure("S086", say("Checkpoints that fail"), say("less than 1 %"), failed, ended, basis)
    yield Figure("S075", say("Checkpoints that succeed"), say("50 % before, 95 % after"), ended - failed, ended, basis)


def _cases_with(classes: Collection[str], cases: Collection[int]) -> set[int]:
    """The cases whose incident has a finding of one of these classes that is more than a remark."""
    shown = Finding.objects.filter(analysis__case__in=cases, analysis__snapshot=1, symptom_class__in=classes)
    return set(shown.exclude(severity="info").values_list("analysis__case", flat=True))
