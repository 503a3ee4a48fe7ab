"""What a function of a job's source asks by JDBC: the part of the record that is the key, and types."""

from __future__ import annotations

import re
from collections.abc import Iterator

TYPES = {
    "Int": "Integer",
    "Long": "Long",
    "String": "String",
    "Double": "Double",
    "Float": "Float",
    "Short": "Short",
    "Boolean": "Boolean",
    "BigDecimal": "java.math.BigDecimal",
}
"""End of a method of java.sql.PreparedStatement or ResultSet -> type of its value. Source: the JDK's documentation."""
_OF = "|".join(TYPES)
_KEY = re.compile(
    rf"\.set({_OF})\(\s?1\s?,\s?([A-Za-z_]\w{{0,60}})\.([A-Za-z_]\w{{0,80}}(?:\(\))?)\s?\)(?![\s\S]{{0,2000}}\.set(?:{_OF})\()"
)
"""The only parameter of the statement, taken from a record."""
_READ = re.compile(rf"\b([A-Za-z_]\w{{0,60}})\.get({_OF})\(")
_RESULT = re.compile(r"\bResultSet\s{1,20}([A-Za-z_]\w{0,60})\b")


def asked(body: str) -> Iterator[tuple[str, str]]:
    """Kind and name of what the class with this text asks: `look-up-key`, `look-up-key-type`, `look-up-answer-type`.

    Each only where the text leaves no choice: one parameter of the statement, and one value of each row.
    """
    key = _KEY.search(body)
    if key:
        yield "look-up-key", key.group(3)
        yield "look-up-key-type", TYPES[key.group(1)]
    result = _RESULT.search(body)
    if result:
        read = {each.group(2) for each in _READ.finditer(body) if each.group(1) == result.group(1)}
        if len(read) == 1:
            yield "look-up-answer-type", TYPES[read.pop()]
