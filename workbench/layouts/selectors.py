"""Reads the active log layouts."""

from __future__ import annotations

from diagnostics import intake
from workbench.layouts.models import LogLayout


def layouts_now() -> tuple[intake.LogLayout, ...]:
    """Read once per upload and analysis, so that a change needs no restart."""
    return tuple(each.as_layout() for each in LogLayout.objects.filter(active=True))
