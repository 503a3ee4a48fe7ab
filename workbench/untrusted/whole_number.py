"""Parses integers in addresses and forms."""

from __future__ import annotations

MOST_DIGITS = 18
"""Every integer of this many digits fits into a column of any database."""
LARGEST = 10**MOST_DIGITS - 1


def whole_number(text: str) -> int | None:
    """The integer in the text; None for anything but 1 to 18 decimal digits."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None
