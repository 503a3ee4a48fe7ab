"""Writes down who did which step of which runbook."""

from __future__ import annotations

from django.core.exceptions import ValidationError

from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.runbooks.models import StepRecord, StepState
from workbench.runbooks.selectors import runbook_of


def step_record(
    *, analysis: Analysis, user: User, job: str, runbook: str, step: str, state: StepState, note: str
) -> StepRecord:
    """A new record; the last one of a step counts. Raises ValidationError for a step that does not exist."""
    known = runbook_of(runbook)
    if known is None or step not in {each.id for each in known.steps}:
        raise ValidationError({"step": "This runbook has no such step."})
    return StepRecord.objects.create(
        case=analysis.case,
        analysis=analysis,
        job=job,
        runbook=runbook,
        step=step,
        state=state,
        note=note.strip(),
        by=user,
    )
