"""The slow query log of MySQL and MariaDB: `# Query_time` with its statement, in all the layouts since 5.1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.host_row import Span
from diagnostics.notation.rest_document import text
from diagnostics.notation.sql_statement import MOST_STATEMENT, kind_of, without_values

MOST_LINE = 8_000
MOST_QUERIES = 300_000
ROWS_AT_ONCE = 5_000

_TIMES = re.compile(r"# Query_time: (\d{1,9}(?:\.\d{1,9})?)\s{1,4}Lock_time: (\d{1,9}(?:\.\d{1,9})?)")
_ROWS = re.compile(r"\bRows_(sent|examined): (\d{1,18})\b")
_MOMENT = re.compile(r"# Time: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}(?:Z|[+-]\d\d:\d\d))\s*$")
_TIMESTAMP = re.compile(r"SET timestamp=(\d{9,11})(?:\.\d{1,6})?;\s*$", re.IGNORECASE)
_STARTS = ("# Time:", "# User@Host:")


@dataclass(slots=True)
class _Query:
    """A query between its head lines and the end of its statement."""

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


@dataclass(slots=True)
class _Reading:
    """The query that is being read, and the time above it."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    query: _Query | None = None
    stated_ms: int | None = None
    odd: int = 0
    kept: int = 0
    span: Span = field(default_factory=Span)

    def take(self, line: str, at: int) -> None:
        times, moment, stamp = _TIMES.match(line), _MOMENT.match(line), _TIMESTAMP.match(line)
        if times:
            self.close()
            numbers = {"duration_ms": _milliseconds(times[1]), "lock_ms": _milliseconds(times[2])}
            counts = {f"rows_{found[1]}": int(found[2]) for found in _ROWS.finditer(line)}
            self.query = _Query(at, at, self.stated_ms, numbers | counts)
        elif line.startswith(_STARTS):
            self.close()
            self.stated_ms = header_time(moment[1]) if moment else self.stated_ms
        elif self.query is None:
            self.odd += (
                bool(line) and not line.startswith(("#", "Tcp port:", "Time ", "use ")) and "started with" not in line
            )
        elif stamp:
            self.query.ts_ms = self.query.ts_ms or int(stamp[1]) * 1000
        elif not line.startswith(("#", "use ")) and len(self.query.statement) < MOST_STATEMENT:
            self.query.statement += f" {line}"
            self.query.last_line = at

    def close(self) -> None:
        if self.query is not None:
            self.span.take(self.query.ts_ms)
            self.rows.append(self.query.row())
            self.kept += 1
            self.query, self.stated_ms = None, None


def _milliseconds(seconds: str) -> float:
    return round(float(seconds) * 1000, 3)


def _recognise(head: Head) -> float:
    told = f"\n{head.text}"
    return 0.95 if "\n# User@Host: " in told and "\n# Query_time: " in told else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    reading = _Reading()
    with open_range(part) as opened:
        for at, raw in enumerate(opened, 1):
            reading.take(raw[:MOST_LINE].decode("utf-8", "replace").rstrip("\r\n"), at)
            if len(reading.rows) >= ROWS_AT_ONCE:
                yield Rows("slow_query", reading.rows)
                reading.rows = []
            if reading.kept >= MOST_QUERIES:
                break
    reading.close()
    yield Rows("slow_query", reading.rows)
    yield Coverage(
        records=reading.kept,
        not_understood=reading.odd,
        warnings=(f"only the first {reading.kept:,} queries are kept",) if reading.kept >= MOST_QUERIES else (),
        first_ts_ms=reading.span.first_ms,
        last_ts_ms=reading.span.last_ms,
    )


FORMAT = Format(
    id="mysql-slow-log",
    title="Slow queries of MySQL or MariaDB (slow query log)",
    documentation="https://dev.mysql.com/doc/refman/8.4/en/slow-query-log.html",
    tables=("slow_query",),
    recognise=_recognise,
    read=_read,
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
