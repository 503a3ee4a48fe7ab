"""Who may change rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse

from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say

Door = Callable[..., HttpResponse]


def for_rule_editors(view: Door) -> Door:
    """A view for rule editors and administrators; others get 403, and visitors the sign-in page."""

    @wraps(view)
    def asked(request: SignedInRequest, *args: Any, **options: Any) -> HttpResponse:
        if not request.user.may_edit_rules:
            raise PermissionDenied(say("Your role may read rules, not change them."))
        return view(request, *args, **options)

    return login_required(asked)
