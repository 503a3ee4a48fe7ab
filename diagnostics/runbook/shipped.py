"""The runbooks that are shipped with the symptoms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from diagnostics.runbook.text import Runbook
from diagnostics.symptoms import runbook_files, symptom_folders


@cache
def runbooks() -> Mapping[str, Runbook]:
    """Every shipped runbook, by its id."""
    return {runbook.id: runbook for runbook, _ in _shipped()}


@cache
def shipped_runbook_texts() -> Mapping[str, str]:
    """The text of every shipped runbook, by its id."""
    return {runbook.id: text for runbook, text in _shipped()}


@cache
def _shipped() -> tuple[tuple[Runbook, str], ...]:
    shipped = []
    for folder in symptom_folders():
        for path in runbook_files(folder):
            text = path.read_text("utf-8")
            shipped.append((Runbook.from_yaml(text, f"{folder.name}/{path.name}"), text))
    return tuple(shipped)
