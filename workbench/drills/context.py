"""Adds the running drill to the context of every page."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from workbench.accounts.models import User
from workbench.drills.selectors import drill_under_way, teams_with_a_due_drill

DUE = "drills_due"
LOOKED_UP_SECONDS = 3600.0
"""Our choice: a plan counts days."""


def drill(request: HttpRequest) -> dict[str, Any]:
    """`drill_under_way` and `drills_due` for templates, evaluated lazily."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "drill_under_way": SimpleLazyObject(lambda: drill_under_way(user)),
        "drills_due": SimpleLazyObject(lambda: _drills_due(request, user)),
    }


def _drills_due(request: HttpRequest, user: User) -> list[str]:
    """As looked up in this hour: the list of cases asks the database as little as it can."""
    kept = request.session.get(DUE)
    if not kept or kept["until"] < time.time():
        kept = {"teams": teams_with_a_due_drill(user), "until": time.time() + LOOKED_UP_SECONDS}
        request.session[DUE] = kept
    teams: list[str] = kept["teams"]
    return teams
