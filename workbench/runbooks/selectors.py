"""Reads runbooks and their findings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from diagnostics.runbook import Runbook
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say
from workbench.rules.runbook_texts import runbook_counting, runbooks_counting
from workbench.runbooks.models import StepRecord


def runbook_of(runbook_id: str | None) -> Runbook | None:
    """The effective runbook; None for a finding without one."""
    return runbook_counting(runbook_id)


def runbooks_named(findings: Iterable[Mapping[str, Any]]) -> dict[str, Runbook]:
    """The effective runbooks of findings by id, in one query."""
    return runbooks_counting(finding.get("runbook") or "" for finding in findings)


@dataclass(frozen=True, slots=True)
class TimedRecord:
    """A record of a step with its times.

    after_ms  since the diagnosis, None for a record of an earlier one
    took_ms   since the previous record, None for the first
    """

    record: StepRecord
    after_ms: float | None
    took_ms: float | None


def timed_records(analysis: Analysis, runbook_id: str, job: str) -> list[TimedRecord]:
    """All records of a runbook's steps for one job of the case, oldest first, with their times."""
    records: list[TimedRecord] = []
    last: dt.datetime | None = None
    for record in analysis.case.steps.filter(runbook=runbook_id, job=job).select_related("by", "asked"):
        since = (record.at - analysis.finished_at).total_seconds() * 1000 if analysis.finished_at else None
        took = (record.at - last).total_seconds() * 1000 if last else None
        records.append(TimedRecord(record, since if since is not None and since >= 0 else None, took))
        last = record.at
    return records


def finding_at(analysis: Analysis, position: int) -> dict[str, Any]:
    """The finding at an index of the document. Raises Http404 for an index that it does not have."""
    findings = (analysis.document or {}).get("findings", [])
    if position >= len(findings):
        raise Http404(say("This diagnosis has no such finding."))
    found: dict[str, Any] = findings[position]
    return found
