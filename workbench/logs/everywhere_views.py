"""The page that searches the logs of all cases."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from diagnostics.log_book.search import InvalidSearch, parse_search
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.logs.asked import MOST_SEARCH
from workbench.logs.everywhere import search_everywhere


@login_required
@require_GET
def everywhere(request: SignedInRequest) -> HttpResponse:
    """Cases with matching records; empty without a search."""
    asked = request.GET.get("q", "").strip()
    below = request.GET.get("below", "")
    context: dict[str, object] = {"asked": asked}
    try:
        if len(asked) > MOST_SEARCH:
            raise InvalidSearch(say("A search has at most {most:,} characters.", most=MOST_SEARCH))
        search = parse_search(asked)
        if search.terms:
            number = int(below) if below.isascii() and below.isdecimal() and len(below) < 18 else None
            context["found"] = search_everywhere(request.user, search, number)
    except InvalidSearch as error:
        context["error"] = str(error)
    return render(request, "logs/everywhere.html", context)
