"""Prepares the verdict of a diagnosis for the case page: its sentences, what to do first, and the runbook to start."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from diagnostics.diagnosis.first_step import first_step_of
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.language import joined_sentences
from diagnostics.symptoms import UNDECIDED
from diagnostics.wording.phrase import split_sentences
from workbench.case_pages.presentation import FindingShown, JobShown
from workbench.runbooks.filling import RunbookProgress


@dataclass(frozen=True, slots=True)
class VerdictShown:
    """The sentences of the verdict.

    lead    the finding whose claim it states, with the values linked; None when it states none
    before  what precedes the claim: the name of the job; without a lead, the first sentence
    after   what follows it
    first_step  what to do first; None when no rule states it
    over    since when every cause of the lead's job is over; None while one goes on
    runbook  the one to start with: of the cause, and where it is not known, of what nothing explains
    """

    lead: FindingShown | None
    before: str
    after: str
    first_step: str | None = None
    over: dt.datetime | None = None
    runbook: RunbookProgress | None = None


def verdict_shown(document: Mapping[str, Any], jobs: Sequence[JobShown]) -> VerdictShown:
    """The summary of the verdict around the claim of the finding that it is based on."""
    summary = document["verdict"]["summary"]
    runbook = _runbook_to_start(jobs, is_known=document["verdict"]["symptom_class"] != UNDECIDED.id)
    for finding in chain.from_iterable(job.roots for job in jobs):
        before, claim, after = summary.partition(finding.claim)
        if claim:
            over = over_since(document, finding.entry["subject"].get("job"))
            return VerdictShown(finding, before, after.strip(), finding.entry.get("first_step"), over, runbook)
    first, *rest = split_sentences(summary) or [""]
    return VerdictShown(None, first, joined_sentences(rest), first_step_of(document), runbook=runbook)


def _runbook_to_start(jobs: Sequence[JobShown], *, is_known: bool) -> RunbookProgress | None:
    """That of the cause; where it is not known, of what nothing explains, before that of a guess."""
    first = next(iter(jobs), None)
    if first is None:
        return None
    leading = first.roots or first.unexplained if is_known else [*first.unexplained, *first.roots]
    return next((each.runbook for each in leading if each.runbook), None)
