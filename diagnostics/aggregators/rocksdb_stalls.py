"""RocksDB's warnings that it stopped or slowed writes, with the reason."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.aggregators.aggregator import event_records_aggregator

MOST_RECORDS = 50_000
"""Warnings kept, the earliest. Our choice."""

MOST_CHARACTERS = 300
"""Characters kept of a message. Our choice: what a citation shows."""

EVENTS: Mapping[str, str] = {
    "rocks.stall.stop.memtable": "memtables that wait for their flush",
    "rocks.stall.slow.memtable": "memtables that wait for their flush",
    "rocks.stall.stop.l0": "files of level 0 that wait for compaction",
    "rocks.stall.slow.l0": "files of level 0 that wait for compaction",
    "rocks.stall.stop.pending": "bytes that wait for compaction",
    "rocks.stall.slow.pending": "bytes that wait for compaction",
}
"""Warning of RocksDB -> its reason."""

AGGREGATOR = event_records_aggregator(
    "rocksdb_stalls",
    ("ts_ms", "event", "job_id", "subtask"),
    events=tuple(EVENTS),
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
)
