"""Escapes control characters of evidence: a file must not control the terminal or program that displays it."""

from __future__ import annotations

import re
import unicodedata

STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories: control, format (direction, zero width), surrogates, line and paragraph separators."""

KEPT = "\t\u200c\u200d"
"""Tabs, and the joiners within letters of some scripts and emoji."""

MAYBE_STEERING = re.compile(r"[^ -~]")


def show_controls(text: str) -> str:
    r"""The text with control characters as escapes: `\x1b`, `\n`, `\u202e`."""
    return MAYBE_STEERING.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    letter = found.group()
    if letter in KEPT or unicodedata.category(letter) not in STEERING:
        return letter
    return ascii(letter)[1:-1]
