"""Requests of people who are signed in."""

from __future__ import annotations

from django.http import HttpRequest

from workbench.accounts.models import User


class SignedInRequest(HttpRequest):
    """A request of a signed-in user, behind `login_required`. Only for annotations; never instantiated."""

    user: User
