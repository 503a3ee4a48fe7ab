"""Lines without a time of their own: which of them begin something, and which continue the line above."""

from __future__ import annotations

import re
from collections.abc import Iterable

from diagnostics.notation.listed_options import is_listed

_CONTINUES = (
    *(b"\t", b" ", b"at ", b"Caused by:", b"Suppressed:", b"...", b"}", b")", b"At line:", b"+ ", b"'"),
    *(b"Cause: ", b"Query schema: ", b"Sink schema: ", b"Table options are:", b"Missing required options are:"),
    *(b"Unsupported options:", b"Supported options:", b"Available factory identifiers are:"),
    b"Ambiguous factory classes are:",
    *(b"FlinkLogical", b"Logical", b"StreamPhysical", b"BatchPhysical", b"+- ", b":- "),
    b"This exception indicates that",
    *(b"Please check the documentation for the set", b"Missing conversion", b"There is 1 empty subset"),
    *(b"responseBody: ", b"errorLog: ", b'{"error"'),
)
"""Beginnings of continuation lines; PowerShell writes `At line:` and `+ ` between an exception and its frames, and the
quote, the headings and the nodes of a plan are of messages of Flink's planner and of its FactoryUtil. The last ones are
the answers of StarRocks and Elasticsearch (TransactionStreamLoader, ResponseException).
"""

_THROWN = re.compile(
    rb"(?:: |Caused by: |Exception in thread \"[^\"\n]{0,200}\" |(?:[Ee]xception )?[Ss]tack ?[Tt]race: )?"
    rb"(?:[A-Za-z_]\w{0,100}\.){1,20}[\w$]{0,200}(?:Exception|Error): "
)
"""The beginning of a line that names an exception and says something."""
_CAUSE = (b"Caused by: ", b"\tat ", b"    at ", b"  at ", b" at ")
MOST_OF_MESSAGE = 80
"""Lines of an exception's message that are no indented ones. Our choice: the options of a table."""


def first_lines(texts: Iterable[tuple[int, bytes]]) -> list[int]:
    """Of numbered lines those that do not continue another one.

    A message of several lines, such as one with the options of a table, goes on up to its exception's first frame or
    cause.
    """
    heads: list[int] = []
    message: int | None = None
    is_listing = False
    for line, text in texts:
        is_listing = message is not None and is_listed(text.decode("utf-8", "replace"), is_listing)
        if heads and text.startswith(_CONTINUES):
            if message is not None and text.startswith(_CAUSE):
                del heads[message:]
                message = None
        elif text.strip() and not is_listing:
            heads.append(line)
            if _THROWN.match(text):
                message = len(heads)
            elif message is not None and len(heads) - message > MOST_OF_MESSAGE:
                message = None
    return heads
