"""Control characters of evidence made visible: a file may not steer the terminal or the program that shows it."""

from __future__ import annotations

import re
import unicodedata

STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories: controls, marks that turn the direction or have no width, half pairs, separators of lines."""

KEPT = "\t\u200c\u200d"
"""Tabulators, and the joiners that letters of some scripts and emoji are made with."""

MAYBE_STEERING = re.compile(r"[^ -~]")


def show_controls(text: str) -> str:
    r"""The text with each character that steers instead of being seen as its escape: `\x1b`, `\n`, `\u202e`."""
    return MAYBE_STEERING.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    letter = found.group()
    if letter in KEPT or unicodedata.category(letter) not in STEERING:
        return letter
    return ascii(letter)[1:-1]
