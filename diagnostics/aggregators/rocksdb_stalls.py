"""The warnings of RocksDB that it stopped or slowed writes down, with what it waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import is_any, shortened

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RECORDS = 50_000
"""Warnings that are kept, the earliest. Our choice."""

MOST_CHARACTERS = 300
"""Of a message. Our choice: what a citation shows."""

EVENTS: Mapping[str, str] = {
    "rocks.stall.stop.memtable": "memtables that wait for their flush",
    "rocks.stall.slow.memtable": "memtables that wait for their flush",
    "rocks.stall.stop.l0": "files of level 0 that wait for compaction",
    "rocks.stall.slow.l0": "files of level 0 that wait for compaction",
    "rocks.stall.stop.pending": "bytes that wait for compaction",
    "rocks.stall.slow.pending": "bytes that wait for compaction",
}
"""Warning of RocksDB -> what it waits for."""


def _stalls(records: pa.Table) -> pa.Table:
    chosen = records.filter(is_any(records["event"], tuple(EVENTS)))
    kept = chosen.select(["ts_ms", "event", "job_id", "subtask", "file_id", "line", "last_line", "pointer"])
    return kept.append_column("message", shortened(chosen["message"], MOST_CHARACTERS))


AGGREGATOR = first_rows_aggregator(
    "rocksdb_stalls",
    "log_record",
    ("ts_ms", "event", "job_id", "subtask", "message"),
    _stalls,
    order=(("ts_ms", "ascending"), ("file_id", "ascending"), ("line", "ascending"), ("pointer", "ascending")),
    most=MOST_RECORDS,
    events=tuple(EVENTS),
)
