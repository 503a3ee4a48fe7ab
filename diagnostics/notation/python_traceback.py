"""What a traceback of Python says was thrown: its last line, `package.Class: message`, after the lines of its files."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_CHARACTERS = 20_000
"""How much of a text is searched. Our choice: a traceback of a hundred calls."""

_BEGINS = re.compile(r'\s{0,40}(?:File "[^"]{1,400}", line \d|Traceback \(most recent call last\))')
_RAISED = re.compile(r"(?:[A-Za-z_]\w{0,60}\.){0,12}[A-Z]\w{0,100}(?:Error|Exception)(?:: |$)")


def raised_line(text: str) -> str | None:
    """The last line that names an exception below a call of Python's; None without one."""
    return last_raised(text[:MOST_CHARACTERS].splitlines())


def last_raised(lines: Iterable[str]) -> str | None:
    """As `raised_line`, of the lines of a text."""
    is_below, raised = False, None
    for line in lines:
        if _BEGINS.match(line):
            is_below = True
        elif is_below and _RAISED.match(line.strip()):
            raised = line.strip()
    return raised
