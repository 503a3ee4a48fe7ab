"""The flame graph page, its call trees as JSON, and its stacks as text for other viewers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from diagnostics.profiles.call_tree import collapsed
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.selectors import offset_min
from workbench.profiles import selectors


@login_required
@require_GET
def flame_graph(request: SignedInRequest, analysis_id: int) -> HttpResponse:
    """The page; it loads the call tree afterwards."""
    analysis, profiles = selectors.profiles_of_analysis(request.user, analysis_id)
    context = {
        "analysis": analysis,
        "case": analysis.case,
        "others": selectors.other_analyses(request.user, analysis),
        "span": profiles.span,
        "offset_min": offset_min(analysis.inputs),
    }
    return render(request, "profiles/flame_graph.html", context)


@login_required
@require_GET
@gzip_page
def tree(request: SignedInRequest, analysis_id: int) -> JsonResponse:
    """The call tree for the parameters in the address."""
    answer = selectors.tree_shown(request.user, analysis_id, request.GET)
    return JsonResponse(answer, json_dumps_params={"separators": (",", ":"), "ensure_ascii": False})


@login_required
@require_GET
@gzip_page
def stacks(request: SignedInRequest, analysis_id: int) -> HttpResponse:
    """The selected stacks as collapsed lines, for speedscope and other viewers."""
    analysis, profiles = selectors.profiles_of_analysis(request.user, analysis_id)
    lines = collapsed(profiles, selectors.selection_of(request.GET, profiles).holds)
    answer = HttpResponse("".join(f"{line}\n" for line in lines), content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="stacks-analysis-{analysis.pk}.collapsed.txt"'
    return answer
