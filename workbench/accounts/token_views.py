"""API tokens: a person's own, and all of them for administrators."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from workbench.accounts.forms import TokenForm
from workbench.accounts.models import ApiToken, TokenScope
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say

PAGE = 50


@login_required
@never_cache
def tokens(request: SignedInRequest) -> HttpResponse:
    """The person's tokens; makes one, whose secret is shown this once."""
    form, secret = TokenForm(request.user, request.POST if request.method == "POST" else None), ""
    if form.is_valid():
        cleaned = form.cleaned_data
        _, secret = ApiToken.objects.make(request.user, cleaned["name"], cleaned["days"], TokenScope(cleaned["scope"]))
        form = TokenForm(request.user)
    context = {"tokens": request.user.api_tokens.all(), "form": form, "secret": secret}
    return render(request, "registration/tokens.html", context)


@login_required
@require_GET
def all_tokens(request: SignedInRequest) -> HttpResponse:
    """The tokens of all people."""
    if not request.user.is_administrator:
        raise PermissionDenied(say("Only administrators see all tokens."))
    page = Paginator(ApiToken.objects.select_related("user"), PAGE).get_page(request.GET.get("page"))
    return render(request, "registration/all_tokens.html", {"page": page})


@login_required
@require_POST
def token_revoke(request: SignedInRequest, token_id: int) -> HttpResponse:
    """Revokes a token at once: an own one, or anybody's for administrators."""
    visible = ApiToken.objects.all() if request.user.is_administrator else request.user.api_tokens.all()
    token = get_object_or_404(visible, pk=token_id)
    is_own = token.user_id == request.user.pk
    token.delete()
    messages.success(request, say("The token {name} is revoked.", name=token.name))
    return redirect("tokens" if is_own else "all_tokens")
