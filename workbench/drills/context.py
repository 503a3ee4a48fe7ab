"""Adds the running drill to the context of every page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from workbench.drills.selectors import drill_under_way, teams_with_a_due_drill


def drill(request: HttpRequest) -> dict[str, Any]:
    """`drill_under_way` and `drills_due` for templates, evaluated lazily."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "drill_under_way": SimpleLazyObject(lambda: drill_under_way(user)),
        "drills_due": SimpleLazyObject(lambda: teams_with_a_due_drill(user)),
    }
