"""Pages of the drills: the history, the drill itself, and its result."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from diagnostics.symptoms import symptom, symptoms
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.measured_impact import evidence_span
from workbench.analyses.reading import document_read
from workbench.drills import selectors, services
from workbench.drills.evidence import KINDS, drawers, drawers_shown, noticed
from workbench.drills.models import Drill, DrillStep, StepKind
from workbench.drills.scoring import CAUSE, EVIDENCE, GUESS, TIME, TOO_LONG
from workbench.history.case_records import case_records
from workbench.history.durations import TARGET
from workbench.history.timeline import timeline
from workbench.languages.sentences import say, say_counted
from workbench.untrusted.whole_number import whole_number

SCORING = {
    "cause": CAUSE,
    "guess": GUESS,
    "evidence": EVIDENCE,
    "time": TIME,
    "target": TARGET.total_seconds() // 60,
    "too_long": TOO_LONG.total_seconds() // 60,
}


@login_required
@require_GET
def overview(request: SignedInRequest) -> HttpResponse:
    """The user's drills, the statistics of their teams, and the start of the next one."""
    services.drills_end_forgotten(request.user)
    asked = request.GET.get("case", "")
    context = {
        "drills": selectors.drills_listed(request.user),
        "teams": list(selectors.drills_by_team(request.user)),
        "case_id": asked if whole_number(asked) is not None else "",
        "scoring": SCORING,
    }
    return render(request, "drills/overview.html", context)


@login_required
@require_POST
def plan(request: SignedInRequest, team_id: int) -> HttpResponse:
    """Sets how often a team drills: by a member who may change its cases."""
    team = get_object_or_404(request.user.teams, pk=team_id)
    if not request.user.may_change_cases:
        raise PermissionDenied(say("Your role may read cases, not plan drills."))
    written = request.POST.get("days", "").strip()
    days = whole_number(written) if written else None
    try:
        if written and days is None:
            raise ValidationError(say("Days are a whole number; an empty field removes the plan."))
        services.drill_plan_set(team=team, user=request.user, days=days)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("drills:overview")


@login_required
@require_POST
def start(request: SignedInRequest) -> HttpResponse:
    """Starts a drill of the case in the address, else of a random one."""
    asked = request.POST.get("case", "")
    try:
        begun = services.drill_start(user=request.user, case_id=whole_number(asked))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("drills:overview")
    return redirect(begun)


@login_required
@require_GET
def drill(request: SignedInRequest, drill_id: int) -> HttpResponse:
    """The drill in progress, or its result."""
    services.drills_end_forgotten(request.user)
    found = selectors.drill_of(request.user, drill_id)
    return _result(request, found) if found.ended_at else _going_on(request, found)


def _going_on(request: SignedInRequest, drill: Drill) -> HttpResponse:
    document = drill.analysis.document
    causes = (each for each in symptoms().values() if each.kind == "cause")
    context = {
        "drill": drill,
        "drawers": drawers_shown(drawers(drill.analysis, drill.truth), drill.steps.all()),
        "noticed": noticed(document),
        "span": evidence_span(document),
        "version": drill.case.flink_version,
        "causes": sorted(causes, key=lambda each: each.title),
        "suspected": [step.subject for step in drill.steps.all() if step.kind == "suspect"],
        "scoring": SCORING,
    }
    return render(request, "drills/drill.html", context)


def _result(request: SignedInRequest, drill: Drill) -> HttpResponse:
    steps = list(drill.steps.all())
    findings = document_read(drill.analysis)["findings"]
    context = {
        "drill": drill,
        "path": [(*_step_words(step), (step.at - drill.started_at).total_seconds() * 1000) for step in steps],
        "drawers": drawers_shown(drawers(drill.analysis, drill.truth), steps),
        "finding": next((each for each in findings if each["symptom_class"] == drill.truth), None),
        "real": [entry for entry in timeline(case_records(drill.case)) if not entry.is_minor],
        "scoring": SCORING,
    }
    return render(request, "drills/result.html", context)


def _step_words(step: DrillStep) -> tuple[str, str]:
    """The icon of a step, and the step in words."""
    if step.kind == StepKind.LOOK:
        kind = KINDS.get(step.subject, step.subject)
        text = say_counted(
            "Looked at: {kind}, {count} line open", "Looked at: {kind}, {count} lines open", step.shown, kind=kind
        )
        return "eye", text
    icon = "unknown" if step.kind == StepKind.SUSPECT else "flag"
    return icon, f"{step.get_kind_display()}: {symptom(step.subject).read_title}"


@login_required
@require_POST
def look(request: SignedInRequest, drill_id: int) -> HttpResponse:
    """Reveals more of one kind of evidence."""
    kind = request.POST.get("kind", "")
    return _step(request, drill_id, lambda found: services.drill_look(drill=found, kind=kind), kind)


@login_required
@require_POST
def suspect(request: SignedInRequest, drill_id: int) -> HttpResponse:
    """Records a suspicion."""
    thought = request.POST.get("symptom_class", "")
    return _step(request, drill_id, lambda found: services.drill_suspect(drill=found, symptom_class=thought), "cause")


@login_required
@require_POST
def answer(request: SignedInRequest, drill_id: int) -> HttpResponse:
    """Ends the drill with an answer."""
    given = request.POST.get("symptom_class", "")
    return _step(request, drill_id, lambda found: services.drill_answer(drill=found, symptom_class=given))


@login_required
@require_POST
def give_up(request: SignedInRequest, drill_id: int) -> HttpResponse:
    """Ends the drill without one."""
    return _step(request, drill_id, lambda found: services.drill_give_up(drill=found))


def _step(request: SignedInRequest, drill_id: int, take: Callable[[Drill], object], place: str = "") -> HttpResponse:
    """Takes a step of the user's drill and redirects to its page, to the anchor unless the step was refused."""
    drill = selectors.drill_of(request.user, drill_id)
    try:
        take(drill)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect(drill)
    return redirect(f"{drill.get_absolute_url()}#{place}" if place else drill)
