"""Pages of a back-test: start, progress and result. A back-test is private to its user."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from diagnostics.errors import InvalidRule
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.rule_pages.backtest import Tally, backtest_go_on, backtest_start, changes_shown
from workbench.rule_pages.permission import for_rule_editors
from workbench.rules.models import Backtest, Draft


@for_rule_editors
@require_POST
def start(request: SignedInRequest, draft_id: int) -> HttpResponse:
    """Starts a back-test of the stored draft."""
    draft = get_object_or_404(Draft, pk=draft_id)
    try:
        backtest = backtest_start(draft=draft, user=request.user)
    except InvalidRule as error:
        messages.error(request, say("No back-test: {errors}", errors=say("; ").join(error.errors)))
        return redirect("rules:draft", draft_id)
    return redirect("rules:backtest", backtest.pk)


@for_rule_editors
@require_GET
def detail(request: SignedInRequest, backtest_id: int) -> HttpResponse:
    """The progress; at the end the changes, with precision and recall."""
    backtest = _own(request, backtest_id)
    tally = Tally.read(backtest.tally)
    return render(
        request,
        "rule_pages/backtest.html",
        {
            "backtest": backtest,
            "tally": tally,
            "rows": [
                (say("This rule"), tally.rule_before, tally.rule_after),
                (say("All verdicts"), tally.verdicts_before, tally.verdicts_after),
            ],
            "changes": changes_shown(backtest.changes),
            "is_outdated": backtest.text != backtest.draft.text,
        },
    )


@for_rule_editors
@require_POST
def go_on(request: SignedInRequest, backtest_id: int) -> HttpResponse:
    """Judges the next cases for a second or two."""
    backtest = _own(request, backtest_id)
    backtest_go_on(backtest=backtest)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"done": backtest.done, "total": backtest.total})
    return redirect("rules:backtest", backtest.pk)


def _own(request: SignedInRequest, backtest_id: int) -> Backtest:
    found = Backtest.objects.select_related("draft__rule", "draft__base", "ruleset")
    return get_object_or_404(found, pk=backtest_id, by=request.user)
