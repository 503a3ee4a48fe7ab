"""The audit log of rules, and their export and import as files."""

from __future__ import annotations

import datetime as dt
import time

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from diagnostics.errors import InvalidRule
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say, say_counted
from workbench.rule_pages.forms import ImportForm, ReasonForm
from workbench.rule_pages.permission import for_rule_editors
from workbench.rules import exchange
from workbench.rules.difference import difference
from workbench.rules.models import EventKind, RegressionSample, RuleEvent
from workbench.rules.regression import sample_remove

EVENTS_ON_A_PAGE = 50


@for_rule_editors
@require_GET
def log(request: SignedInRequest) -> HttpResponse:
    """The audit log of rules, newest first."""
    asked = {name: request.GET[name] for name in ("rule", "kind") if request.GET.get(name)}
    events = RuleEvent.objects.visible_to(request.user).select_related("by", "version").defer("before", "after")
    if asked.get("rule"):
        events = events.filter(rule_id__icontains=asked["rule"])
    if asked.get("kind"):
        events = events.filter(kind=asked["kind"])
    page = Paginator(events, EVENTS_ON_A_PAGE).get_page(request.GET.get("page", 1))
    return render(request, "rule_pages/log.html", {"page": page, "asked": asked, "kinds": EventKind.choices})


@for_rule_editors
@require_GET
def event(request: SignedInRequest, event_id: int) -> HttpResponse:
    """One entry of the log with the change of the text."""
    events = RuleEvent.objects.visible_to(request.user).select_related("by", "version")
    found = get_object_or_404(events, pk=event_id)
    return render(request, "rule_pages/event.html", {"event": found, "lines": difference(found.before, found.after)})


@login_required
@require_GET
def export(request: SignedInRequest) -> HttpResponse:
    """Every effective rule, as files for a Git repository."""
    answer = HttpResponse(exchange.exported_rules(), content_type="application/zip")
    name = f"flink-rules-{timezone.now().astimezone(dt.UTC):%Y-%m-%d}.zip"
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@for_rule_editors
def import_rules(request: SignedInRequest) -> HttpResponse:
    """Shows what an archive's rules would change, and which are refused and why. Nothing is stored."""
    if request.method != "POST":
        return render(request, "rule_pages/import.html", {})
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, say("Choose a zip archive."))
        return redirect("rules:import")
    try:
        offered = exchange.offered(form.cleaned_data["archive"])
    except exchange.ImportRefused as error:
        messages.error(request, str(error))
        return redirect("rules:import")
    taken = [each for each in offered if each.state in ("new", "changed")]
    return render(request, "rule_pages/import.html", {"offered": offered, "taken": taken})


@for_rule_editors
@require_POST
def import_drafts(request: SignedInRequest) -> HttpResponse:
    """Stores the selected rules as drafts; their texts are part of the form and are validated again."""
    made = []
    begun = time.thread_time()
    for number in request.POST.getlist("take"):
        if time.thread_time() - begun > exchange.MOST_SECONDS:
            messages.error(request, say("It took too long: the rest was not imported. Import it once more for them."))
            break
        texts = {name: request.POST.get(f"{name}-{number}", "") for name in ("text", "fires", "silent")}
        plain = {name: text.replace("\r\n", "\n") for name, text in texts.items()}
        try:
            made.append(exchange.import_as_draft(**plain, user=request.user))
        except InvalidRule as error:
            messages.error(request, say("Not imported: {errors}", errors=say("; ").join(error.errors)))
    if made:
        messages.success(
            request,
            say_counted(
                "{count} draft made. They judge nothing before they are published.",
                "{count} drafts made. They judge nothing before they are published.",
                len(made),
            ),
        )
    return redirect("rules:list")


@for_rule_editors
@require_POST
def remove_sample(request: SignedInRequest, sample_id: int) -> HttpResponse:
    """Removes a case from a rule's regression tests, with a reason."""
    samples = RegressionSample.objects.visible_to(request.user).select_related("rule", "case")
    sample = get_object_or_404(samples, pk=sample_id)
    form, rule_id = ReasonForm(request.POST), sample.rule.rule_id
    if form.is_valid():
        sample_remove(sample=sample, user=request.user, reason=form.cleaned_data["reason"])
        messages.success(request, say("The case is no longer one of the rule's tests."))
    else:
        messages.error(request, say("Say why, in up to 500 characters: the next person will ask."))
    return redirect("rules:detail", rule_id)
