"""Compares two texts line by line, for a page."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

CONTEXT_LINES = 3
MOST_LINES = 4_000
"""Lines of either text that are compared; a rule has at most a few hundred. Our choice: keeps the comparison fast."""

HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `kind` is added, removed, same or gap; the numbers are those of the old and the new text."""

    kind: str
    text: str = ""
    old: int | None = None
    new: int | None = None


def difference(before: str, after: str) -> list[Line]:
    """The changed lines with some context; empty when nothing changed."""
    return list(_lines(before.splitlines()[:MOST_LINES], after.splitlines()[:MOST_LINES]))


def _lines(before: list[str], after: list[str]) -> Iterator[Line]:
    old = new = 0
    for position, line in enumerate(difflib.unified_diff(before, after, n=CONTEXT_LINES, lineterm="")):
        if position < 2:
            continue
        hunk = HUNK.match(line)
        if hunk:
            first = old == 0
            old, new = int(hunk.group(1)), int(hunk.group(2))
            if not first or max(old, new) > 1:
                yield Line("gap")
        elif line.startswith("+"):
            yield Line("added", line[1:], new=new)
            new += 1
        elif line.startswith("-"):
            yield Line("removed", line[1:], old=old)
            old += 1
        else:
            yield Line("same", line[1:], old, new)
            old, new = old + 1, new + 1
