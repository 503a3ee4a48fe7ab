"""The list of cases with its facets, saved views, and bulk actions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from diagnostics.language import joined_sentences
from workbench.accounts.models import User
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import ACTIVE
from workbench.analyses.selectors import latest_analyses
from workbench.case_pages.facets import FACETS, facets
from workbench.case_pages.forms import BulkForm, SavedViewForm, StatusForm, cause_choices
from workbench.cases import bulk as services
from workbench.cases import selectors
from workbench.cases.follow_ups import left_to_do
from workbench.cases.models import Case, CaseStatus, SavedView
from workbench.cases.services import unwatch, watch
from workbench.history.recurrences import came_back
from workbench.languages.sentences import say, say_counted, say_later
from workbench.rules.regression import case_keep
from workbench.untrusted.whole_number import whole_number

ORDER_NAMES = {
    "newest": say_later("Newest first"),
    "oldest": say_later("Oldest first"),
    "updated": say_later("Changed last"),
    "health": say_later("Worst health first"),
    "title": say_later("By title"),
}
KNOWN = (*FACETS, "text", "job", "people", "order")
"""Query parameters of a view of the list."""
OPEN_STATUSES = "&".join(f"status={status}" for status in CaseStatus.values if status != CaseStatus.CLOSED)
OWN_VIEWS = {
    "": say_later("All"),
    OPEN_STATUSES: say_later("Open"),
    "people=mine": say_later("Yours"),
    "people=watched": say_later("Watched"),
    "people=news": say_later("Unread"),
    "people=mentioned": say_later("Mentions you"),
    "people=actions": say_later("Your actions"),
}
"""Predefined views: query -> name."""


@login_required
@require_GET
def case_list(request: SignedInRequest) -> HttpResponse:
    """The list of cases with facets and search; the home page."""
    asked = dict(request.GET.lists())
    considered = selectors.cases_considered(request.user, asked)
    page = selectors.case_page(request.user, asked, considered)
    latest = latest_analyses(case for case in page if case.analysis_status in ACTIVE)
    left = left_to_do(page.object_list)
    query = view_query(request.GET)
    news = Case.objects.visible_to(request.user).with_news_for(request.user).values_list("pk", flat=True)
    context = {
        "page": page,
        "rows": [(case, latest.get(case.pk), left.get(case.pk)) for case in page],
        "facets": facets(considered, request.GET),
        "orders": ORDER_NAMES,
        "asked": request.GET,
        "hidden": [(name, value) for name in (*FACETS, "people", "job") for value in request.GET.getlist(name)],
        "is_filtered": bool(query),
        "is_empty": not query and not page.paginator.count,
        "query": query,
        "own_views": OWN_VIEWS,
        "saved_views": selectors.views_saved(request.user),
        "news": set(news),
        "returned": came_back(request.user, page),
        "undo": request.session.pop("undo", None),
        "statuses": StatusForm().fields["status"].choices,  # type: ignore[attr-defined]
        "owners": selectors.owners_possible_for(request.user),
        "cause_choices": cause_choices(None),
    }
    return render(request, "case_pages/list.html", context)


def view_query(asked: QueryDict) -> str:
    """The normalised query string: known names in a fixed order, no empty value, no page."""
    query = QueryDict(mutable=True)
    for name in KNOWN:
        if values := selectors.values_asked(dict(asked.lists()), name):
            query.setlist(name, values)
    return query.urlencode()


@login_required
@require_POST
def bulk(request: SignedInRequest) -> HttpResponse:
    """One action on the ticked cases; invisible cases are skipped as if they did not exist."""
    back = _list_address(request.POST.get("query", ""))
    numbers = [whole_number(each) for each in request.POST.getlist("case")[: services.MOST_CASES]]
    cases = list(
        Case.objects.visible_to(request.user).filter(pk__in=[number for number in numbers if number is not None])
    )
    form = BulkForm(request.POST)
    if not cases or not form.is_valid():
        messages.error(request, say("Tick at least one case and choose what to do with it."))
        return redirect(back)
    chosen = form.cleaned_data
    if chosen["action"] == "compare":
        return _compared(request, cases, back)
    if chosen["action"] in ("watch", "unwatch"):
        act = watch if chosen["action"] == "watch" else unwatch
        for case in cases:
            act(case=case, user=request.user)
        return redirect(back)
    cases = [case for case in cases if case.may_be_changed_by(request.user)]
    try:
        batch, done = _changed(request.user, cases, chosen)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect(back)
    count = say_counted("{count} case", "{count} cases", len(cases))
    request.session["undo"] = {"batch": str(batch), "said": say("{cases}: {done}.", cases=count, done=done)}
    return redirect(back)


def _compared(request: SignedInRequest, cases: Sequence[Case], back: str) -> HttpResponse:
    if len(cases) != 2:
        messages.error(request, say("Tick exactly two cases to compare them."))
        return redirect(back)
    first, second = sorted(case.pk for case in cases)
    return redirect(f"{reverse('runbooks:compare')}?first={first}&second={second}")


def _changed(user: User, cases: Sequence[Case], chosen: dict[str, object]) -> tuple[UUID, str]:
    """Executes the action. Gives the batch and a description."""
    if chosen["action"] == "status":
        status = CaseStatus(str(chosen["status"]))
        return services.cases_set_status(cases=cases, user=user, status=status), say(
            "{status} now", status=str(status.label).lower()
        )
    if chosen["action"] == "owner":
        owner = selectors.owners_possible_for(user).filter(username=chosen["owner"]).first()
        if owner is None:
            raise ValidationError(say("Nobody of that name works on cases of your teams."))
        return services.cases_assign(cases=cases, user=user, owner=owner), say("handed to {owner}", owner=owner)
    cause, cure = str(chosen["confirmed_class"]), str(chosen["what_fixed_it"])
    batch = services.cases_close(cases=cases, user=user, confirmed_class=cause, what_fixed_it=cure)
    kept = {rule for case in cases for rule in case_keep(case=case, user=user)} if chosen["keep_as_sample"] else set()
    if not kept:
        return batch, say("closed")
    said = say_counted(
        "closed, kept as regression samples of {count} rule",
        "closed, kept as regression samples of {count} rules",
        len(kept),
    )
    return batch, said


@login_required
@require_POST
def undo(request: SignedInRequest) -> HttpResponse:
    """Undoes the last bulk action."""
    try:
        batch = UUID(request.POST.get("batch", ""))
    except ValueError:
        return redirect("cases:list")
    undone = services.batch_undo(user=request.user, batch=batch)
    said = say_counted("Taken back for {count} case.", "Taken back for {count} cases.", undone.cases)
    if undone.changed_since:
        since = say("{count} changed since and stay as they are.", count=undone.changed_since)
        said = joined_sentences((said, since))
    messages.success(request, said)
    return redirect(_list_address(request.POST.get("query", "")))


@login_required
@require_POST
def view_save(request: SignedInRequest) -> HttpResponse:
    """Saves the present search under a name, replacing a view of the same name."""
    query = view_query(QueryDict(request.POST.get("query", "")[:4000]))
    form = SavedViewForm({**request.POST.dict(), "query": query})
    if not query or not form.is_valid():
        messages.error(request, say("A view needs a name of at most 60 letters, and a search or a filter to keep."))
        return redirect(_list_address(query))
    team = request.user.teams.first() if form.cleaned_data["shared"] else None
    SavedView.objects.update_or_create(
        user=request.user, name=form.cleaned_data["name"], defaults={"query": query, "team": team}
    )
    return redirect(_list_address(query))


@login_required
@require_POST
def view_forget(request: SignedInRequest, view_id: int) -> HttpResponse:
    """Removes one of the user's own views."""
    get_object_or_404(SavedView, pk=view_id, user=request.user).delete()
    return redirect("cases:list")


def _list_address(query: str) -> str:
    query = view_query(QueryDict(query[:4000]))
    return f"{reverse('cases:list')}?{query}" if query else reverse("cases:list")
