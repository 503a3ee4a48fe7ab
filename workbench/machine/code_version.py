"""Which program this is: a digest of all that decides what a page shows."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from diagnostics.program_version import version_of

KINDS = (".py", ".yaml", ".csv", ".html", ".mo")


@cache
def code_version() -> str:
    """A hash over code, data, templates and translations. It takes some 100 ms, once a process."""
    return "-".join(version_of(settings.BASE_DIR / each, KINDS) for each in ("diagnostics", "workbench", "templates"))
