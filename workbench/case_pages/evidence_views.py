"""Opening a case, and its evidence: files that are added, and the analysis of them."""

from __future__ import annotations

import io
from typing import IO

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.uploadedfile import UploadedFile as ReceivedFile
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.requests import SignedInRequest
from workbench.analyses.services import NothingToAnalyse, analysis_request
from workbench.analyses.submission import case_submit, demo_cases_load
from workbench.case_pages.forms import (
    NewCaseForm,
    PasteForm,
)
from workbench.cases import selectors, services
from workbench.cases.models import Case
from workbench.cases.own_texts import NEW
from workbench.clusters.models import Cluster
from workbench.clusters.profiling import MODES
from workbench.languages.sentences import say
from workbench.limits.selectors import limits_now
from workbench.redaction.selectors import redaction_rules
from workbench.uploads.awaiting import cut_upload
from workbench.uploads.listing import files_listed, folders, format_choices
from workbench.uploads.refusals import UploadRefused
from workbench.uploads.selectors import unfinished_arrivals
from workbench.uploads.services import text_add


@login_required
def case_new(request: SignedInRequest) -> HttpResponse:
    """The drop zone. A POST from the script opens an empty case that files are then sent to; otherwise it contains all
    files.
    """
    _refuse_viewers(request)
    if request.method != "POST":
        return render(request, "case_pages/files.html", {"case": None, "folders": [], **_upload_context(request)})
    form = NewCaseForm(request.POST)
    title = form.cleaned_data["title"] if form.is_valid() else ""
    try:
        if request.headers.get("Accept") == "application/json":
            case = services.case_open(user=request.user, title=title or NEW)
            return JsonResponse({"id": case.pk, **_case_addresses(case)}, status=201)
        files: list[tuple[str, IO[bytes] | ReceivedFile[bytes]]] = [
            (file.name or "unnamed", file) for file in request.FILES.getlist("files")
        ]
        if text := form.cleaned_data.get("text", "").strip():
            files.append(("pasted.txt", io.BytesIO(text.encode())))
        return redirect(case_submit(user=request.user, title=title, files=files))
    except (UploadRefused, NothingToAnalyse) as error:
        messages.error(request, str(error))
    except ValidationError as error:
        if request.headers.get("Accept") == "application/json":
            return JsonResponse({"detail": " ".join(error.messages)}, status=400)
        messages.error(request, " ".join(error.messages))
    return redirect("cases:new")


def _refuse_viewers(request: SignedInRequest) -> None:
    if not request.user.may_change_cases:
        raise PermissionDenied(say("Your role may read cases, not open them."))


def _case_addresses(case: Case) -> dict[str, str]:
    return {
        "url": case.get_absolute_url(),
        "files_url": reverse("cases:files", args=[case.pk]),
        "add_url": reverse("uploads:add", args=[case.pk]),
        "begin_url": reverse("uploads:begin", args=[case.pk]),
        "paste_url": reverse("cases:paste", args=[case.pk]),
        "analyse_url": reverse("cases:analyse", args=[case.pk]),
        "title_url": reverse("cases:rename", args=[case.pk]),
        "awaited_url": reverse("uploads:awaited", args=[case.pk]),
        "give_up_url": reverse("uploads:give-up", args=[case.pk]),
    }


def _upload_context(request: SignedInRequest) -> dict[str, object]:
    return {
        "limits": limits_now(),
        "clusters": Cluster.objects.offered_to(request.user).clusters(),
        "stores": Cluster.objects.offered_to(request.user).stores(),
        "profiler_modes": MODES,
        "metrics_servers": Cluster.objects.offered_to(request.user).prometheus(),
        "log_stores": Cluster.objects.offered_to(request.user).log_stores(),
        "format_choices": format_choices(),
        "redaction_rules": redaction_rules(),
        "redact_always": settings.REDACT_ALWAYS,
    }


@login_required
@require_POST
def demo(request: SignedInRequest) -> HttpResponse:
    """Loads the small real incidents that ship with the workbench."""
    _refuse_viewers(request)
    try:
        opened = demo_cases_load(user=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("cases:list")
    if not opened:
        messages.info(request, say("The demo cases are there already."))
    return redirect("cases:list")


@login_required
@require_GET
def case_files(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The files of a case, with the drop zone for more."""
    case = selectors.case_to_change(request.user, case_id)
    number = case.snapshot_number
    listed = files_listed(request.user, case.files.present().filter(snapshot=number))
    snapshots = selectors.snapshots_of(case)
    context = {
        "case": case,
        "snapshot": snapshots[-1],
        "earlier": snapshots[:-1],
        "folders": folders(listed),
        "arrivals": unfinished_arrivals(request.user, case),
        "cut": cut_upload(case.awaited.filter(snapshot=number).count(), len(listed)),
        "addresses": _case_addresses(case),
        **_upload_context(request),
    }
    return render(request, "case_pages/files.html", context)


@login_required
@require_POST
def paste(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Stores pasted text as a file."""
    case = selectors.case_to_change(request.user, case_id)
    form = PasteForm(request.POST)
    try:
        if not form.is_valid():
            raise UploadRefused(say("Nothing was pasted."))
        file = text_add(case=case, user=request.user, **form.cleaned_data)
    except UploadRefused as error:
        if request.headers.get("Accept") == "application/json":
            return JsonResponse({"detail": str(error)}, status=400)
        messages.error(request, str(error))
        return redirect("cases:files", case.pk)
    if request.headers.get("Accept") == "application/json":
        from workbench.uploads.views import file_answer

        return JsonResponse(file_answer(request, file))
    return redirect("cases:files", case.pk)


@login_required
@require_POST
def analyse(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Queues an analysis of all files of the newest snapshot."""
    case = selectors.case_to_change(request.user, case_id)
    try:
        analysis_request(case=case, user=request.user)
    except NothingToAnalyse as error:
        messages.error(request, str(error))
        return redirect("cases:files", case.pk)
    return redirect(case)
