"""Uploads of files, the view of their lines, and corrections of format and clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import FileResponse, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from workbench.accounts.requests import SignedInRequest
from workbench.cases.selectors import case_to_change
from workbench.languages.sentences import say, to_say
from workbench.uploads import corrections, selectors, services
from workbench.uploads.awaiting import files_await, files_settle
from workbench.uploads.forms import ClockForm, EventFieldsForm, OverrideForm, ViewForm
from workbench.uploads.listing import FileShown, files_listed, format_choices, member_shown
from workbench.uploads.models import UploadedFile
from workbench.uploads.refusals import AlreadyInCase, UploadRefused
from workbench.uploads.viewer import CONTEXT_LINES, MOST_LINES, pointed, window_of

MORE_LINES = 200
MOST_CITED = 400
"""Lines of one record that are highlighted; of a longer stack trace only the first ones."""


@login_required
@require_POST
def add(request: SignedInRequest, case_id: int) -> JsonResponse:
    """Stores the files of one request; each part `file` has its path in the part `name` of the same index, and the
    parts `redact` name the redaction rules to apply first.

    Answers per file: its format, or the reason for refusal. One refused file does not affect the others.
    """
    case = case_to_change(request.user, case_id)
    names = request.POST.getlist("name")
    received = request.FILES.getlist("file")
    taken = services.uploads_add(
        case=case,
        user=request.user,
        drops=[
            (names[place] if place < len(names) else content.name or "unnamed", content)
            for place, content in enumerate(received)
        ],
        redact=request.POST.getlist("redact"),
        progress=services.redaction_in_time(),
    )
    files_settle(case=case, names=names)
    return JsonResponse({"files": file_answers(request, taken)})


@login_required
@require_http_methods(["GET", "POST"])
def awaited(request: SignedInRequest, case_id: int) -> JsonResponse:
    """Announces the paths of files that are about to be sent, a list of JSON in `names`; so a cut upload is noticed.

    Gives how many files are awaited.
    """
    case = case_to_change(request.user, case_id)
    if request.method == "POST":
        files_await(case=case, names=_names(request))
    return JsonResponse({"awaited": case.awaited.filter(snapshot=case.snapshot_number).count()})


@login_required
@require_POST
def give_up(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Awaits the files in `names`, as of `awaited`, no longer; from a form without them, none of the case."""
    case = case_to_change(request.user, case_id)
    if "names" in request.POST:
        files_settle(case=case, names=_names(request))
        return JsonResponse({})
    files_settle(case=case)
    return redirect("cases:files", case.pk)


def _names(request: SignedInRequest) -> list[str]:
    """The list of `names`; empty for anything else."""
    try:
        names = json.loads(request.POST.get("names", ""))
    except (ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def file_answers(request: SignedInRequest, taken: Sequence[UploadedFile | UploadRefused]) -> list[dict[str, Any]]:
    """What the drop zone shows of each file: its row of the list, or the reason for refusal."""
    stored = [each for each in taken if isinstance(each, UploadedFile)]
    shown = iter(files_listed(request.user, stored))
    return [_answer(request, next(shown) if isinstance(each, UploadedFile) else each) for each in taken]


def file_answer(request: SignedInRequest, file: UploadedFile) -> dict[str, Any]:
    """As `file_answers`, for one accepted file."""
    return file_answers(request, [file])[0]


def _answer(request: SignedInRequest, shown: FileShown | UploadRefused) -> dict[str, Any]:
    if isinstance(shown, UploadRefused):
        return {"taken": False, "repeats": isinstance(shown, AlreadyInCase), "detail": str(shown)}
    html = render_to_string("uploads/_file.html", {"shown": shown, "may_change": True}, request)
    return {"taken": True, "id": shown.file.pk, "name": shown.file.name, "recognised": shown.recognised, "html": html}


@login_required
@require_GET
def detail(request: SignedInRequest, file_id: int) -> HttpResponse:
    """The beginning of the file, or the contents of an archive."""
    file = selectors.file_visible(request.user, file_id)
    [shown] = files_listed(request.user, [file])
    if shown.is_archive and not request.GET.get("member"):
        context = {"file": file, "shown": shown, "program": selectors.program_that_read(file)}
        return render(request, "uploads/archive.html", context)
    return lines(request, file_id, 1, is_cited=False)


@login_required
@require_GET
def lines(request: SignedInRequest, file_id: int, line: int, *, is_cited: bool = True) -> HttpResponse:
    """The lines of the file around a line, which is highlighted."""
    file = selectors.file_visible(request.user, file_id)
    form = ViewForm(request.GET)
    form.is_valid()
    asked = form.cleaned_data
    member = asked.get("member") or file.name
    line = max(line, 1)
    last = min(max(asked.get("to") or line, line), line + MOST_CITED)
    before = CONTEXT_LINES if asked.get("before") is None else asked["before"]
    after = CONTEXT_LINES if asked.get("after") is None else asked["after"]
    cited = range(line, last + 1)
    window = window_of(file, member, cited, before, after)
    if not is_cited:
        cited = range(0)
        window = window_of(file, member, range(1, 2), 0, MORE_LINES)
    known = {"member": asked.get("member"), "to": asked.get("to"), "pointer": asked.get("pointer")}
    here = reverse("uploads:lines", args=[file.pk, line])
    return render(
        request,
        "uploads/lines.html",
        {
            "file": file,
            "member": member,
            "read_as": member_shown(file, member),
            "program": selectors.program_that_read(file),
            "line": line,
            "last": last,
            "is_cited": is_cited,
            "window": window,
            "pointer": asked.get("pointer"),
            "pointed": pointed(file, member, line, asked["pointer"]) if asked.get("pointer") else [],
            "more_before": f"{here}?{_query(known, min(before + MORE_LINES, MOST_LINES // 2), after)}#L{window.first}",
            "more_after": f"{here}?{_query(known, before, min(after + MORE_LINES, MOST_LINES // 2))}#L{window.last}",
            "member_query": urlencode({"member": asked["member"]}) if asked.get("member") else "",
        },
    )


def _query(known: dict[str, Any], before: int, after: int) -> str:
    return urlencode({**{name: value for name, value in known.items() if value}, "before": before, "after": after})


@login_required
@require_GET
def download(request: SignedInRequest, file_id: int) -> FileResponse:
    """The original bytes, always as a download: browsers must not render uploaded content."""
    file = selectors.file_visible(request.user, file_id)
    name = file.name.rpartition("/")[2]
    return FileResponse(
        open(file.path, "rb"), as_attachment=True, filename=name, content_type="application/octet-stream"
    )


@login_required
def format_override(request: SignedInRequest, file_id: int) -> HttpResponse:
    """Overrides the recognised format of a file or of a member of an archive."""
    file = selectors.file_to_change(request.user, file_id)
    if request.method != "POST":
        shown = files_listed(request.user, [file])[0]
        return render(request, "uploads/format.html", {"shown": shown, "format_choices": format_choices()})
    form = OverrideForm(request.POST)
    try:
        if not form.is_valid():
            raise UploadRefused(say("There is no such format."))
        chosen = form.cleaned_data["format"] or None
        corrections.override_set(file=file, member=form.cleaned_data["member"], format_id=chosen)
    except UploadRefused as error:
        if request.headers.get("Accept") == "application/json":
            return JsonResponse({"detail": str(error)}, status=400)
        messages.error(request, str(error))
        return redirect("uploads:format", file.pk)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse(file_answer(request, file))
    return redirect("cases:files", file.case_id)


@login_required
@require_POST
def clock(request: SignedInRequest, file_id: int) -> HttpResponse:
    """Sets the time zone of a file's times, or a shift."""
    return _corrected(
        request,
        file_id,
        ClockForm(request.POST),
        corrections.clock_set,
        refusal=to_say("That is no zone and no time to add."),
        done=to_say("The clock of {member} counts from the next analysis on."),
    )


@login_required
@require_POST
def event_fields(request: SignedInRequest, file_id: int) -> HttpResponse:
    """Sets the event fields of a file."""
    return _corrected(
        request,
        file_id,
        EventFieldsForm(request.POST),
        corrections.event_fields_set,
        refusal=to_say("The name of a field has at most 300 characters."),
        done=to_say("The fields of {member} count from the next analysis on."),
    )


def _corrected(
    request: SignedInRequest,
    file_id: int,
    form: Form,
    correct: Callable[..., None],
    *,
    refusal: str,
    done: str,
) -> HttpResponse:
    """Corrects how a file is read as its form says, and answers with what was done, or why it was not."""
    file = selectors.file_to_change(request.user, file_id)
    try:
        if not form.is_valid():
            raise UploadRefused(say(refusal))
        correct(file=file, **form.cleaned_data)
    except UploadRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, say(done, member=form.cleaned_data["member"]))
    return redirect("uploads:format", file.pk)


@login_required
@require_POST
def remove(request: SignedInRequest, file_id: int) -> HttpResponse:
    """Removes a file from the case before it was analysed."""
    file = selectors.file_to_change(request.user, file_id)
    try:
        services.file_remove(file=file)
    except UploadRefused as error:
        if request.headers.get("Accept") == "application/json":
            return JsonResponse({"detail": str(error)}, status=400)
        messages.error(request, str(error))
        return redirect("cases:files", file.case_id)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"restore_url": reverse("uploads:restore", args=[file.pk])})
    return redirect("cases:files", file.case_id)


@login_required
@require_POST
def restore(request: SignedInRequest, file_id: int) -> HttpResponse:
    """Restores a removed file."""
    file = selectors.file_to_change(request.user, file_id, removed=True)
    try:
        services.file_restore(file=file)
    except UploadRefused as error:
        return JsonResponse({"detail": str(error)}, status=400)
    return JsonResponse(file_answer(request, file))
