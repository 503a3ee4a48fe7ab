"""Runbooks by their id, and the findings that they are for."""

from __future__ import annotations

from typing import Any

from django.http import Http404

from diagnostics.runbook import Runbook
from workbench.analyses.models import Analysis
from workbench.rules.runbook_texts import runbook_counting


def runbook_of(runbook_id: str | None) -> Runbook | None:
    """The runbook that counts now; None for a finding that has none."""
    return runbook_counting(runbook_id)


def finding_at(analysis: Analysis, position: int) -> dict[str, Any]:
    """The finding at a place of the document. Raises Http404 for a place that it does not have."""
    findings = (analysis.document or {}).get("findings", [])
    if position >= len(findings):
        raise Http404("This diagnosis has no such finding.")
    found: dict[str, Any] = findings[position]
    return found
