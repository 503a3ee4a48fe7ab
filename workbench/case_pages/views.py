"""The page of one case with its diagnosis, and what people do about it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from diagnostics.language import listed
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.snapshots import snapshots_shown
from workbench.analyses.stages import run_shown
from workbench.case_pages.diagnosis_part import diagnosis_part
from workbench.case_pages.forms import (
    CloseForm,
    ImpactForm,
    NoteForm,
    StatusForm,
    TitleForm,
    cause_choices,
    incident_verdict,
)
from workbench.cases import selectors, services
from workbench.cases.impact import impact_words
from workbench.cases.models import Case, CaseStatus
from workbench.history.case_records import CaseRecords, case_records
from workbench.history.durations import duration_words
from workbench.history.recurrences import recurrence
from workbench.history.similar import similar_cases
from workbench.history.timeline import timeline
from workbench.languages.sentences import say, say_later
from workbench.rules.regression import case_keep
from workbench.runbooks.verifying import verification_read
from workbench.uploads.awaiting import cut_upload


@login_required
@require_GET
def case_detail(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Verdict, the charts that show it, findings, missing evidence and files, in this order."""
    case = selectors.case_visible(request.user, case_id)
    records, watchers = case_records(case), selectors.watchers(case)
    latest = next(iter(records.analyses), None)
    diagnosed = _diagnosis_asked_for(request, records)
    may_change = case.may_be_changed_by(request.user)
    part = None
    if diagnosed:
        part = diagnosis_part(diagnosed, records, may_change=may_change)
    snapshots = snapshots_shown(records.snapshots, records.diagnosed, diagnosed)
    judged = snapshots[-1].diagnosed if snapshots else diagnosed
    incident = snapshots[0].verdict if snapshots else part and part.symptom_class
    context = {
        "case": case,
        "may_change": may_change,
        "latest": latest,
        "run": run_shown(latest) if latest and latest.status != AnalysisStatus.DONE else None,
        "snapshots": snapshots,
        "verification": verification_read(diagnosed) if snapshots and diagnosed else None,
        "diagnosed": diagnosed,
        "part": part,
        "timeline": timeline(records),
        "follow_ups": records.follow_ups,
        "pins": records.pins,
        "merged": records.merged,
        "watchers": watchers,
        "owners": selectors.owners_possible(case),
        "statuses": [choice for choice in CaseStatus.choices if choice[0] != CaseStatus.CLOSED],
        "cause_choices": cause_choices(incident or case.verdict_class),
        "impact_form": ImpactForm(instance=case),
        "impact_words": impact_words(case),
        "new_files": _files_not_yet_judged(records, judged) if judged else 0,
        "cut": cut_upload(len(records.newest_awaited), len(records.newest_files)),
    }
    if case.is_closed:
        context["durations"] = duration_words(case)
    if diagnosed:
        context |= {"similar": similar_cases(request.user, case), "recurrence": recurrence(request.user, case)}
    if any(watcher == request.user and watcher.seen_at < case.updated_at for watcher in watchers):
        services.case_seen(case=case, user=request.user)
    return render(request, "case_pages/detail.html", context)


def _diagnosis_asked_for(request: SignedInRequest, records: CaseRecords) -> Analysis | None:
    """The newest diagnosis, or that of the snapshot in the address. Raises Http404 when there is none."""
    asked = request.GET.get("snapshot", "")
    if not asked:
        return next(iter(records.diagnosed), None)
    number = int(asked) if asked.isdecimal() and len(asked) < 6 else 0
    found = next((each for each in records.diagnosed if each.snapshot == number), None)
    if found is None:
        raise Http404(say("This snapshot has no diagnosis."))
    return found


def _files_not_yet_judged(records: CaseRecords, judged: Analysis) -> int:
    """Files of the newest snapshot that were added after its diagnosis."""
    read = set(judged.files.values_list("pk", flat=True))
    return sum(file.pk not in read for file in records.newest_files)


@login_required
@require_POST
def rename(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Renames the case."""
    case = selectors.case_to_change(request.user, case_id)
    form = TitleForm(request.POST)
    if form.is_valid():
        services.case_rename(case=case, user=request.user, title=form.cleaned_data["title"])
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"title": case.title})
    return redirect(case)


@login_required
@require_POST
def status(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Sets the status of the case."""
    case = selectors.case_to_change(request.user, case_id)
    form = StatusForm(request.POST)
    if form.is_valid():
        services.case_status_set(case=case, user=request.user, status=CaseStatus(form.cleaned_data["status"]))
    return redirect(case)


@login_required
@require_POST
def impact(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Sets what the incident cost those who depend on its jobs."""
    case = selectors.case_to_change(request.user, case_id)
    form = ImpactForm(request.POST, instance=Case())
    if form.is_valid():
        services.case_change(case=case, user=request.user, **form.cleaned_data)
    else:
        reasons = " ".join(str(each[0]) for each in form.errors.values())
        messages.error(request, say("The impact was not saved: {reasons}", reasons=reasons))
    return redirect(case)


@login_required
@require_POST
def owner(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Assigns the case to a member of its team."""
    case = selectors.case_to_change(request.user, case_id)
    chosen = get_object_or_404(selectors.owners_possible(case), username=request.POST.get("owner", ""))
    services.case_assign(case=case, user=request.user, owner=chosen)
    messages.success(request, say("The case is {owner}'s now.", owner=chosen))
    return redirect(case)


@login_required
@require_POST
def watch(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Starts or stops watching the case, which every reader may."""
    case = selectors.case_visible(request.user, case_id)
    if request.POST.get("watch") == "no":
        services.unwatch(case=case, user=request.user)
    else:
        services.watch(case=case, user=request.user)
    return redirect(case)


NOTHING_TO_KEEP = say_later(
    "No rule of this cause fires on the case, so there is nothing to keep as a regression sample."
)


@login_required
def close(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Closes the case with the confirmed cause; a page of its own where dialogs do not work."""
    case = selectors.case_to_change(request.user, case_id)
    form = CloseForm(request.POST or None, case=case)
    if request.method == "POST" and form.is_valid():
        keep = form.cleaned_data.pop("keep_as_sample")
        services.case_close(case=case, user=request.user, **form.cleaned_data)
        messages.success(request, say("The case is closed. What fixed it can be found by everybody in the team."))
        if keep:
            kept = case_keep(case=case, user=request.user)
            said = say("It is a regression sample of {rules} now.", rules=listed(kept)) if kept else NOTHING_TO_KEEP
            messages.info(request, said)
        return redirect(case)
    choices = cause_choices(incident_verdict(case))
    context = {"case": case, "cause_choices": choices, "fixed_by": request.GET.get("fixed", "")}
    return render(request, "case_pages/close.html", {**context, "form": form})


@login_required
@require_POST
def reopen(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Reopens a closed case."""
    case = selectors.case_to_change(request.user, case_id)
    services.case_reopen(case=case, user=request.user)
    return redirect(case)


@login_required
@require_POST
def note(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Adds a note."""
    case = selectors.case_to_change(request.user, case_id)
    form = NoteForm(request.POST)
    if form.is_valid():
        services.note_add(case=case, user=request.user, text=form.cleaned_data["text"])
    else:
        messages.error(request, say("The note is empty or too long."))
    return redirect(f"{case.get_absolute_url()}#notes")
