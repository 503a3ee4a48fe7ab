"""Requests of people who are signed in."""

from __future__ import annotations

from django.http import HttpRequest

from workbench.accounts.models import User


class SignedInRequest(HttpRequest):
    """What a view behind `login_required` gets: its user is a person. For annotations; nothing makes one."""

    user: User
