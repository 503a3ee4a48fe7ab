"""Evidence from rows written by hand: only the columns that matter, the rest is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from diagnostics.evidence import Evidence
from diagnostics.evidence.tables import TABLES
from diagnostics.reading.reduction import reduce_tables
from diagnostics.signals.signal import Measured, NotMeasured, Signal

JOB = "0000000000000000000000000000000a"
SOURCE, MIDDLE, SINK = (f"{number:032x}" for number in (1, 2, 3))
START = 1_795_222_000_000
"""Some moment; times in the rows count from it."""


def hand_made(logs: int | None = None, files: Sequence[str] = (), **tables: Sequence[Mapping[str, Any]]) -> Evidence:
    """Evidence with these rows; every row stands in file 0 at its own line unless it says otherwise.

    logs   how many of the log records are Flink's own; all when nothing is said
    files  names of the inputs
    """
    read = {}
    for name, rows in tables.items():
        whole = [{"file_id": 0, "line": line, "last_line": line, **row} for line, row in enumerate(rows, 1)]
        read[name] = pa.Table.from_pylist(whole, schema=TABLES[name].arrow_schema())
    return Evidence({name: len(rows) for name, rows in tables.items()}, logs, reduce_tables(read), files)


def signals_of_key(measured: Measured, key: str) -> list[Signal]:
    """The signals with that key."""
    return [each for each in measured if isinstance(each, Signal) and each.key == key]


def only(measured: Measured, key: str) -> Signal:
    """The one signal with that key."""
    found = signals_of_key(measured, key)
    assert len(found) == 1, found
    return found[0]


def needs(measured: Iterable[Signal | NotMeasured]) -> dict[str, str]:
    """What could not be measured and which evidence would allow it."""
    return {each.key: each.needs for each in measured if isinstance(each, NotMeasured)}


def ratios(second: int, **by_vertex: tuple[float | None, float]) -> list[dict[str, Any]]:
    """Rows of back_pressure at one second, of two subtasks each: task -> its (busy, back-pressured) ratio."""
    ids = {"source": SOURCE, "middle": MIDDLE, "sink": SINK}
    return [
        {
            "ts_ms": START + second * 1000,
            "job_id": JOB,
            "vertex_id": ids[vertex],
            "subtask": subtask,
            "busy_ratio": busy,
            "back_pressured_ratio": held,
        }
        for vertex, (busy, held) in by_vertex.items()
        for subtask in (0, 1)
    ]


def line_of_jobs() -> dict[str, list[dict[str, Any]]]:
    """A job of three tasks in a row: source, middle, sink; two subtasks each."""
    names = {SOURCE: "Source: orders", MIDDLE: "enrich", SINK: "Sink: documents"}
    return {
        "job": [{"job_id": JOB, "name": "orders", "state": "RUNNING", "start_ms": START, "ts_ms": START + 300_000}],
        "vertex": [
            {"job_id": JOB, "vertex_id": vertex, "name": name, "parallelism": 2} for vertex, name in names.items()
        ],
        "edge": [
            {"job_id": JOB, "source_id": SOURCE, "target_id": MIDDLE, "ship_strategy": "REBALANCE"},
            {"job_id": JOB, "source_id": MIDDLE, "target_id": SINK, "ship_strategy": "HASH"},
        ],
    }
