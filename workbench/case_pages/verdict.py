"""Prepares the verdict of a diagnosis for the case page: its sentences, what to do first, and the runbook to start."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from diagnostics.diagnosis.first_step import first_step_of
from diagnostics.diagnosis.job_names import with_job_name
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.language import joined_sentences
from diagnostics.symptoms import HEALTHY, UNDECIDED
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


@dataclass(frozen=True, slots=True)
class JobVerdictShown:
    """A job of a case with several.

    entry       of the document
    sentence    its verdict without its name; empty for the first job, whose verdict is that of the case
    first_step  what to do first about it; None when no rule states it, for a healthy job, and for the first one
    over        since when every cause of it is over
    runbook     the one to start with, as of `VerdictShown`
    has_findings  whether findings of it are on the page
    """

    entry: Mapping[str, Any]
    sentence: str
    first_step: str | None
    over: dt.datetime | None
    runbook: RunbookProgress | None
    has_findings: bool


def job_verdicts_shown(document: Mapping[str, Any], jobs: Sequence[JobShown]) -> list[JobVerdictShown]:
    """The jobs of a document with several; each says what it is about beside the verdict, which is the first one's."""
    entries = document["jobs"]
    if len(entries) < 2:
        return []
    shown = {each.job_id: each for each in jobs}
    return [
        _job_verdict_shown(document, each, shown.get(each["job_id"]), is_first=each is entries[0]) for each in entries
    ]


def _job_verdict_shown(
    document: Mapping[str, Any], entry: Mapping[str, Any], job: JobShown | None, *, is_first: bool
) -> JobVerdictShown:
    if is_first:
        return JobVerdictShown(entry, "", None, None, None, has_findings=job is not None)
    symptom_class, name = entry["verdict"]["symptom_class"], entry["name"]
    sentence = entry["summary"].removeprefix(with_job_name(name, "")) if name else entry["summary"]
    is_healthy = symptom_class == HEALTHY
    known = [job] if job and not is_healthy else []
    return JobVerdictShown(
        entry,
        sentence,
        None if is_healthy else first_step_of(document, entry),
        over_since(document, entry["job_id"]),
        _runbook_to_start(known, is_known=symptom_class != UNDECIDED.id),
        has_findings=job is not None,
    )


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
