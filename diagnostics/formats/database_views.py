"""Views of a database that list its statements: `pg_stat_activity`, `pg_stat_statements`, `SHOW PROCESSLIST`.

As psql or mysql print them (also one column per line) and as CSV. Only sessions of clients are kept, without the one
that asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.printed_table import PrintedRow, cells_of, printed_rows
from diagnostics.notation.rest_document import text
from diagnostics.notation.sql_statement import kind_of, without_values
from diagnostics.notation.tally import Tally, row_reader

MOST_STATEMENTS = 100_000

ACTIVITY = frozenset(("state", "query"))
SUMS = frozenset(("calls", "query"))
PROCESSES = frozenset(("command", "time", "state", "info"))
VIEWS = (ACTIVITY, SUMS, PROCESSES)
"""Columns of each view. Source: PostgreSQL documentation, pg_stat_activity and pg_stat_statements; MySQL
Reference Manual, SHOW PROCESSLIST."""
OWN = ("wait_event", "pid", "backend_type", "query_start", "mean_exec_time", "mean_time", "total_exec_time", "user")
"""Columns of these views, at least one of them required: other tables have a state and a query too."""
ITSELF = ("pg_stat_activity", "pg_stat_statements", "show full processlist", "show processlist", "information_schema")

_INTERVAL = re.compile(r"(?:(\d{1,6}) days? )?(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,6})?)$")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?$")
_BACKGROUND = ("Daemon", "Binlog Dump", "Binlog Dump GTID")
_COUNT = re.compile(r"\(\d{1,9} rows?\)$|\d{1,9} rows? in set|Expanded display is")
_FIELD = re.compile(r"(?m)^\s{0,60}([A-Za-z_]{2,40})\s{0,60}[|:]")


def _recognise(head: Head) -> float:
    if head.starts_as_json:
        return 0.0
    found = [{each.lower() for each in cells_of(line.strip())} for line in head.text.splitlines()[:200]]
    if "-[ RECORD 1 ]" in head.text or " 1. row *" in head.text:
        found.append({each.lower() for each in _FIELD.findall(head.text[:8_000])})
    return 0.9 if any(_is_view(names) for names in found) else 0.0


def _is_view(names: set[str]) -> bool:
    return any(view <= names for view in VIEWS) and not names.isdisjoint(OWN)


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    ts_ms: int | None = None
    for printed in printed_rows(part, VIEWS):
        if not isinstance(printed, PrintedRow):
            at, line = printed
            moment = header_time(line)
            ts_ms = moment if moment is not None else ts_ms
            tally.take_time(moment)
            if moment is None and not _COUNT.match(line):
                tally.odd(at, line)
        elif (statement := _statement(printed.values)) is not None:
            tally.records += 1
            yield statement | {"ts_ms": ts_ms, "look": printed.table, "line": printed.line, "last_line": printed.line}


def _statement(row: Mapping[str, str]) -> dict[str, Any] | None:
    """One row of the table; None for background processes, and for the session that asks."""
    is_mysql = row.keys() >= PROCESSES
    said = row.get("info" if is_mysql else "query", "")
    if not is_mysql and not (row.keys() >= ACTIVITY or row.keys() >= SUMS):
        return None
    said = "" if said in ("NULL", "\\N") else said
    if any(each in said.lower() for each in ITSELF) or row.get("backend_type", "client backend") != "client backend":
        return None
    if is_mysql and row["command"] in _BACKGROUND:
        return None
    what = _session_of_mysql(row) if is_mysql else _summed(row) if "calls" in row else _session_of_postgresql(row)
    return {"kind": kind_of(said), "statement": text(without_values(said)) or None, **what} if what else None


def _session_of_postgresql(row: Mapping[str, str]) -> dict[str, Any] | None:
    state = row["state"]
    if not state:
        return None
    waits = ": ".join(each for each in (row.get("wait_event_type", ""), row.get("wait_event", "")) if each)
    intervals = [found for name, value in row.items() if name != "query" and (found := _INTERVAL.match(value))]
    return {
        "system": "PostgreSQL",
        "state": "active" if state == "active" else "idle",
        "waits_for": text(waits) or None,
        "duration_ms": _milliseconds(intervals[0]) if intervals and state == "active" else None,
    }


def _milliseconds(interval: re.Match[str]) -> float:
    days, hours, minutes, seconds = (float(each or 0) for each in interval.groups())
    return round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000, 3)


def _summed(row: Mapping[str, str]) -> dict[str, Any] | None:
    mean = row.get("mean_exec_time") or row.get("mean_time") or ""
    total = row.get("total_exec_time") or row.get("total_time") or ""
    calls = int(row["calls"]) if row["calls"].isdecimal() and len(row["calls"]) < 16 else 0
    known = _NUMBER.match(mean) or _NUMBER.match(total)
    if not calls or not known:
        return None
    value = float(mean) if _NUMBER.match(mean) else float(total) / calls
    return {"system": "PostgreSQL", "state": "summed", "duration_ms": round(value, 3), "calls": calls}


def _session_of_mysql(row: Mapping[str, str]) -> dict[str, Any]:
    is_active = row["command"] not in ("Sleep", "")
    state = "" if row["state"] in ("NULL", "\\N") else row["state"]
    seconds = row["time"] if _NUMBER.match(row["time"]) else ""
    return {
        "system": "MySQL",
        "state": "active" if is_active else "idle",
        "waits_for": (text(state) or None) if is_active else None,
        "duration_ms": float(seconds) * 1000 if is_active and seconds else None,
    }


FORMAT = Format(
    id="database-statements",
    title=to_say("Statements of a database (pg_stat_activity, pg_stat_statements, SHOW PROCESSLIST)"),
    documentation="https://www.postgresql.org/docs/current/monitoring-stats.html",
    tables=("database_statement",),
    recognise=_recognise,
    read=row_reader("database_statement", _rows, most=MOST_STATEMENTS),
    samples=(
        Sample(
            name="host/pg_stat_activity.txt",
            text="  pid  | state  | wait_event_type | wait_event |     running     |                   query\n"
            "-------+--------+-----------------+------------+-----------------+--------------------------------\n"
            " 11977 | active | Timeout         | PgSleep    | 00:00:00.014532 | SELECT tier FROM dim_of(7)\n"
            " 11978 | active | Lock            | tuple      | 1 day 00:00:02  | UPDATE totals SET n = 5 WHERE id = 3\n"
            " 11979 | idle   | Client          | ClientRead | 00:10:00        | COMMIT\n"
            " 19568 | active |                 |            | 00:00:00        | select * from pg_stat_activity\n"
            "(4 rows)\n",
            rows={
                "database_statement": [
                    {
                        "system": "PostgreSQL",
                        "state": "active",
                        "waits_for": "Timeout: PgSleep",
                        "kind": "SELECT",
                        "statement": "SELECT tier FROM dim_of(?)",
                        "duration_ms": 14.532,
                        "look": 1,
                        "line": 3,
                    },
                    {"waits_for": "Lock: tuple", "kind": "UPDATE", "duration_ms": 86402000.0, "line": 4},
                    {"state": "idle", "duration_ms": None, "line": 5},
                ]
            },
        ),
        Sample(
            name="pg_stat_statements.csv",
            text="calls,mean_exec_time,rows,query\n"
            '120034,31.25,120034,"SELECT name, tier FROM customer WHERE id = $1"\n'
            '5,0.5,5,"BEGIN"\n',
            rows={
                "database_statement": [
                    {"state": "summed", "calls": 120034, "duration_ms": 31.25, "kind": "SELECT", "line": 2},
                    {"calls": 5, "statement": "BEGIN", "line": 3},
                ]
            },
        ),
        Sample(
            name="processlist.txt",
            text="+----+-------+---------------+------+---------+------+---------------------+---------------------+\n"
            "| Id | User  | Host          | db   | Command | Time | State               | Info                |\n"
            "+----+-------+---------------+------+---------+------+---------------------+---------------------+\n"
            "| 12 | flink | 10.0.0.5:4711 | shop | Query   |   31 | Waiting for table metadata lock "
            "| INSERT INTO t VALUES (1, 'a') |\n"
            "| 13 | flink | 10.0.0.5:4712 | shop | Sleep   |  600 |                     | NULL                |\n"
            "| 14 | root  | localhost     | NULL | Query   |    0 | init                | SHOW PROCESSLIST    |\n"
            "+----+-------+---------------+------+---------+------+---------------------+---------------------+\n",
            rows={
                "database_statement": [
                    {
                        "system": "MySQL",
                        "state": "active",
                        "waits_for": "Waiting for table metadata lock",
                        "kind": "INSERT",
                        "statement": "INSERT INTO t VALUES (?)",
                        "duration_ms": 31000.0,
                    },
                    {"state": "idle", "statement": None, "line": 5},
                ]
            },
        ),
        Sample(
            name="activity-expanded.txt",
            text="2026-11-21T01:00:00Z\n"
            "-[ RECORD 1 ]---+----------------------------------------\n"
            "pid             | 11977\n"
            "state           | active\n"
            "wait_event_type | IO\n"
            "wait_event      | DataFileRead\n"
            "running         | 00:00:03.5\n"
            "query           | SELECT * FROM orders WHERE buyer = 'x'\n",
            rows={
                "database_statement": [
                    {
                        "ts_ms": 1795222800000,
                        "waits_for": "IO: DataFileRead",
                        "duration_ms": 3500.0,
                        "statement": "SELECT * FROM orders WHERE buyer = ?",
                        "line": 2,
                    },
                ]
            },
        ),
    ),
)
