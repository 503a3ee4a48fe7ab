"""The slow query log of MySQL and MariaDB: `# Query_time` with its statement, in the layouts since 5.1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.rest_document import text
from diagnostics.notation.sql_statement import MOST_STATEMENT, kind_of, without_values
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 8_000
MOST_QUERIES = 300_000

_TIMES = re.compile(r"# Query_time: (\d{1,9}(?:\.\d{1,9})?)\s{1,4}Lock_time: (\d{1,9}(?:\.\d{1,9})?)")
_ROWS = re.compile(r"\bRows_(sent|examined): (\d{1,18})\b")
_MOMENT = re.compile(r"# Time: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}(?:Z|[+-]\d\d:\d\d))\s*$")
_TIMESTAMP = re.compile(r"SET timestamp=(\d{9,11})(?:\.\d{1,6})?;\s*$", re.IGNORECASE)
_STARTS = ("# Time:", "# User@Host:")
_BETWEEN = ("#", "Tcp port:", "Time ", "use ")


@dataclass(slots=True)
class _Query:
    """A query from its header lines to the end of its statement."""

    line: int
    last_line: int
    ts_ms: int | None = None
    numbers: dict[str, float | int] = field(default_factory=dict)
    statement: str = ""

    def row(self) -> dict[str, Any]:
        told = self.statement.strip()
        return {
            "ts_ms": self.ts_ms,
            "system": "MySQL",
            "kind": kind_of(told),
            "statement": text(without_values(told)),
            **self.numbers,
            "line": self.line,
            "last_line": self.last_line,
        }


def _milliseconds(seconds: str) -> float:
    return round(float(seconds) * 1000, 3)


def _recognise(head: Head) -> float:
    told = f"\n{head.text}"
    return 0.95 if "\n# User@Host: " in told and "\n# Query_time: " in told else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    for query in _queries(part, tally):
        tally.records += 1
        tally.take_time(query.ts_ms)
        yield query.row()


def _queries(part: Range, tally: Tally) -> Iterator[_Query]:
    query: _Query | None = None
    stated_ms: int | None = None
    for at, line in numbered_lines(part, MOST_LINE):
        times, moment, stamp = _TIMES.match(line), _MOMENT.match(line), _TIMESTAMP.match(line)
        if query and (times or line.startswith(_STARTS)):
            yield query
            query, stated_ms = None, None
        if times:
            numbers = {"duration_ms": _milliseconds(times[1]), "lock_ms": _milliseconds(times[2])}
            counts = {f"rows_{found[1]}": int(found[2]) for found in _ROWS.finditer(line)}
            query = _Query(at, at, stated_ms, numbers | counts)
        elif line.startswith(_STARTS):
            stated_ms = header_time(moment[1]) if moment else stated_ms
        elif query is None:
            # Such lines are not quoted: a truncated log begins within a statement, and no value of a statement is kept.
            tally.not_understood += bool(line) and not line.startswith(_BETWEEN) and "started with" not in line
        elif stamp:
            query.ts_ms = query.ts_ms or int(stamp[1]) * 1000
        elif not line.startswith(("#", "use ")) and len(query.statement) < MOST_STATEMENT:
            query.statement += f" {line}"
            query.last_line = at
    if query:
        yield query


FORMAT = Format(
    id="mysql-slow-log",
    title=to_say("Slow queries of MySQL or MariaDB (slow query log)"),
    documentation="https://dev.mysql.com/doc/refman/8.4/en/slow-query-log.html",
    tables=("slow_query",),
    recognise=_recognise,
    read=row_reader("slow_query", _rows, most=MOST_QUERIES),
    samples=(
        Sample(
            name="logs/mysql-slow.log",
            text="/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:\n"
            "Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock\n"
            "Time                 Id Command    Argument\n"
            "# Time: 2026-11-21T01:00:00.123456Z\n"
            "# User@Host: flink[flink] @ app [10.0.0.5]  Id:    12\n"
            "# Query_time: 2.012500  Lock_time: 0.000125 Rows_sent: 1  Rows_examined: 1000000\n"
            "use shop;\n"
            "SET timestamp=1795222798;\n"
            "SELECT name, tier\n"
            "FROM customer WHERE mail = 'a@b.example' LIMIT 1;\n"
            "# User@Host: flink[flink] @ app [10.0.0.5]\n"
            "# Thread_id: 8  Schema: shop  QC_hit: No\n"
            "# Query_time: 0.750000  Lock_time: 0.500000  Rows_sent: 0  Rows_examined: 0\n"
            "SET timestamp=1795222801;\n"
            "INSERT INTO totals VALUES (1, 'x'), (2, 'y');\n",
            rows={
                "slow_query": [
                    {
                        "ts_ms": 1795222800123,
                        "system": "MySQL",
                        "kind": "SELECT",
                        "statement": "SELECT name, tier FROM customer WHERE mail = ? LIMIT ?",
                        "duration_ms": 2012.5,
                        "lock_ms": 0.125,
                        "rows_sent": 1,
                        "rows_examined": 1000000,
                        "line": 6,
                        "last_line": 10,
                    },
                    {
                        "ts_ms": 1795222801000,
                        "kind": "INSERT",
                        "statement": "INSERT INTO totals VALUES (?)",
                        "duration_ms": 750.0,
                        "lock_ms": 500.0,
                        "line": 13,
                        "last_line": 15,
                    },
                ]
            },
        ),
    ),
)
