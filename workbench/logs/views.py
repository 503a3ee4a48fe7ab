"""The log page of a case, and its JSON endpoints."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from diagnostics.errors import DiagnosticsError
from diagnostics.log_book import counting, finding
from diagnostics.log_book.condition import Condition
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import FIELDS, parse_search, quoted
from diagnostics.log_book.view import View
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.selectors import offset_min
from workbench.cases.selectors import case_to_change
from workbench.languages.sentences import say
from workbench.logs import answers, services
from workbench.logs.asked import Asked, asked_of, view_of
from workbench.logs.selectors import CaseLog, case_log, lines_address, place_of

STEPS = {"error": "level:error+", "warning": "level:warn"}
"""Steps to the next record of a level -> the search that finds it."""

Answer = Callable[..., JsonResponse]


class PlaceForm(forms.Form):
    """A place in the list and an action."""

    start = forms.IntegerField(min_value=0, max_value=2**31, required=False)
    count = forms.IntegerField(min_value=1, max_value=answers.MOST_ROWS, required=False)
    position = forms.IntegerField(min_value=0, max_value=2**31, required=False)
    around = forms.IntegerField(min_value=0, max_value=answers.MOST_CONTEXT, required=False)
    place = forms.IntegerField(min_value=-1, max_value=2**31, required=False)
    direction = forms.TypedChoiceField(choices=[("1", "next"), ("-1", "previous")], coerce=int, required=False)
    kind = forms.ChoiceField(
        choices=[(each, each) for each in (*STEPS, "hit", "file", "pin", "term", "line")], required=False
    )
    term = forms.CharField(max_length=4_000, required=False)
    by = forms.ChoiceField(choices=[(each, each) for each in counting.BREAKDOWNS], required=False)
    at = forms.CharField(max_length=4_000, required=False)


@login_required
@require_GET
def page(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The page. A link to a record that is not kept redirects to its line in the file."""
    log = case_log(request.user, case_id, request.GET.get("snapshot"))
    at = place_of(request.GET.get("at", ""))
    if log.kept is None and at is not None:
        address = lines_address(log, *at)
        if address is not None:
            return redirect(address)
    context = {
        "case": log.case,
        "log": log,
        "span": log.kept.span if log.kept else None,
        "offset_min": offset_min(log.analysis.inputs) if log.analysis else None,
        "may_change": log.case.may_be_changed_by(request.user),
        "breakdowns": counting.BREAKDOWNS,
        "fields": FIELDS,
    }
    return render(request, "logs/page.html", context)


def answering(answer: Callable[[CaseLog, Asked, dict[str, Any]], dict[str, Any]]) -> Answer:
    """A view that answers a query to the log book; an invalid query gives 400 with the reason."""

    @login_required
    @require_GET
    @wraps(answer)
    def view(request: SignedInRequest, case_id: int) -> JsonResponse:
        log = case_log(request.user, case_id, request.GET.get("snapshot"))
        form = PlaceForm(request.GET)
        if not form.is_valid():
            return JsonResponse(
                {"detail": say("The address was changed by hand: {errors}", errors=dict(form.errors))}, status=400
            )
        try:
            told = answer(log, asked_of(request.GET), form.cleaned_data)
        except DiagnosticsError as error:
            return JsonResponse({"detail": str(error)}, status=400)
        return JsonResponse(told, json_dumps_params={"separators": (",", ":"), "ensure_ascii": False})

    return view


@answering
def overview(log: CaseLog, asked: Asked, form: dict[str, Any]) -> dict[str, Any]:
    """Counts, histogram, the terms of the search, and the target of the address."""
    view = view_of(log.book, asked)
    return answers.overview_answer(log.book, asked, view, place_of(form["at"]))


@answering
def records(log: CaseLog, asked: Asked, form: dict[str, Any]) -> dict[str, Any]:
    """Some rows of the list."""
    view = view_of(log.book, asked)
    return answers.records_answer(log, asked, view, form["start"] or 0, form["count"] or answers.MOST_ROWS)


@answering
def record(log: CaseLog, asked: Asked, form: dict[str, Any]) -> dict[str, Any]:
    """Everything about one record."""
    position = form["position"]
    if position is None or position >= log.book.records:
        raise Http404(say("There is no such record."))
    return answers.record_answer(log, asked, position, 5 if form["around"] is None else form["around"])


@answering
def breakdown(log: CaseLog, asked: Asked, form: dict[str, Any]) -> dict[str, Any]:
    """The most frequent patterns, loggers, hosts and so on of the list."""
    view = view_of(log.book, asked)
    return counting.breakdown(log.book, view, form["by"] or "pattern", asked.span or log.book.span_of(view))


@answering
def step(log: CaseLog, asked: Asked, form: dict[str, Any]) -> dict[str, Any]:
    """The next or previous place of a kind in the list; null when there is none."""
    view = view_of(log.book, asked)
    place = -1 if form["place"] is None else form["place"]
    direction = form["direction"] or 1
    if form["kind"] == "line":
        at = place_of(form["at"])
        return {"at": answers.place_answer(log.book, view, at) if at else None}
    if form["kind"] == "pin":
        return {"place": _next_pin(log, view, place, direction)}
    conditions = _conditions(log.book, asked, view, place, form)
    return {"place": finding.step(log.book, view, place, conditions, direction) if conditions else None}


def _conditions(book: LogBook, asked: Asked, view: View, place: int, form: dict[str, Any]) -> list[Condition]:
    if form["kind"] == "hit":
        return book.conditions(asked.search.looked_for)
    if form["kind"] == "file":
        here = book.rows(view.slice(max(place, 0), 1), ["file_id"])
        name = book.contents["files"][here[0]["file_id"]]["name"] if here else ""
        return book.conditions(parse_search(f"-file={quoted(name)}"))
    return book.conditions(parse_search(STEPS.get(form["kind"], form["term"])))


def _next_pin(log: CaseLog, view: View, place: int, direction: int) -> int | None:
    """The next pinned record in the list."""
    found = []
    for path, line in log.pins.values_list("path", "line"):
        told = answers.place_answer(log.book, view, (path, line))
        if told and told["listed"]:
            found.append(told["place"])
    beyond = [each for each in found if (each > place if direction > 0 else each < place)]
    return (min(beyond) if direction > 0 else max(beyond)) if beyond else None


class PinForm(forms.Form):
    """A record by its file and line."""

    file = forms.CharField(max_length=4_000)
    line = forms.IntegerField(min_value=1, max_value=2**62)
    note = forms.CharField(required=False)


@login_required
@require_http_methods(["GET", "POST"])
def pins(request: SignedInRequest, case_id: int) -> JsonResponse:
    """The pinned records of the case; a POST pins one, or changes its note."""
    log = case_log(request.user, case_id, request.GET.get("snapshot"))
    if request.method == "GET":
        listed = log.pins.select_related("by")
        return JsonResponse({"pins": [answers.pin_answer(each) for each in listed]})
    case_to_change(request.user, case_id)
    form = PinForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"detail": say("A record is named by its file and line.")}, status=400)
    asked = form.cleaned_data
    try:
        pin = services.record_pin(
            log=log, user=request.user, path=asked["file"], line=asked["line"], note=asked["note"]
        )
    except services.CannotPin as error:
        return JsonResponse({"detail": str(error)}, status=400)
    return JsonResponse(answers.pin_answer(pin), status=201)


@login_required
@require_POST
def unpin(request: SignedInRequest, case_id: int) -> JsonResponse:
    """Takes the pin off a record."""
    case_to_change(request.user, case_id)
    form = PinForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"detail": say("A record is named by its file and line.")}, status=400)
    log = case_log(request.user, case_id, request.GET.get("snapshot"))
    asked = form.cleaned_data
    return JsonResponse({"removed": services.record_unpin(log=log, path=asked["file"], line=asked["line"])})
