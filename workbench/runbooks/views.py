"""The runbook of a finding, with the values of its case and the steps that people recorded."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from diagnostics.calculators import CALCULATORS
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.evidence.subject import Lookup
from diagnostics.reproduction import reproduction
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.after_restarts import to_reconcile
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.reading import document_read
from workbench.analyses.selectors import analysis_to_change, analysis_visible
from workbench.cases.selectors import owners_possible, snapshots_of
from workbench.languages.sentences import say
from workbench.runbooks.alternatives import alternatives_of
from workbench.runbooks.articles import articles_visible
from workbench.runbooks.filling import StepShown, layers, next_step, runbook_progress, steps_shown
from workbench.runbooks.forms import StepForm
from workbench.runbooks.linked_values import linked_values
from workbench.runbooks.models import StepState
from workbench.runbooks.placeholders import placeholders, value_fields
from workbench.runbooks.plans import (
    change_to_plan,
    due_because,
    no_help_now,
    runbook_to_begin,
    same_restarts,
    waits_because,
)
from workbench.runbooks.selectors import finding_at, timed_records
from workbench.runbooks.services import step_record
from workbench.runbooks.what_if import Calculated, calculated

HELD_NOW = "throughput.held_at_end"
"""Fact: the records that the sources hold back at the end of the evidence."""

REPRODUCIBLE = ("data_skew", "out_of_order_events")
"""Classes whose cause is in the records, so that a script can reproduce them."""


@login_required
@require_GET
def detail(request: SignedInRequest, analysis_id: int, position: int) -> HttpResponse:
    """All steps, the first open one expanded."""
    analysis = analysis_visible(request.user, analysis_id)
    analysis.document = document_read(analysis)  # never saved: this page only reads
    finding = finding_at(analysis, position)
    shown = steps_shown(analysis, finding)
    if shown is None:
        raise Http404(say("This finding has no runbook."))
    runbook, _ = shown
    progress = runbook_progress(analysis)
    if progress[position].position != position:
        return redirect("runbooks:detail", analysis_id, progress[position].position)
    steps = progress[position].steps
    others, facts = layers(progress, finding), facts_of(analysis, finding)
    linked = linked_values(analysis, finding, [each.content for each in steps])
    job_id = finding["subject"].get("job")
    is_over = over_since(analysis.document, job_id) is not None
    return render(
        request,
        "runbooks/detail.html",
        {
            "case": analysis.case,
            "analysis": analysis,
            "position": position,
            "finding": finding,
            "runbook": runbook,
            "steps": steps,
            "steps_by_id": {each.content["id"]: each for each in steps},
            "lead": linked.lead,
            "sentences": linked.sentences,
            "linked_terms": set(),
            "sources": linked.checks,
            "diagnosed": analysis,
            "current": next_step(steps),
            "alternatives": {step.content["id"]: alternatives_of(step, steps, others, position) for step in steps},
            "unhelpful": any(step.has_not_helped for step in steps),
            "progress": progress[position],
            "layers": others,
            "begins_with": runbook_to_begin(others, is_over=is_over),
            "no_help_now": no_help_now(steps, runbook["id"], others, is_over=is_over),
            "same_restarts": same_restarts(steps),
            "placeholders": value_fields(placeholders([each.content for each in steps if not each.is_left_out])),
            "records": timed_records(analysis, runbook["id"], job_id or ""),
            "restart_once": sum(1 for each in others if each.restarts) > 1,
            "positions": {each.id: each.position for each in progress.values()},
            "reproducible": finding["symptom_class"] in REPRODUCIBLE and reproduction(facts) is not None,
            "waits_because": waits_because(analysis, job_id),
            "is_over": is_over,
            "has_ended": is_over or bool((finding["onset"] or {}).get("ended")),
            "due_because": due_because(analysis, job_id, change_to_plan(progress[position], others)),
            "to_reconcile": to_reconcile(analysis, [job_id]),
            "restarts_now": {
                each.content["id"]: _restart_now(each, facts) for each in steps if each.content["restart"]
            },
            "snapshots": snapshots_of(analysis.case),
            "articles": articles_visible(request.user).filter(runbook=runbook["id"]).defer("text"),
            "may_change": analysis.case.may_be_changed_by(request.user),
            "approvers": owners_possible(analysis.case).exclude(pk=request.user.pk),
            "job": next((job for job in analysis.document["jobs"] if job["job_id"] == job_id), None),
        },
    )


def _restart_now(shown: StepShown, facts: Lookup) -> Calculated:
    """The effect of a step's restart; nothing is repeated after a savepoint, and nothing is held back any more after
    the repair that a step waits for.
    """
    stopped = shown.content["savepoint"]
    then: Lookup = (lambda fact: None if fact == HELD_NOW else facts(fact)) if shown.waits else facts
    return calculated(CALCULATORS["restart"], then, {} if stopped["repeats"] else {"since_ms": 0.0})


@login_required
@require_POST
def step(request: SignedInRequest, analysis_id: int, position: int, step_id: str) -> HttpResponse:
    """Ticks, skips, fails or reopens a step, answers its question, or requests approval; with a note."""
    analysis = analysis_to_change(request.user, analysis_id)
    finding = finding_at(analysis, position)
    form = StepForm(request.POST)
    if form.is_valid():
        try:
            step_record(
                analysis=analysis,
                user=request.user,
                job=finding["subject"].get("job") or "",
                runbook=finding.get("runbook") or "",
                step=step_id,
                state=StepState(form.cleaned_data["state"]),
                note=form.cleaned_data["note"],
                answer=form.cleaned_data["answer"],
                asked=owners_possible(analysis.case).filter(username=form.cleaned_data["asked"]).first(),
            )
        except ValidationError as error:
            if "step" in error.message_dict:
                raise Http404(" ".join(error.messages)) from None
            messages.error(request, " ".join(error.messages))
    else:
        messages.error(request, say("Say what became of the step; a note has at most 5,000 characters."))
    return redirect(f"{reverse('runbooks:detail', args=[analysis_id, position])}#step-{step_id}")
