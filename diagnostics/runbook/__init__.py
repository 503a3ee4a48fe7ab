"""Runbooks: their text, the values of a case in it, and whether measurements show a step as done."""

from diagnostics.runbook.exits import Exit, exits
from diagnostics.runbook.filling import fill
from diagnostics.runbook.plan import Proposal, changed_options, merged_plan, useless_options
from diagnostics.runbook.shipped import runbooks, shipped_runbook_texts
from diagnostics.runbook.text import Answer, Change, Runbook, Step

__all__ = [
    "Answer",
    "Change",
    "Exit",
    "Proposal",
    "Runbook",
    "Step",
    "changed_options",
    "exits",
    "fill",
    "merged_plan",
    "runbooks",
    "shipped_runbook_texts",
    "useless_options",
]
