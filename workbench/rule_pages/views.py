"""Pages of rules: the list, help pages, versions."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from diagnostics.errors import InvalidRule
from diagnostics.runbook import runbooks
from diagnostics.vocabulary.glossary import glossary
from diagnostics.vocabulary.sources import disputed_claims, sources
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say, say_later, say_stored
from workbench.rule_pages.forms import ReasonForm
from workbench.rule_pages.permission import for_rule_editors
from workbench.rule_pages.presentation import STATUSES, classes_shown, classes_with_rules, help_shown
from workbench.rules import services
from workbench.rules.difference import difference
from workbench.rules.models import Draft, Origin, RuleVersion, VersionState
from workbench.rules.runbook_texts import RUNBOOK, is_runbook, runbook_counting, runbook_identity
from workbench.rules.selectors import rule_readable, version_to_edit
from workbench.untrusted.whole_number import whole_number

BASES = (
    ("documented", say_later("Documented"), say_later("The number or the statement is in the source.")),
    (
        "heuristic",
        say_later("Our bound"),
        say_later("The mechanism is described in the source; the number is our choice."),
    ),
    (
        "claim",
        say_later("Claims of the documents that this workbench was specified from"),
        say_later("Some of them are disputed, see above."),
    ),
)
"""Basis of a source -> the heading of its part of the page, and its meaning."""

GLOSSARY_PARTS = (("flink", say_later("Flink")), ("workbench", say_later("This workbench")))
"""Part of the glossary -> its heading, in the order of the page."""


@login_required
@require_GET
def source_list(request: SignedInRequest) -> HttpResponse:
    """The sources of bounds and texts, and disproved claims."""
    known = sources()
    claims = [(each.read(), [known[source_id] for source_id in each.sources]) for each in disputed_claims()]
    grouped = [
        (
            heading,
            meaning,
            sorted((each for each in known.values() if each.basis == basis), key=lambda each: each.title),
        )
        for basis, heading, meaning in BASES
    ]
    return render(request, "rule_pages/sources.html", {"grouped": grouped, "claims": claims})


@login_required
@require_GET
def glossary_page(request: SignedInRequest) -> HttpResponse:
    """Terms in English and Chinese."""
    parts = [(heading, glossary()[part]) for part, heading in GLOSSARY_PARTS]
    return render(request, "rule_pages/glossary.html", {"parts": parts})


@login_required
@require_GET
def rule_list(request: SignedInRequest) -> HttpResponse:
    """Every rule by class, with its record."""
    asked = {name: request.GET[name] for name in ("text", "symptom_class", "status") if request.GET.get(name)}
    classes = classes_shown(request.user, asked)
    return render(
        request,
        "rule_pages/list.html",
        {
            "classes": classes,
            "count": sum(len(each.rules) for each in classes),
            "choices": classes_with_rules(),
            "statuses": STATUSES,
            "asked": asked,
            "drafts": Draft.objects.select_related("rule", "author") if request.user.may_edit_rules else [],
        },
    )


@login_required
@require_GET
def detail(request: SignedInRequest, rule_id: str) -> HttpResponse:
    """The rule's help page; runbooks have their own. A finding leads here with the version that judged it."""
    if is_runbook(rule_id):
        return _runbook(request, rule_id.removeprefix(RUNBOOK))
    shown = help_shown(request.user, rule_readable(rule_id))
    judged = None
    number = whole_number(request.GET.get("version", ""))
    if number is not None and number != shown.version.number:
        judged = shown.rule.versions.filter(number=number).order_by("-pk").first()
    context = {"help": shown, "judged": judged, "may_edit": request.user.may_edit_rules}
    return render(request, "rule_pages/detail.html", context)


def _runbook(request: SignedInRequest, runbook_id: str) -> HttpResponse:
    identity, runbook = runbook_identity(runbook_id), runbook_counting(runbook_id)
    if identity is None or runbook is None:
        raise Http404(say("There is no such runbook."))
    version = version_to_edit(identity)
    versions = sorted(identity.versions.select_related("author", "published_by"), key=lambda each: -each.pk)
    context = {"rule": identity, "runbook": runbook, "version": version, "versions": versions}
    return render(request, "rule_pages/runbook.html", context | {"may_edit": request.user.may_edit_rules})


@login_required
@require_GET
def runbook_list(request: SignedInRequest) -> HttpResponse:
    """Every runbook, with its effective version."""
    local = RuleVersion.objects.filter(
        rule__rule_id__startswith=RUNBOOK, origin=Origin.LOCAL, state=VersionState.PUBLISHED
    )
    edited = {version.rule.rule_id.removeprefix(RUNBOOK): version for version in local.select_related("rule")}
    shown = [(runbook_counting(each), edited.get(each)) for each in runbooks()]
    return render(request, "rule_pages/runbooks.html", {"shown": shown, "prefix": RUNBOOK})


@for_rule_editors
@require_POST
def switch(request: SignedInRequest, rule_id: str) -> HttpResponse:
    """Enables or disables the rule, with a reason."""
    rule = rule_readable(rule_id)
    form = ReasonForm(request.POST)
    if form.is_valid():
        enabled = request.POST.get("enabled") == "1"
        services.rule_switch(rule=rule, enabled=enabled, user=request.user, reason=form.cleaned_data["reason"])
        said = (
            say("{rule} is switched on. New analyses use it again.", rule=rule)
            if enabled
            else say("{rule} is switched off. New analyses no longer use it.", rule=rule)
        )
        messages.success(request, said)
    else:
        messages.error(request, say("Say why, in up to 500 characters: the next person will ask."))
    return redirect("rules:detail", rule_id)


@login_required
@require_GET
def version_detail(request: SignedInRequest, rule_id: str, version_id: int) -> HttpResponse:
    """One version: the change from the version before it, and its text."""
    version = _version(rule_id, version_id)
    before = version.rule.versions.filter(pk__lt=version.pk).order_by("-pk").first()
    return render(
        request,
        "rule_pages/version.html",
        {
            "version": version,
            "before": before,
            "lines": difference(before.text, version.text) if before else [],
            "may_edit": request.user.may_edit_rules,
        },
    )


@for_rule_editors
@require_POST
def roll_back(request: SignedInRequest, rule_id: str, version_id: int) -> HttpResponse:
    """Makes an earlier version effective again, with a reason."""
    version = _version(rule_id, version_id)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, say("Say why, in up to 500 characters: the next person will ask."))
        return redirect("rules:version", rule_id, version_id)
    try:
        ruleset = services.rule_roll_back(version=version, user=request.user, reason=form.cleaned_data["reason"])
    except InvalidRule as error:
        messages.error(request, say("It does not load any more: {errors}", errors=say("; ").join(error.errors)))
    else:
        messages.success(request, say("{reason}. New analyses use it from now on.", reason=say_stored(ruleset.reason)))
    return redirect(f"{reverse('rules:detail', args=[rule_id])}#versions")


def _version(rule_id: str, version_id: int) -> RuleVersion:
    known = RuleVersion.objects.select_related("rule", "author", "published_by")
    return get_object_or_404(known, pk=version_id, rule__rule_id=rule_id)
