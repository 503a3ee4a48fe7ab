"""The texts of rules, runbooks and symptom classes that have a translation beside them, or should."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diagnostics.language import CHINESE, SUFFIXES

TRANSLATED = frozenset(
    {
        *("title", "summary", "statement", "say", "because", "of", "false_alarms"),
        *("goal", "question", "why", "cost", "rollback", "done", "otherwise"),
        *("measured", "what", "if", "then", "wont_help", "text"),
    }
)
"""Names of entries whose values are sentences or words for a reader; a list of them has a list beside it."""


def entries_to_translate(content: Any) -> Iterator[bool]:
    """Whether each text in the content of a file is translated."""
    if isinstance(content, list):
        for each in content:
            yield from entries_to_translate(each)
    if not isinstance(content, dict):
        return
    for name, value in content.items():
        if name in TRANSLATED and isinstance(value, str):
            yield f"{name}_{SUFFIXES[CHINESE]}" in content
        elif name in TRANSLATED and isinstance(value, list):
            yield from (f"{name}_{SUFFIXES[CHINESE]}" in content for each in value if isinstance(each, str))
            yield from entries_to_translate([each for each in value if not isinstance(each, str)])
        elif name not in ("when", "done_when"):
            yield from entries_to_translate(value)
