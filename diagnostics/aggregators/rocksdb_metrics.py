"""RocksDB's metrics of writes and stalls: extremes of each series."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.extremes import extreme_samples
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order, single_samples

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SERIES = 50_000
"""Series kept. Our choice: 500 subtasks with ten column families of seven levels."""

STALLED = "rocksdb.stall_micros"
SLOWED = "rocksdb.actual-delayed-write-rate"
INTERVAL = "rocksdb.log.stall_percent"
STOPPED = "rocksdb.is-write-stopped"
PENDING = "rocksdb.estimate-pending-compaction-bytes"
ERRORS = "rocksdb.background-errors"
FILES = "rocksdb.num-files-at-level"
"""Metrics of writes, stalls, and (before the level) the number of files. Source: Flink documentation, Metrics; the one
with `log.` comes from RocksDB's own log.
"""

SERIES = ("job_id", "operator", "subtask", "metric", "labels")


def _is_asked(metric: str) -> bool:
    return metric in (STALLED, SLOWED, INTERVAL, STOPPED, PENDING, ERRORS) or metric.startswith(FILES)


def _known(samples: pa.Table) -> pa.Table:
    chosen = single_samples(samples, _is_asked)
    return chosen.filter(chosen["value"].is_valid())


_KEEP = partial(extreme_samples, series=SERIES, most=MOST_SERIES)

AGGREGATOR = Aggregator(
    name="rocksdb_metrics",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=lambda rows: _KEEP(_known(rows)),
    merge=_KEEP,
    finish=in_order,
)
