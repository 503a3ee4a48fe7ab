"""Adds the warning of a nearly full disk to the context of every page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from workbench.machine.disk import disk_room


def disk(request: HttpRequest) -> dict[str, Any]:
    """`short_disk` for templates: the free space, when it is short and the user is an administrator."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated or not user.is_administrator:
        return {}
    room = disk_room()
    return {"short_disk": room} if room.is_short else {}
