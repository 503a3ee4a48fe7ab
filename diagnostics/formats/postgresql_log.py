"""PostgreSQL's server log: queries logged by `log_min_duration_statement` or `log_duration`.

Other records (connections, checkpoints of the database, errors) are recognised and not kept. Times in UTC or GMT are
exact; other zones are read as UTC with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.rest_document import text
from diagnostics.notation.sql_statement import MOST_STATEMENT, kind_of, without_values
from diagnostics.notation.tally import Tally, in_batches
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 8_000
MOST_QUERIES = 300_000
"""Queries kept of one file. Our choice: half an hour at 150 per second."""
MOST_ZONES = 3

_MOMENT = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?) ([A-Z][A-Z0-9]{1,5}|[+-]\d\d(?::?\d\d)?)"
_RECORD = re.compile(
    rf"^{_MOMENT}\b[^\n]{{0,400}}?\s(LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DETAIL|HINT|STATEMENT"
    r"|CONTEXT|QUERY|LOCATION|DEBUG\d?):\s{1,4}(.*)$"
)
_DURATION = re.compile(
    r"duration: (\d{1,12}\.\d{1,6}) ms(?:\s{1,4}(statement|execute|parse|bind|fastpath)\b[^:]{0,200}: (.*))?"
)
_LAYOUT = re.compile(rf"(?m)^{_MOMENT}\b[^\n]{{0,400}}?\s(?:LOG|ERROR|FATAL|DETAIL|STATEMENT):\s")
_OWN = re.compile(
    r"duration: \d{1,12}\.\d{1,6} ms|database system is ready|connection (?:received|authorized)"
    r"|checkpoint (?:starting|complete)|starting PostgreSQL|automatic (?:vacuum|analyze) of table"
)
_UNIVERSAL = ("UTC", "GMT", "Z")


@dataclass(slots=True)
class _Query:
    """A query whose statement may continue in the next lines."""

    ts_ms: int | None
    duration_ms: float
    statement: str | None
    line: int
    last_line: int

    def row(self) -> dict[str, Any]:
        told = self.statement.strip() if self.statement else None
        return {
            "ts_ms": self.ts_ms,
            "system": "PostgreSQL",
            "kind": kind_of(told) if told else None,
            "statement": text(without_values(told)) if told else None,
            "duration_ms": self.duration_ms,
            "line": self.line,
            "last_line": self.last_line,
        }


def _recognise(head: Head) -> float:
    if "LOG:  " not in head.text:
        return 0.0
    lines = head.text.count("\n") + 1
    fitting = len(_LAYOUT.findall(head.text))
    return 0.9 if fitting and fitting >= min(3, lines - 1) and _OWN.search(head.text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tally, zones = Tally(), set[str]()
    yield from in_batches("slow_query", _rows(part, tally, zones), tally, most=MOST_QUERIES)
    if zones:
        named = ", ".join(sorted(zones))
        yield Coverage(warnings=(say("times in {named} are taken as UTC: that name has no offset here", named=named),))


def _rows(part: Range, tally: Tally, zones: set[str]) -> Iterator[dict[str, Any]]:
    """Rows of the queries; zones that are read as UTC are added to `zones`."""
    query: _Query | None = None
    for at, line in numbered_lines(part, MOST_LINE):
        record = _RECORD.match(line)
        if record:
            if query:
                yield query.row()
            tally.records += 1
            ts_ms = _moment(record[1], record[2], zones)
            tally.take_time(ts_ms)
            duration = _DURATION.match(record[4]) if record[3] == "LOG" else None
            query = None
            # The durations of parsing and binding count towards the execution that follows.
            if duration and duration[2] not in ("parse", "bind"):
                query = _Query(ts_ms, float(duration[1]), duration[3], at, at)
        elif line.startswith("\t"):
            if query and query.statement and len(query.statement) < MOST_STATEMENT:
                query.statement += f" {line.strip()}"
                query.last_line = at
        elif line:
            tally.odd(at, line)
    if query:
        yield query.row()


def _moment(printed: str, zone: str, zones: set[str]) -> int | None:
    offset = zone if zone[0] in "+-" else ""
    if not offset and zone not in _UNIVERSAL and len(zones) < MOST_ZONES:
        zones.add(zone)
    return header_time(f"{printed}{offset}")


FORMAT = Format(
    id="postgresql-log",
    title=to_say("Slow queries of PostgreSQL (server log)"),
    documentation="https://www.postgresql.org/docs/current/runtime-config-logging.html",
    tables=("slow_query",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="logs/postgresql-15-main.log",
            text="2026-11-21 01:17:22.428 UTC [11976] LOG:  duration: 31.933 ms  execute S_1: "
            "SELECT region, tier FROM customer_dim($1)\n"
            "2026-11-21 01:17:22.428 UTC [11976] DETAIL:  parameters: $1 = '3695'\n"
            "2026-11-21 01:17:22.500 UTC [11977] flink@shop LOG:  duration: 1208.500 ms  statement: update orders\n"
            "\tset state = 'PAID' where id in (7, 8, 9)\n"
            "2026-11-21 01:17:23.000 UTC [11980] LOG:  checkpoint starting: time\n",
            rows={
                "slow_query": [
                    {
                        "ts_ms": 1795223842428,
                        "system": "PostgreSQL",
                        "kind": "SELECT",
                        "statement": "SELECT region, tier FROM customer_dim($1)",
                        "duration_ms": 31.933,
                        "line": 1,
                        "last_line": 1,
                    },
                    {
                        "kind": "UPDATE",
                        "statement": "update orders set state = ? where id in (?)",
                        "duration_ms": 1208.5,
                        "line": 3,
                        "last_line": 4,
                    },
                ]
            },
        ),
    ),
)
