"""Articles of teams beside the runbooks: pasted, shown with what was cut off, kept and removed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from diagnostics.runbook import runbooks
from workbench.accounts.models import Team
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.runbooks.articles import article_add, article_remove, articles_visible
from workbench.runbooks.pasted_article import PastedArticle, article_in
from workbench.untrusted.whole_number import whole_number


@login_required
def articles(request: SignedInRequest) -> HttpResponse:
    """Lists the articles of the user's teams. A POST shows the article in a pasted text, a second one keeps it."""
    pasted: PastedArticle | None = None
    errors: dict[str, Any] = {}
    if request.method == "POST":
        if not request.user.may_change_cases:
            raise PermissionDenied(say("Your role may read articles, not add them."))
        if request.POST.get("does") == "keep":
            try:
                return redirect(_keep(request))
            except ValidationError as error:
                errors = error.message_dict
        else:
            pasted = article_in(request.POST.get("text", ""))
    sent = request.POST
    context = {
        "articles": articles_visible(request.user),
        "titles": {each.id: each.title for each in runbooks().values()},
        "teams": Team.objects.all() if request.user.is_administrator else request.user.teams.all(),
        "pasted": pasted,
        "errors": errors,
        "sent": {name: sent.get(name, "") for name in ("title", "url", "runbook", "team")},
        "text": pasted.text if pasted else sent.get("text", ""),
        "asked": request.GET.get("runbook", ""),
        "may_add": request.user.may_change_cases,
    }
    return render(request, "runbooks/articles.html", context)


def _keep(request: SignedInRequest) -> Any:
    sent = request.POST
    team = whole_number(sent.get("team", ""))
    return article_add(
        user=request.user,
        team=Team.objects.filter(pk=team).first() if team is not None else None,
        runbook=sent.get("runbook", ""),
        title=sent.get("title", ""),
        text=sent.get("text", ""),
        url=sent.get("url", ""),
    )


@login_required
@require_GET
def article(request: SignedInRequest, article_id: int) -> HttpResponse:
    """One article as plain text."""
    shown = get_object_or_404(articles_visible(request.user), pk=article_id)
    context = {"article": shown, "title": runbooks()[shown.runbook].title if shown.runbook in runbooks() else ""}
    return render(request, "runbooks/article.html", context | {"may_change": request.user.may_change_cases})


@login_required
@require_POST
def remove(request: SignedInRequest, article_id: int) -> HttpResponse:
    """Removes an article."""
    shown = get_object_or_404(articles_visible(request.user), pk=article_id)
    article_remove(user=request.user, article=shown)
    messages.success(request, say("“{title}” is removed.", title=shown.title))
    return redirect("runbooks:articles")
