"""The weights of the health score: everybody reads them, administrators change them."""

from __future__ import annotations

import math

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render

from diagnostics.diagnosis.health import USUAL_WEIGHTS
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.rules.health_weights import NAMES, as_numbers, weights_now, weights_set
from workbench.rules.models import HealthWeighting

CHANGES_SHOWN = 20
MOST_DIGITS = 10
"""Characters of a number that are read. Our choice: no weight is longer."""


@login_required
def health(request: SignedInRequest) -> HttpResponse:
    """The weights in force, their changes, and the form."""
    if request.method == "POST":
        if not request.user.is_administrator:
            raise PermissionDenied(say("Only administrators set the weights of the health score."))
        if _set(request):
            return redirect("rules:health")
    now, usual = as_numbers(weights_now()), as_numbers(USUAL_WEIGHTS)
    weights = [
        {"name": name, "label": label, "value": f"{now[name]:.4g}", "usual": f"{usual[name]:.4g}"}
        for name, label in NAMES.items()
    ]
    changes = [(row, _changed(row)) for row in HealthWeighting.objects.select_related("by")[:CHANGES_SHOWN]]
    context = {"weights": weights, "changes": changes, "reason": request.POST.get("reason", "")}
    return render(request, "rule_pages/health.html", context)


def _set(request: SignedInRequest) -> bool:
    try:
        numbers = {name: _number(request.POST.get(name, "")) for name in NAMES}
        row = weights_set(user=request.user, numbers=numbers, reason=request.POST.get("reason", ""))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return False
    if row:
        messages.success(request, say("The weights are in force. The scores of the history are being computed again."))
    else:
        messages.info(request, say("Nothing was changed."))
    return True


def _number(written: str) -> float:
    """A number as people write it; not a number for anything else, which no weight may be."""
    try:
        return float(written.strip()[:MOST_DIGITS])
    except ValueError:
        return math.nan


def _changed(row: HealthWeighting) -> list[str]:
    """Each changed weight as text."""
    return [
        say("{label}: {before:.4g} to {after:.4g}", label=label, before=row.before[name], after=row.weights[name])
        for name, label in NAMES.items()
        if row.before[name] != row.weights[name]
    ]
