"""The page with the script that generates records like those of a case."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from diagnostics.reproduction import reproduction
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.selectors import analysis_visible
from workbench.languages.sentences import say
from workbench.runbooks.selectors import finding_at


@login_required
@require_GET
def script(request: SignedInRequest, analysis_id: int, position: int) -> HttpResponse:
    """The script as a file to download."""
    analysis = analysis_visible(request.user, analysis_id)
    text = reproduction(facts_of(analysis, finding_at(analysis, position)))
    if text is None:
        raise Http404(say("Neither a hot key nor late records were measured in this case."))
    answer = HttpResponse(text, content_type="text/x-python; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="reproduce-case-{analysis.case_id}.py"'
    return answer
