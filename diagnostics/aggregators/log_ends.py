"""Summary of each log: time of its last record, whether it prints levels, its process, number of records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator

if TYPE_CHECKING:
    import pyarrow as pa


def _by_file(counts: pa.Table) -> pa.Table:
    return _merge(counts.select(["file_id", "last_ms", "level", "process", "records"]))


def _merge(states: pa.Table) -> pa.Table:
    by_file = states.group_by("file_id", use_threads=False).aggregate(
        [("last_ms", "max"), ("level", "max"), ("process", "max"), ("records", "sum")]
    )
    return by_file.rename_columns(["file_id", "last_ms", "level", "process", "records"])


def _in_order(state: pa.Table) -> pa.Table:
    return state.sort_by("file_id")


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="log_ends",
    table="log_count",
    columns=("last_ms", "level", "process", "records"),
    reduce=_by_file,
    merge=_merge,
    finish=_in_order,
)
"""Gives one row per file, a few thousand per case; `level` and `process` are any known value."""
