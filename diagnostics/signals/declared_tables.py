"""Options of tables that contradict each other: a name that two of them share, and a pattern that is none."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.configuration.stated_settings import Stated, stated_options
from diagnostics.signals.signal import Measured, Signal, SignalDefinition

OWN_NAMES = ("server-id", "slot.name", "sink.transactional-id-prefix")
"""Options whose value one table alone may have. Source: Flink CDC's pages of MySQL (server-id) and PostgreSQL
(slot.name), and that of the Kafka sink."""
PATTERNS = ("table-name", "database-name", "schema-name")
"""Options of sources of changes that take a regular expression. Source: Flink CDC's pages of its connectors."""
_GLOB = re.compile(r"(?:^|(?<=[A-Za-z0-9_-])(?<!\\[A-Za-z]))\*")
"""An asterisk behind a plain character or at the beginning: it repeats that character, and is no sign for any."""
_RANGE = re.compile(r"\s*(\d{1,10})\s*(?:-\s*(\d{1,10})\s*)?$")
MOST_TABLES = 100
"""Values of one option that are compared with each other. Our choice."""


def measure(evidence: Evidence) -> Measured:
    """The first name that two tables share, and the first pattern that matches other names than it was meant for.

    Reads   config_option (the options of CREATE TABLE … WITH).
    Gives   one signal of the case where one of them is there.
    Units   none.
    Empty   nothing without tables, and where their options agree.
    """
    by_file: dict[int, list[Stated]] = defaultdict(list)
    for each in reversed(stated_options(evidence)):
        if each.scope == "table":
            by_file[each.citation.file_id].append(each)
    shown: list[Stated] = []
    facts: dict[str, FactValue] = {}
    for stated in by_file.values():
        if "shared_key" not in facts and (pair := next(_shared(stated), None)):
            facts |= {"shared_key": pair[0].key, "shared_value": pair[1].value}
            shown += pair
        if "glob_key" not in facts and (glob := next(_globs(stated), None)):
            facts |= {"glob_key": glob.key, "glob_value": glob.value}
            shown.append(glob)
    if facts:
        yield Signal("declared_tables", Subject(), facts, tuple(each.citation for each in shown))


def _shared(stated: Sequence[Stated]) -> Iterator[tuple[Stated, Stated]]:
    for key in OWN_NAMES:
        named = [each for each in stated if each.key == key and each.value][:MOST_TABLES]
        yield from (pair for pair in combinations(named, 2) if _is_one_name(pair[0], pair[1]))


def _is_one_name(one: Stated, other: Stated) -> bool:
    """Whether two tables use one name; of numbers and ranges of numbers whether they have one in common."""
    if one.citation.line == other.citation.line:
        return False
    first, second = (_numbers(each.value or "") for each in (one, other))
    if one.key == "server-id" and first and second:
        return first[0] <= second[1] and second[0] <= first[1]
    return one.value == other.value


def _numbers(value: str) -> tuple[int, int] | None:
    found = _RANGE.match(value)
    return (int(found[1]), int(found[2] or found[1])) if found else None


def _globs(stated: Sequence[Stated]) -> Iterator[Stated]:
    """Patterns of sources of changes, in a file that declares some."""
    if not any(each.key == "connector" and (each.value or "").endswith("-cdc") for each in stated):
        return
    yield from (each for each in stated if each.key in PATTERNS and _GLOB.search(each.value or ""))


FACTS: Mapping[str, str] = {
    "shared_key": "option whose value two tables share",
    "shared_value": "value that two tables share",
    "glob_key": "option whose value is no pattern for what it was meant to match",
    "glob_value": "value that was written like a pattern of file names",
}

SIGNALS = (SignalDefinition("declared_tables", "case", FACTS, measure),)
