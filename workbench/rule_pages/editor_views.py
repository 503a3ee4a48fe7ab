"""The rule editor: drafts are written, tried, saved, published and discarded."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from diagnostics.errors import InvalidRule
from diagnostics.symptoms import symptoms
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say, say_later
from workbench.rule_pages import preview as previewing
from workbench.rule_pages.facts import fact_catalogue
from workbench.rule_pages.forms import NEW_FIRES, NEW_RULE, NEW_SILENT, PreviewForm, ReasonForm, TextsForm
from workbench.rule_pages.history import latest_diagnoses
from workbench.rule_pages.permission import for_rule_editors
from workbench.rule_pages.presentation import version_title
from workbench.rule_pages.rewriting import with_value
from workbench.rules import approval as approving
from workbench.rules import services
from workbench.rules.models import Draft, RuleEvent, RuleVersion
from workbench.rules.runbook_texts import RUNBOOK, is_runbook, runbook_identity
from workbench.rules.selectors import rule_readable, version_to_edit
from workbench.untrusted.whole_number import whole_number

PANELS = (
    ("rule", say_later("The rule as YAML")),
    ("fires", say_later("Signals on which the rule must fire, as YAML")),
    ("silent", say_later("Near miss on which the rule must stay silent, as YAML")),
)
GONE = say_later("This draft is not there any more: it was published or discarded. The log says by whom.")
RUNBOOK_PANELS = (("rule", say_later("The runbook as YAML")),)


@for_rule_editors
@require_GET
def new(request: SignedInRequest) -> HttpResponse:
    """The editor with a template of a rule; nothing is stored before it is changed or saved."""
    return _editor(request, {"rule": NEW_RULE, "fires": NEW_FIRES, "silent": NEW_SILENT})


@for_rule_editors
@require_GET
def edit_rule(request: SignedInRequest, rule_id: str) -> HttpResponse:
    """The user's draft of the rule, or the published text as the start of one."""
    if is_runbook(rule_id):
        runbook_identity(rule_id.removeprefix(RUNBOOK))
    rule = rule_readable(rule_id)
    draft = rule.drafts.filter(author=request.user).first()
    if draft:
        return redirect("rules:draft", draft.pk)
    base = version_to_edit(rule)
    texts = {"rule": base.text, "fires": base.fires_sample, "silent": base.silent_sample}
    return _editor(request, texts, base=base)


@for_rule_editors
@require_GET
def edit(request: SignedInRequest, draft_id: int) -> HttpResponse:
    """The editor with a stored draft; redirects to the log when it was published or discarded meanwhile."""
    draft = Draft.objects.select_related("rule", "base__rule", "author").filter(pk=draft_id).first()
    if draft is None:
        event = get_object_or_404(RuleEvent, draft_number=draft_id)
        messages.info(request, GONE)
        return redirect(f"{reverse('rules:log')}?{urlencode({'rule': event.rule_id})}")
    texts = {"rule": draft.text, "fires": draft.fires_sample, "silent": draft.silent_sample}
    return _editor(request, texts, draft=draft, base=draft.base)


def _editor(
    request: SignedInRequest, texts: dict[str, str], draft: Draft | None = None, base: RuleVersion | None = None
) -> HttpResponse:
    newest = version_to_edit(base.rule) if base else None
    of_runbook = bool(base and is_runbook(base.rule.rule_id))
    panels = RUNBOOK_PANELS if of_runbook else PANELS
    return render(
        request,
        "rule_pages/editor.html",
        {
            "of_runbook": of_runbook,
            "draft": draft,
            "base": base,
            "title": version_title(base) if base else "",
            "overtaken_by": newest if newest and newest != base else None,
            "panels": [(name, label, texts[name]) for name, label in panels],
            "cases": previewing.cases_offered(request.user, base.symptom_class if of_runbook and base else None),
            "classes": symptoms(),
            "addresses": _addresses(draft) if draft else {},
            "needs_approval": approving.approval_needed(),
            "against_approval": approving.reason_against(draft, request.user) if draft else "",
        },
    )


def _draft(draft_id: int) -> Draft:
    return get_object_or_404(Draft.objects.select_related("rule", "base__rule", "author"), pk=draft_id)


def _addresses(draft: Draft) -> dict[str, str]:
    doors = {
        "draft": "url",
        "save": "save_url",
        "publish": "publish_url",
        "discard": "discard_url",
        "backtest_start": "backtest_url",
    }
    return {name: reverse(f"rules:{door}", args=[draft.pk]) for door, name in doors.items()}


@for_rule_editors
@require_POST
def preview(request: SignedInRequest) -> JsonResponse:
    """The preview of the draft as page fragments; `name` and `value` first change a value in it."""
    form = PreviewForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"detail": say("The texts cannot be read.")}, status=400)
    texts = {name: form.cleaned_data[name] for name in ("rule", "fires", "silent")}
    if form.cleaned_data["of_runbook"]:
        return _preview_runbook(texts["rule"], _analysis(request, form.cleaned_data["case"]))
    if form.cleaned_data["name"]:
        try:
            texts["rule"] = with_value(texts["rule"], form.cleaned_data["name"], form.cleaned_data["value"])
        except InvalidRule as error:
            return JsonResponse({"detail": say("; ").join(error.errors)}, status=400)
    shown = previewing.preview(request.user, texts, _analysis(request, form.cleaned_data["case"]))
    context = {"preview": shown, "classes": symptoms()}
    parts = {
        part: render_to_string(f"rule_pages/_preview_{part}.html", context) for part in ("problems", "form", "case")
    }
    return JsonResponse(
        {
            "text": texts["rule"],
            "parts": parts if shown.form else parts | {"form": ""},
            "problems": [{"where": each.where, "line": each.line, "text": each.text} for each in shown.problems],
            "ready": shown.is_ready,
        }
    )


def _preview_runbook(text: str, analysis: Analysis | None) -> JsonResponse:
    """As `preview`, for a runbook: its errors, and its steps filled with the values of the case."""
    shown = previewing.preview_runbook(text, analysis)
    names = {"problems": "problems", "case": "runbook"}
    parts = {
        part: render_to_string(f"rule_pages/_preview_{name}.html", {"preview": shown}) for part, name in names.items()
    }
    told = [{"where": each.where, "line": each.line, "text": each.text} for each in shown.problems]
    return JsonResponse({"text": text, "parts": parts, "problems": told, "ready": not shown.problems})


@for_rule_editors
@require_GET
def facts(request: SignedInRequest) -> JsonResponse:
    """The facts that a rule can compare, with their values in a case."""
    analysis = _analysis(request, whole_number(request.GET.get("case", "")))
    return JsonResponse({"facts": fact_catalogue(analysis)})


def _analysis(request: SignedInRequest, case_id: int | None) -> Analysis | None:
    """The newest diagnosis of the case. Raises Http404 for a case that the user may not see."""
    if case_id is None:
        return None
    return get_object_or_404(latest_diagnoses(request.user).defer("document").select_related("case"), case=case_id)


@for_rule_editors
@require_POST
def create(request: SignedInRequest) -> HttpResponse:
    """Stores a new draft; `base` is the version it starts from."""
    base_id = request.POST.get("base", "")
    base = get_object_or_404(RuleVersion, pk=whole_number(base_id)) if base_id else None
    return _save(request, None, base)


@for_rule_editors
@require_POST
def save(request: SignedInRequest, draft_id: int) -> HttpResponse:
    """Stores the present text."""
    is_script = request.headers.get("Accept") == "application/json"
    if is_script and not Draft.objects.filter(pk=draft_id).exists():
        return JsonResponse({"detail": GONE}, status=404)
    return _save(request, _draft(draft_id), None)


def _save(request: SignedInRequest, draft: Draft | None, base: RuleVersion | None) -> HttpResponse:
    form = TextsForm(request.POST)
    form.full_clean()
    written = form.cleaned_data
    status, detail = 200, ""
    try:
        draft = services.draft_save(
            user=request.user,
            text=written.get("rule", ""),
            fires_sample=written.get("fires", ""),
            silent_sample=written.get("silent", ""),
            draft=draft,
            base=base,
            revision=written.get("revision"),
        )
    except InvalidRule as error:
        status, detail = 400, say("; ").join(error.errors)
    except services.DraftChanged as error:
        status, detail = 409, str(error)
    if request.headers.get("Accept") == "application/json":
        if detail or draft is None:
            return JsonResponse({"detail": detail}, status=status)
        saved = f"{draft.saved_at:%H:%M:%S} UTC"
        return JsonResponse({"saved": saved, "revision": draft.revision, **_addresses(draft)})
    if detail:
        messages.error(request, say("Not saved: {detail}", detail=detail))
    return redirect("rules:draft", draft.pk) if draft else redirect("rules:new")


@for_rule_editors
@require_POST
def discard(request: SignedInRequest, draft_id: int) -> HttpResponse:
    """Discards a draft."""
    draft = _draft(draft_id)
    told, rule = str(draft), draft.rule
    services.draft_discard(draft=draft, user=request.user)
    messages.success(request, say("{draft} is discarded; the audit log keeps its text.", draft=told))
    return redirect("rules:detail", rule.rule_id) if rule else redirect("rules:list")


def _ask_for_approval(request: SignedInRequest, draft: Draft, reason: str) -> HttpResponse:
    try:
        approving.approval_ask(draft=draft, user=request.user, reason=reason)
    except InvalidRule as error:
        for each in error.errors:
            messages.error(request, say("Not ready. {each}", each=each))
    else:
        messages.success(request, say("The draft waits for the approval of another rule editor."))
    return redirect("rules:draft", draft.pk)


@for_rule_editors
@require_POST
def publish(request: SignedInRequest, draft_id: int) -> HttpResponse:
    """Publishes the draft as the effective version, with a reason; or asks for approval, where that is needed."""
    draft, form = _draft(draft_id), ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, say("Say why, in up to 500 characters: the next person will ask."))
        return redirect("rules:draft", draft_id)
    if approving.approval_needed():
        return _ask_for_approval(request, draft, form.cleaned_data["reason"])
    try:
        version = services.draft_publish(draft=draft, user=request.user, reason=form.cleaned_data["reason"])
    except InvalidRule as error:
        for each in error.errors:
            messages.error(request, say("Not published. {each}", each=each))
        return redirect("rules:draft", draft_id)
    said = (
        say("New analyses judge with it.")
        if version.rule.enabled
        else say("The rule is switched off, so it judges nothing.")
    )
    if is_runbook(version.rule.rule_id):
        said = say("Pages show it from now on.")
    messages.success(
        request,
        say("{rule} version {number} is published. {said}", rule=version.rule, number=version.number, said=said),
    )
    return redirect("rules:detail", version.rule.rule_id)
