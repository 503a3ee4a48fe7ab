"""Excerpts of JSON that people copy out of an answer: without its outer brackets, cut at the end, with `...` inside."""

from __future__ import annotations

import json
import re

MOST_CHARACTERS = 64 * 1024
"""Longer texts are files that were cut, and not copied by a person. Our choice: a page of an answer has 4 KiB."""

_TOKEN = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|\.\.\.+|…|[^"{}\[\],:\s.…]++|\s++|.', re.DOTALL)
_KEY = re.compile(r'\s*"(?:[^"\\\n]|\\.){1,200}"\s*:')
_CLOSES = {"{": "}", "[": "]"}
_OPENS = {"}": "{", "]": "["}


def complete_excerpt(text: str) -> str | None:
    """The excerpt as a whole JSON value on the same lines; None where that is not what it is.

    Marks of an omission (`...`) and commas without a value go; the outer brackets and those that are open at the end
    are added. The text stays on its lines, so that a citation stands where the person sees it.
    """
    if len(text) > MOST_CHARACTERS:
        return None
    begins_whole = text.lstrip()[:1] in ("{", "[")
    candidates = (text, "[" + text) if begins_whole else ("{" + text,) if _KEY.match(text) else ()
    return next((whole for each in candidates if (whole := _close(each)) is not None), None)


def _close(text: str) -> str | None:
    """The text with its missing brackets and without marks of omissions; None where it is no JSON even so."""
    written: list[str] = []
    opened: list[str] = []
    for lexeme in _TOKEN.findall(text):
        if lexeme.startswith("...") or lexeme == "…":
            continue
        if lexeme.startswith('"') and (len(lexeme) == 1 or not lexeme.endswith('"')):
            return None
        if lexeme in _OPENS:
            if not opened or opened[-1] != _OPENS[lexeme]:
                return None
            _drop_comma(written)
            opened.pop()
        elif lexeme in _CLOSES:
            opened.append(lexeme)
        elif lexeme == "," and _ends_open(written):
            continue
        written.append(lexeme)
    _drop_unfinished(written, opened)
    closed = "".join([*written, *(_CLOSES[each] for each in reversed(opened))])
    try:
        json.loads(closed)
    except (ValueError, RecursionError):
        return None
    return closed


def _ends_open(written: list[str]) -> bool:
    """Whether a comma here would have no value before it."""
    last = next((each for each in reversed(written) if not each.isspace()), "")
    return last in ("", ",", "{", "[", ":")


def _drop_comma(written: list[str]) -> None:
    for place in range(len(written) - 1, -1, -1):
        if not written[place].isspace():
            if written[place] == ",":
                del written[place]
            return


def _drop_unfinished(written: list[str], opened: list[str]) -> None:
    """Takes off what the cut left of the last entry: a comma, a key without its value."""
    while written and (written[-1].isspace() or written[-1] in (",", ":")):
        written.pop()
    if opened and opened[-1] == "{" and written and written[-1].startswith('"'):
        before = next((each for each in reversed(written[:-1]) if not each.isspace()), "")
        if before in ("{", ","):
            written.pop()
            _drop_unfinished(written, opened)
