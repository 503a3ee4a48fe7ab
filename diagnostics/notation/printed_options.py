"""The settings that an exception prints: the options of its table, and lists of options of the cluster.

Table options are:                The following properties are requested:

'connector'='kafka'               connector.type=kafka
'topic'='orders'                  format.type=json
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from diagnostics.notation.secret_option import masked

MOST_OPTIONS = 200
"""Options read of one exception. Our choice: the longest tables have some forty."""
MOST_CHARACTERS = 16_000
TABLE_OPTIONS = "Table options are:"
REQUESTED = "The following properties are requested:"
MARKS = (TABLE_OPTIONS, REQUESTED)
"""What Flink's FactoryUtil, and up to 1.13 its TableFactoryService, print before the options of a table."""

_QUOTED = re.compile(r"\s*'([A-Za-z][\w.#-]{0,120})'\s?=\s?'((?:[^'\n]|''){0,400})'")
_PLAIN = re.compile(r"\s*([a-z][\w.-]{0,120})=([^\n]{0,400})(?:\n|$)")
_AREAS = (
    "akka|classloader|cluster|env|execution|fs|heartbeat|high-availability|jobmanager|kubernetes|parallelism|pekko"
    "|pipeline|rest|restart-strategy|s3|slot|state|table|taskmanager|yarn"
)
"""First parts of the keys of Flink's options."""
_OF_CLUSTER = re.compile(
    rf"(?m)^[ \t]{{0,8}}-?[ \t]{{0,4}}((?:{_AREAS})(?:\.[a-z][\w-]{{0,60}}){{1,8}})[ \t]{{0,8}}[:=][ \t]{{1,4}}"
    r"([^\s{}()\[\]][^\n]{0,300})$"
)


def options_of_text(text: str) -> Iterator[dict[str, Any]]:
    """Rows of `config_option` (scope `table` or `cluster`, key, value, line) of the options that a text lists."""
    for scope, key, value, place in islice(_options(text[:MOST_CHARACTERS]), MOST_OPTIONS):
        line = text.count("\n", 0, place) + 1
        yield {"scope": scope, "key": key, "value": masked(key, value), "line": line, "last_line": line}


def _options(text: str) -> Iterator[tuple[str, str, str, int]]:
    for mark, pattern in ((TABLE_OPTIONS, _QUOTED), (REQUESTED, _PLAIN)):
        begin = text.find(mark)
        place = begin + len(mark)
        while begin >= 0 and (option := pattern.match(text, place)):
            yield "table", option[1], option[2].strip().replace("''", "'"), option.start(1)
            place = option.end()
    listed = list(islice(_OF_CLUSTER.finditer(text), MOST_OPTIONS))
    if len(listed) >= LEAST_LISTED:
        yield from (("cluster", each[1], each[2].strip(), each.start(1)) for each in listed)


LEAST_LISTED = 2
"""Lines with an option of the cluster that are a list. Our choice: one alone may be an example in a message."""
