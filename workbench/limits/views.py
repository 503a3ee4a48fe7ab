"""The page of the limits: everybody reads it, administrators change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render

from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.limits.catalogue import ALWAYS, LIMITS, Limit
from workbench.limits.forms import LimitsForm
from workbench.limits.models import LimitChange
from workbench.limits.quantities import quantity_text
from workbench.limits.selectors import values_now, values_set
from workbench.limits.services import limits_set

CHANGES_ON_A_PAGE = 30


@dataclass(frozen=True, slots=True)
class LimitShown:
    """One row: the effective value, the value in the field, and its error."""

    limit: Limit
    value: str
    written: str
    usual: str
    most: str
    is_lowered: bool
    errors: list[str]


@login_required
def limits(request: SignedInRequest) -> HttpResponse:
    """What an upload may cost, who set it and why."""
    form = LimitsForm(request.POST or None)
    if request.method == "POST":
        if not request.user.is_administrator:
            raise PermissionDenied(say("Only administrators set limits."))
        if form.is_valid() and _set(request, form):
            return redirect("limits")
    page = Paginator(LimitChange.objects.select_related("by"), CHANGES_ON_A_PAGE).get_page(request.GET.get("page", 1))
    context = {
        "limits": limits_shown(form),
        "always": ALWAYS,
        "reason": form.data.get("reason", ""),
        "reason_errors": form.errors.get("reason", []),
        "page": page,
        "changes": [_change(each) for each in page],
    }
    return render(request, "limits/page.html", context)


def _set(request: SignedInRequest, form: LimitsForm) -> bool:
    cleaned = form.cleaned_data
    try:
        changed = limits_set(user=request.user, values=cleaned["values"], reason=cleaned["reason"])
    except ValidationError as error:
        for name, problems in error.message_dict.items():
            form.add_error(name, problems)
        return False
    if changed:
        messages.success(request, say("The limits count from now on, also for analyses that begin now."))
    else:
        messages.info(request, say("Nothing was changed."))
    return True


def limits_shown(form: LimitsForm | None = None) -> list[LimitShown]:
    """Every limit as the page has it; what was sent in a form stays in its fields."""
    chosen = values_set()
    values = values_now(chosen)
    sent: Mapping[str, str] = form.data if form and form.is_bound else {}
    return [
        LimitShown(
            limit=limit,
            value=quantity_text(values[name], limit.unit),
            written=sent[name] if name in sent else quantity_text(chosen[name], limit.unit) if name in chosen else "",
            usual=quantity_text(limit.usual(), limit.unit),
            most=quantity_text(limit.most(), limit.unit),
            is_lowered=chosen.get(name, 0) > limit.most(),
            errors=[str(error) for error in form.errors.get(name, [])] if form else [],
        )
        for name, limit in LIMITS.items()
    ]


def _change(change: LimitChange) -> dict[str, object]:
    limit = LIMITS.get(change.name)
    values = {
        name: quantity_text(value, limit.unit) if limit and value is not None else say("the workbench's own")
        for name, value in (("before", change.before), ("after", change.after))
    }
    return {"row": change, "title": limit.title if limit else change.name, **values}
