"""Text copied from Flink's web UI: its tables of tasks, subtasks, back pressure and checkpoints, and the counts and the
latest checkpoints of a job.

ID  Status     Acknowledged  Trigger Time         Latest Acknowledgement  End to End Duration  Checkpointed Data Size
57  FAILED     0/4           2026-11-22 10:00:00  n/a                     10m 0s               0 B

Cells are divided by tabs, bars or several blanks. The page prints durations and sizes shortened; times have no zone and
are left out. The job is not known; the file names the task of a table of subtasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.flink_values import DURATION_MS, size_bytes
from diagnostics.notation.rest_document import number, small, whole
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000
MOST_LINES = 2_000
MOST_CELLS = 40

TASKS = frozenset(("name", "records received", "records sent"))
SUBTASKS = frozenset(("id", "records received", "records sent"))
RATIOS = (frozenset(("subtask", "backpressured / idle / busy")), frozenset(("subtask", "ratio", "status")))
CHECKPOINTS = frozenset(("id", "status", "acknowledged", "end to end duration"))
"""Columns that a table of the page has, in lower case. Source: Flink, flink-runtime-web, web-dashboard/src/app/pages:
job/overview/list, job/overview/subtasks, job/overview/backpressure, job/checkpoints."""
RECORDS = {"records received": "numRecordsIn", "records sent": "numRecordsOut"}
BYTES = {"bytes received": "numBytesIn", "bytes sent": "numBytesOut"}
COUNTS = {
    "triggered": "totalNumberOfCheckpoints",
    "in progress": "numberOfInProgressCheckpoints",
    "completed": "numberOfCompletedCheckpoints",
    "failed": "numberOfFailedCheckpoints",
    "restored": "numberOfRestoredCheckpoints",
}
"""Labels of the counts -> metric, as those of REST."""

_CELLS = re.compile(r"\s{0,8}\|\s{0,8}|\t| {2,200}")
_COUNT = re.compile(r"\b(Triggered|In Progress|Completed|Failed|Restored):\s{0,8}(\d{1,9})\b")
_LATEST = re.compile(r"\s{0,20}Latest (?:(Completed|Failed) Checkpoint|Savepoint|Restore)\b")
"""The title of a summary. A savepoint has no status there, and a restored checkpoint is older than the evidence."""
_NUMBER = re.compile(r"\bID:\s{0,8}(\d{1,18})\b")
_DURATION = re.compile(r"\bEnd to End Duration:\s{0,8}(\d[\dhmsd. ]{0,40}[hmsd])")
_SIZE = re.compile(r"\bCheckpointed Data Size:\s{0,8}(\d[\d.,]{0,20}\s?[KMGT]?B)\b")
_CAUSE = re.compile(r"\bCause:\s{0,8}(\S[^\n]{0,500})")
_PART = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s?(ms|h|m|s|d)")
_ACKNOWLEDGED = re.compile(r"(\d{1,9})\s?/\s?(\d{1,9})")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)\s?%")
_LEVEL = re.compile(r"\b(OK|LOW|HIGH)\b", re.I)

Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table of the page: the table's columns, and its cells by their names in lower case."""

    table: str
    line: int
    cells: Mapping[str, str]


def _recognise(head: Head) -> float:
    if not head.complete or head.starts_as_json:
        return 0.0
    lines = [(number, line[:MOST_LINE]) for number, line in enumerate(head.text.splitlines()[:MOST_LINES], 1)]
    has_rows = any(not isinstance(each, tuple) for each in _rows(iter(lines)))
    has_counts = any(len(_COUNT.findall(line)) >= 3 for _, line in lines) or _stacked_counts(lines)
    return 0.7 if has_rows or has_counts else 0.0


def _stacked_counts(lines: Sequence[Line]) -> bool:
    """Whether the counts stand one below the other."""
    return len({found[1] for _, line in lines if (found := _COUNT.match(line.strip()))}) >= 3


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tables: dict[str, list[dict[str, Any]]] = {}
    latest: dict[str, Any] | None = None
    for each in _rows(numbered_lines(part, MOST_LINE)):
        if isinstance(each, _Row):
            for table, row in _READERS[each.table](each, part.name):
                tables.setdefault(table, []).append({**row, "line": each.line, "last_line": each.line})
            continue
        at, line = each
        place = {"line": at, "last_line": at}
        for label, count in _COUNT.findall(line):
            row = {"metric": COUNTS[label.lower()], "scope": "job", "value": float(count)}
            tables.setdefault("metric_sample", []).append({**row, **place})
        if found := _LATEST.match(line):
            latest = {"status": found[1].upper()} if found[1] else None
        if latest is not None:
            latest |= {name: value for name, value in _latest_checkpoint(line).items() if value is not None}
            if "checkpoint_id" in latest and "line" not in latest:
                latest |= place
                tables.setdefault("checkpoint", []).append(latest)
    for table, rows in tables.items():
        yield Rows(table, rows)
    yield Coverage(records=sum(map(len, tables.values())))


def _latest_checkpoint(line: str) -> dict[str, Any]:
    numbered, lasting, size, cause = (each.search(line) for each in (_NUMBER, _DURATION, _SIZE, _CAUSE))
    return {
        "checkpoint_id": int(numbered[1]) if numbered else None,
        "end_to_end_ms": _duration(lasting[1]) if lasting else None,
        "checkpointed_bytes": _bytes(size[1]) if size else None,
        "failure_message": cause[1].strip() if cause and cause[1].strip() != "n/a" else None,
    }


def _rows(lines: Iterator[Line]) -> Iterator[_Row | Line]:
    """The rows of the tables, and the other lines."""
    table, columns = "", list[str]()
    for at, line in lines:
        table = table if line.strip() else ""
        cells = [each.strip() for each in _CELLS.split(line.strip().strip("|"))[:MOST_CELLS]]
        named = _table_of(cells)
        if named:
            table, columns = named, [each.lower() for each in cells]
        elif table and len(cells) in (len(columns), len(columns) - 1) and len(cells) > 1:
            yield _Row(table, at, dict(zip(columns, cells, strict=False)))
        else:
            yield at, line


def _table_of(cells: Sequence[str]) -> str:
    lowered = {each.lower() for each in cells}
    if lowered >= CHECKPOINTS:
        return "checkpoints"
    if any(lowered >= each for each in RATIOS):
        return "ratios"
    return "tasks" if lowered >= TASKS else "subtasks" if lowered >= SUBTASKS else ""


Read = Iterator[tuple[str, dict[str, Any]]]


def _tasks(row: _Row, _file: str) -> Read:
    name = row.cells["name"]
    named = {"vertex_id": name}
    parallelism, status = small(row.cells.get("parallelism")), row.cells.get("status")
    yield "vertex", {**named, "name": name, "parallelism": parallelism, "status": status}
    for label, metric in (RECORDS | BYTES).items():
        if label in row.cells:
            value = _count(row.cells[label]) if label in RECORDS else _bytes(row.cells[label])
            sample = {"metric": metric, "scope": "task", "vertex": name, "aggregate": "sum", "value": value}
            yield "metric_sample", named | sample


def _subtasks(row: _Row, file: str) -> Read:
    attempt = small(row.cells.get("attempt"))
    counts = {label: _count(row.cells.get(label)) for label in RECORDS} | {
        label: _bytes(row.cells.get(label)) for label in BYTES
    }
    counted = {label: whole(value) for label, value in counts.items()}
    if (subtask := small(row.cells["id"])) is not None:
        yield (
            "subtask",
            {
                "vertex_id": f"({file})",
                "subtask": subtask,
                "attempt": attempt - 1 if attempt else None,
                "status": row.cells.get("status"),
                "host": row.cells.get("host") or row.cells.get("endpoint"),
                "duration_ms": _duration(row.cells.get("duration")),
                "read_records": counted["records received"],
                "write_records": counted["records sent"],
                "read_bytes": counted["bytes received"],
                "write_bytes": counted["bytes sent"],
            },
        )


def _ratios(row: _Row, file: str) -> Read:
    if (subtask := small(row.cells["subtask"])) is None:
        return
    told = " ".join(row.cells.values())
    percents = [float(each) / 100 for each in _PERCENT.findall(row.cells.get("backpressured / idle / busy", ""))]
    pressed, idle, busy = percents if len(percents) == 3 else (number(row.cells.get("ratio")), None, None)
    level = _LEVEL.search(told)
    yield (
        "back_pressure",
        {
            "vertex_id": f"({file})",
            "subtask": subtask,
            "level": level[1].lower() if level else None,
            "back_pressured_ratio": pressed,
            "idle_ratio": idle,
            "busy_ratio": busy,
        },
    )


def _checkpoints(row: _Row, _file: str) -> Read:
    acknowledged = _ACKNOWLEDGED.match(row.cells["acknowledged"])
    status, _, kind = row.cells["status"].partition(" ")
    size = row.cells.get("checkpointed data size")
    yield (
        "checkpoint",
        {
            "checkpoint_id": small(row.cells["id"]),
            "status": status.upper(),
            "is_savepoint": "savepoint" in kind.lower(),
            "end_to_end_ms": _duration(row.cells["end to end duration"]),
            "checkpointed_bytes": _bytes(size),
            "state_bytes": _bytes(row.cells.get("full checkpoint data size", size)),
            "num_acknowledged": int(acknowledged[1]) if acknowledged else None,
            "num_subtasks": int(acknowledged[2]) if acknowledged else None,
        },
    )


_READERS = {"tasks": _tasks, "subtasks": _subtasks, "ratios": _ratios, "checkpoints": _checkpoints}


def _count(cell: str | None) -> float | None:
    return number(cell.replace(",", "")) if cell else None


def _bytes(cell: str | None) -> float | None:
    return size_bytes(cell.replace(",", "")) if cell else None


def _duration(cell: str | None) -> int | None:
    """`1h 2m 3s` in milliseconds."""
    parts = _PART.findall(cell or "")
    return whole(float(round(sum(float(count) * DURATION_MS[unit] for count, unit in parts)))) if parts else None


FORMAT = Format(
    id="flink-web-ui",
    title=to_say("Text of Flink's web UI"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/monitoring/checkpoint_monitoring/",
    tables=("vertex", "subtask", "back_pressure", "checkpoint", "metric_sample"),
    recognise=_recognise,
    read=_read,
    certainty=0.7,
    samples=(
        Sample(
            name="tasks.txt",
            text="Name\tStatus\tBytes Received\tRecords Received\tBytes Sent\tRecords Sent\tParallelism\tStart Time\n"
            "Source: orders\tRUNNING\t0 B\t0\t1.50 MB\t91,243\t4\t2026-11-22 10:00:00\n",
            rows={
                "vertex": [
                    {
                        "job_id": None,
                        "vertex_id": "Source: orders",
                        "name": "Source: orders",
                        "parallelism": 4,
                        "status": "RUNNING",
                        "line": 2,
                    }
                ],
                "metric_sample": [
                    {"metric": "numRecordsIn", "vertex": "Source: orders", "aggregate": "sum", "value": 0.0},
                    {"metric": "numRecordsOut", "value": 91243.0},
                    {"metric": "numBytesIn", "value": 0.0},
                    {"metric": "numBytesOut", "value": 1572864.0},
                ],
            },
        ),
        Sample(
            name="subtasks.txt",
            text="ID\tBytes Received\tRecords Received\tBytes Sent\tRecords Sent\tAttempt\tHost\tDuration\tStatus\n"
            "0\t1 KB\t5\t0 B\t0\t2\ttm-1\t1h 2m 3s\tRUNNING\n",
            rows={
                "subtask": [
                    {
                        "vertex_id": "(subtasks.txt)",
                        "subtask": 0,
                        "attempt": 1,
                        "status": "RUNNING",
                        "host": "tm-1",
                        "duration_ms": 3723000,
                        "read_records": 5,
                        "read_bytes": 1024,
                        "write_records": 0,
                    }
                ]
            },
        ),
        Sample(
            name="pressure.txt",
            text="SubTask  Backpressured / Idle / Busy  Backpressure Status\n0  95% / 0% / 5%  HIGH\n",
            rows={
                "back_pressure": [
                    {"subtask": 0, "level": "high", "back_pressured_ratio": 0.95, "idle_ratio": 0.0, "busy_ratio": 0.05}
                ]
            },
        ),
        Sample(
            name="checkpoints.txt",
            text="Checkpoint Counts  Triggered: 57 | In Progress: 0 | Completed: 56 | Failed: 1 | Restored: 0\n"
            "Latest Failed Checkpoint  ID: 57 | Failure Time: 2026-11-22 10:00:00 | Cause: Checkpoint expired before "
            "completing.\n"
            "ID\tStatus\tAcknowledged\tTrigger Time\tLatest Acknowledgement\tEnd to End Duration\t"
            "Checkpointed Data Size\n56\tCOMPLETED\t4/4\t2026-11-22 09:50:00\t2026-11-22 09:51:20\t1m 20s\t1.00 GB\n",
            rows={
                "metric_sample": [
                    {"metric": "totalNumberOfCheckpoints", "scope": "job", "value": 57.0, "line": 1},
                    {"metric": "numberOfInProgressCheckpoints", "value": 0.0},
                    {"metric": "numberOfCompletedCheckpoints", "value": 56.0},
                    {"metric": "numberOfFailedCheckpoints", "value": 1.0},
                    {"metric": "numberOfRestoredCheckpoints", "value": 0.0},
                ],
                "checkpoint": [
                    {
                        "checkpoint_id": 57,
                        "status": "FAILED",
                        "failure_message": "Checkpoint expired before completing.",
                        "line": 2,
                    },
                    {
                        "checkpoint_id": 56,
                        "status": "COMPLETED",
                        "is_savepoint": False,
                        "end_to_end_ms": 80000.0,
                        "checkpointed_bytes": 1073741824.0,
                        "num_acknowledged": 4,
                        "num_subtasks": 4,
                        "line": 4,
                    },
                ],
            },
        ),
    ),
)
