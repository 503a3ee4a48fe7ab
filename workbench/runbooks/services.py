"""Records steps of runbooks: who did them, answers, and approvals."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from diagnostics.runbook import Step
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.cases.selectors import owners_possible
from workbench.cases.services import case_lock, case_seen, search_text_update, watch
from workbench.languages.sentences import say
from workbench.runbooks.models import HELD, StepRecord, StepState, latest_by_step
from workbench.runbooks.selectors import runbook_of

APPROVING = (StepState.WAITING, StepState.APPROVED, StepState.REFUSED)


@transaction.atomic
def step_record(
    *,
    analysis: Analysis,
    user: User,
    job: str,
    runbook: str,
    step: str,
    state: StepState,
    note: str,
    answer: str = "",
    asked: User | None = None,
) -> StepRecord:
    """Adds a record; the last one of a step counts. Raises ValidationError for what the step does not allow.

    answer  the `if` of one of the step's answers. It is valid until another one is recorded or the step is reopened,
            and settles a step that only asks.
    asked   who is to approve the step when `state` is waiting: another user who may change the case
    """
    known = _step_of(runbook, step)
    case_lock(analysis.case)
    last = latest_by_step(analysis.case.steps.complete()).get((job, runbook, step))
    _check_order(user, last, state)
    if state == StepState.WAITING:
        _check_asked(analysis, user, asked)
    else:
        asked = None
    if answer:
        if answer not in {each.condition for each in known.answers}:
            raise ValidationError({"answer": say("This step has no such answer any more. Read it again.")})
        state = StepState.OPEN if known.changes_something else StepState.DONE
    elif last and state != StepState.OPEN:
        answer = last.answer
    record = StepRecord.objects.create(
        case=analysis.case,
        analysis=analysis,
        job=job,
        runbook=runbook,
        step=step,
        state=state,
        note=note.strip(),
        answer=answer,
        asked=asked,
        by=user,
    )
    if state in APPROVING:
        _tell(analysis.case, user, asked)
    return record


def _tell(case: Case, user: User, asked: User | None) -> None:
    """Marks the case as unread for those who wait for an answer and for those who are asked."""
    search_text_update(case)
    watch(case=case, user=user)
    case_seen(case=case, user=user)
    if asked:
        watch(case=case, user=asked, has_news=True)


def _step_of(runbook: str, step: str) -> Step:
    known = runbook_of(runbook)
    found = next((each for each in known.steps if each.id == step), None) if known else None
    if found is None:
        raise ValidationError({"step": say("This runbook has no such step.")})
    return found


def _check_asked(analysis: Analysis, user: User, asked: User | None) -> None:
    if asked is None or asked == user or not owners_possible(analysis.case).filter(pk=asked.pk).exists():
        raise ValidationError({"asked": say("Ask somebody else who may change the case.")})


def _check_order(user: User, last: StepRecord | None, state: StepState) -> None:
    """A held step cannot be done, and nobody approves their own step."""
    before = last.state if last else StepState.OPEN
    if state == StepState.DONE and before in HELD:
        raise ValidationError({"state": say("This step waits for an approval. Open it again to go on without one.")})
    if state in (StepState.APPROVED, StepState.REFUSED):
        if before != StepState.WAITING:
            raise ValidationError({"state": say("Nobody asked for an approval of this step.")})
        if last and last.by == user:
            raise ValidationError({"state": say("Somebody else approves what you asked for.")})
