"""Normalises SQL statements of a database's log: equal queries become equal text, and no customer data is kept."""

from __future__ import annotations

import re

MOST_STATEMENT = 4_000
"""Characters of a statement that are read. Our choice: queries differ within these."""
MOST_KEPT = 500

_COMMENT = re.compile(r"/\*.{0,4000}?\*/|--[^\n]{0,4000}", re.DOTALL)
_TEXT = re.compile(r"'(?:[^'\\]|''|\\.){0,4000}'?", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w$.?])-?\d[\d.]{0,40}(?:[eE][+-]?\d{1,4})?\b")
_LIST = re.compile(r"\((?:\s?\?\s?,){1,2000}\s?\?\s?\)")
_ROWS = re.compile(r"\(\?\)(?:\s?,\s?\(\?\)){1,2000}")


def without_values(statement: str) -> str:
    """The statement on one line, with literals replaced by `?` and lists of literals by a single one."""
    plain = _COMMENT.sub(" ", statement[:MOST_STATEMENT])
    plain = _NUMBER.sub("?", _TEXT.sub("?", plain))
    plain = _ROWS.sub("(?)", _LIST.sub("(?)", " ".join(plain.split())))
    return plain.rstrip("; ")[:MOST_KEPT]


def kind_of(statement: str) -> str | None:
    """The first word in upper case, `SELECT`; None when the statement does not begin with a word."""
    found = re.match(r"\W{0,20}([A-Za-z]{2,20})\b", statement)
    return found[1].upper() if found else None
