"""Runbooks by their id."""

from __future__ import annotations

from diagnostics.runbook import Runbook, runbooks


def runbook_of(runbook_id: str | None) -> Runbook | None:
    """The runbook that counts now; None for a finding that has none."""
    return runbooks().get(runbook_id or "")
