"""Makes text safe for a cell of a CSV file that a spreadsheet may open."""

from __future__ import annotations

from diagnostics.notation.control_characters import show_controls

FORMULA = ("=", "+", "-", "@", "\t")
"""Beginnings that a spreadsheet interprets as a formula."""


def harmless_cell(value: object) -> object:
    """The value; a text without control characters, and with an apostrophe before a formula."""
    if not isinstance(value, str):
        return value
    shown = show_controls(value)
    return f"'{shown}" if shown.startswith(FORMULA) else shown
