"""Runbooks: their text, filled with the values of one case, and whether a step is done by what was measured."""

from diagnostics.runbook.exits import Exit, exits
from diagnostics.runbook.filling import fill
from diagnostics.runbook.text import Answer, Change, Runbook, Step, runbooks, shipped_runbook_texts

__all__ = ["Answer", "Change", "Exit", "Runbook", "Step", "exits", "fill", "runbooks", "shipped_runbook_texts"]
