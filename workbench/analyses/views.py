"""Views for the progress of a run, and the diagnosis document as a file."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.requests import SignedInRequest
from workbench.analyses import selectors, services
from workbench.analyses.feed import feed_open
from workbench.analyses.stages import run_shown
from workbench.languages.sentences import say


@login_required
@never_cache
@require_GET
def progress(request: SignedInRequest, analysis_id: int) -> JsonResponse:
    """The progress of the run, for pages without `events`."""
    analysis = selectors.analysis_visible(request.user, analysis_id)
    services.lost_analysis_recover(analysis)
    return JsonResponse(run_shown(analysis))


@login_required
@never_cache
@require_GET
def events(request: SignedInRequest, analysis_id: int) -> HttpResponseBase:
    """The progress of the run as server-sent events; status 204 makes the browser poll instead."""
    feed = feed_open(selectors.analysis_visible(request.user, analysis_id))
    if feed is None:
        return HttpResponse(status=204)
    # Proxies such as nginx buffer an answer unless this header is set.
    return StreamingHttpResponse(feed, content_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@login_required
@require_POST
def cancel(request: SignedInRequest, analysis_id: int) -> HttpResponse:
    """Ends the run."""
    analysis = selectors.analysis_to_change(request.user, analysis_id)
    if not services.analysis_cancel(analysis=analysis):
        messages.info(request, say("The analysis had ended already."))
    return redirect(analysis.case)


@login_required
@require_POST
def retry(request: SignedInRequest, analysis_id: int) -> HttpResponse:
    """Queues a new run with the case's current files and rules."""
    analysis = selectors.analysis_to_change(request.user, analysis_id)
    try:
        services.analysis_retry(analysis=analysis, user=request.user)
    except services.NothingToAnalyse as error:
        messages.error(request, str(error))
    return redirect(analysis.case)


@login_required
@require_GET
def document(request: SignedInRequest, analysis_id: int) -> JsonResponse:
    """The diagnosis document of the contract, as a file."""
    analysis = selectors.analysis_visible(request.user, analysis_id)
    if analysis.document is None:
        raise Http404(say("This analysis has no diagnosis."))
    name = f"case-{analysis.case_id}-diagnosis.json"
    answer = JsonResponse(analysis.document, json_dumps_params={"indent": 2, "ensure_ascii": False})
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
