"""Pages of the what-if calculators."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET

from diagnostics.calculators import CALCULATORS
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.reading import document_read
from workbench.analyses.selectors import analysis_visible
from workbench.languages.sentences import say
from workbench.runbooks.selectors import finding_at
from workbench.runbooks.what_if import all_calculated, calculated, chosen_values


@login_required
@require_GET
def overview(request: SignedInRequest, analysis_id: int, position: int) -> HttpResponse:
    """Every calculator with its result on this evidence."""
    analysis = analysis_visible(request.user, analysis_id)
    analysis.document = document_read(analysis)  # never saved: this page only reads
    finding = finding_at(analysis, position)
    found = all_calculated(facts_of(analysis, finding), finding["symptom_class"])
    context = {"case": analysis.case, "analysis": analysis, "position": position, "finding": finding, "found": found}
    return render(request, "runbooks/what_if.html", context)


@login_required
@require_GET
def calculator(request: SignedInRequest, analysis_id: int, position: int, calculator_id: str) -> HttpResponse:
    """One calculator; the user's values are in the address."""
    analysis = analysis_visible(request.user, analysis_id)
    analysis.document = document_read(analysis)  # never saved: this page only reads
    finding = finding_at(analysis, position)
    if calculator_id not in CALCULATORS:
        raise Http404(say("There is no such calculator."))
    chosen = CALCULATORS[calculator_id]
    asked = calculated(chosen, facts_of(analysis, finding), chosen_values(chosen, request.GET.dict()))
    context = {"case": analysis.case, "analysis": analysis, "position": position, "finding": finding, "asked": asked}
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"html": render_to_string("runbooks/_what_if_result.html", context, request)})
    return render(request, "runbooks/calculator.html", context)
