"""Tables that a script of SQL declares with their connectors, and those that its look-up joins ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from diagnostics.notation.source_text import Lines

OF_TABLES = ("table", "look-up-table")
"""Kinds of names that are no part of a program."""
MOST = 300
"""Tables of one script that are read. Our choice: as many as tables whose options are read."""
LONGEST = 20_000
"""Characters of a declaration up to its connector. Our choice: some hundred columns and options."""

_DECLARED = re.compile(
    r"\bCREATE\s{1,20}(?:TEMPORARY\s{1,20})?TABLE\s{1,20}(?:IF\s{1,20}NOT\s{1,20}EXISTS\s{1,20})?([\w.`]{1,200})", re.I
)
_CONNECTOR = re.compile(r"'connector(?:\.type)?'\s{0,20}=\s{0,20}'([\w.-]{2,60})'", re.I)
_LOOKED_UP = re.compile(
    r"\bJOIN\s{1,40}([\w.`]{1,200})\s{1,40}(?:AS\s{1,20}\w{1,60}\s{1,20})?FOR\s{1,20}SYSTEM_TIME\b", re.I
)

Named = tuple[str, str, int]
"""Kind, name and line."""


def declared_tables(plain: str) -> Iterator[Named]:
    """The kinds `table` (`orders jdbc`, a table and its connector) and `look-up-table` of a text without comments."""
    lines = Lines(plain)
    found = list(islice(_DECLARED.finditer(plain), MOST))
    for number, table in enumerate(found, 1):
        end = found[number].start() if number < len(found) else len(plain)
        if connector := _CONNECTOR.search(plain, table.end(), min(end, table.end() + LONGEST)):
            yield "table", f"{_last_part(table.group(1))} {connector.group(1).lower()}", lines.at(table.start())
    for joined in islice(_LOOKED_UP.finditer(plain), MOST):
        yield "look-up-table", _last_part(joined.group(1)), lines.at(joined.start())


def _last_part(name: str) -> str:
    """`orders` of `catalog`.db.`orders`."""
    return name.replace("`", "").rpartition(".")[2]
