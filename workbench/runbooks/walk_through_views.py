"""Walk-throughs of checkpoints and recovery, on an example and with the numbers of a case."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from diagnostics.walk_throughs import WALK_THROUGHS, own_graph
from diagnostics.wording import phrase
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.models import Analysis
from workbench.analyses.selectors import analysis_visible
from workbench.languages.sentences import say
from workbench.runbooks.graph_drawing import drawing_of
from workbench.runbooks.own_graph import own_steps
from workbench.runbooks.selectors import finding_at
from workbench.untrusted.whole_number import whole_number


@login_required
@require_GET
def overview(request: SignedInRequest) -> HttpResponse:
    """All walk-throughs, in reading order."""
    walks = [each.read() for each in WALK_THROUGHS.values()]
    return render(request, "runbooks/walk_throughs.html", {"walks": walks, "asked": _asked(request)})


@login_required
@require_GET
def detail(request: SignedInRequest, walk_id: str) -> HttpResponse:
    """One walk-through; `analysis` in the address adds the measurements of that case."""
    if walk_id not in WALK_THROUGHS:
        raise Http404(say("There is no such walk-through."))
    walk, analysis = WALK_THROUGHS[walk_id], _analysis(request)
    own: list[str] = []
    steps = None
    if analysis:
        finding = finding_at(analysis, int(_asked(request)["finding"]))
        facts = facts_of(analysis, finding)
        own = [said for template in walk.read().own if (said := phrase.fill(template, facts)) is not None]
        if walk is own_graph.WALK_THROUGH:
            steps = own_steps(analysis, finding["subject"].get("job"))
    context = {
        "walk": walk.read(),
        "steps": [(step, drawing_of(step.graph) if step.graph else None) for step in steps or walk.steps],
        "is_own": bool(steps),
        "others": [each.read() for each in WALK_THROUGHS.values() if each is not walk],
        "analysis": analysis,
        "own": own,
        "asked": _asked(request),
    }
    return render(request, "runbooks/walk_through.html", context)


def _asked(request: SignedInRequest) -> dict[str, str]:
    """The case from which the walk-through was opened: `analysis` and `finding`, both numbers."""
    found = {name: request.GET.get(name, "") for name in ("analysis", "finding")}
    whole = all(whole_number(value) is not None for value in found.values())
    return found if whole else {}


def _analysis(request: SignedInRequest) -> Analysis | None:
    asked = _asked(request)
    return analysis_visible(request.user, int(asked["analysis"])) if asked else None
