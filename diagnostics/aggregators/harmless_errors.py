"""The errors in the logs that are harmless by themselves, counted by the entry of the catalogue that names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import contains_any, is_any, is_true
from diagnostics.vocabulary.harmless_errors import harmless_errors

if TYPE_CHECKING:
    import pyarrow as pa

FATAL_TEXTS = (
    "Fatal error",
    "fatal error",
    "FATAL: Thread",
    "Could not start cluster entrypoint",
    "Could not create application program",
    "Could not start the JobMaster",
    "Terminating TaskManagerRunner",
    "Terminating the JVM",
    "terminating the JVM",
    "Shutting down TaskManagerRunner since",
    "TaskManager initialization failed",
    "TaskManagerRunner failed",
)
"""Messages with which Flink's processes end. Source: FatalExitExceptionHandler, ClusterEntrypoint, TaskManagerRunner,
TaskExecutor and ResourceManager of Flink 1.8 to 2.0.
"""
OF_THE_JVM = r"^java\.lang\.\w+Error$"

ERRORS = ("ERROR", "FATAL")

READ = ("level", "logger", "message", "event", "exception_class", "root_cause_class")
"""Columns of a record that say whether it is harmless."""


def is_fatal(records: pa.Table) -> pa.ChunkedArray:
    """Whether a process says with the record that it ends."""
    import pyarrow.compute as pc

    return pc.or_(is_any(records["level"], ("FATAL",)), contains_any(records["message"], FATAL_TEXTS))


def harmless_kinds(records: pa.Table) -> pa.ChunkedArray:
    """The id of the catalogue's entry that each record belongs to; null for a record that is not harmless.

    A fatal error and an Error of the JVM itself never are.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    thrown = pc.coalesce(records["root_cause_class"], records["exception_class"])
    grave = pc.or_(is_fatal(records), pc.fill_null(pc.match_substring_regex(thrown, OF_THE_JVM), False))
    kinds = pa.chunked_array([pa.nulls(records.num_rows, pa.string())])
    for name, entry in harmless_errors().items():
        named = is_any(records["event"], entry.events)
        if entry.loggers:
            named = pc.or_(named, contains_any(records["logger"], entry.loggers))
        if entry.exceptions:
            named = pc.or_(is_true(named), is_true(is_any(thrown, entry.exceptions)))
        kinds = pc.coalesce(kinds, pc.if_else(pc.and_(is_true(named), pc.invert(grave)), name, None))
    return kinds


def _counted(records: pa.Table) -> pa.Table:
    import pyarrow as pa

    errors = records.filter(is_any(records["level"], ERRORS))
    errors = errors.filter(errors["ts_ms"].is_valid())
    kinds = harmless_kinds(errors).cast(pa.string())
    ones = pa.array([1] * errors.num_rows, pa.int64())
    return _merge(pa.table({"kind": kinds, "records": ones}))


def _merge(states: pa.Table) -> pa.Table:
    known = states.filter(states["kind"].is_valid())
    summed = known.group_by("kind", use_threads=False).aggregate([("records", "sum")])
    return summed.rename_columns(["kind", "records"])


def _in_order(state: pa.Table) -> pa.Table:
    return state.sort_by([("records", "descending"), ("kind", "ascending")])


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="harmless_errors",
    table="log_record",
    columns=("ts_ms", *READ),
    reduce=_counted,
    merge=_merge,
    finish=_in_order,
)
"""Gives one row per entry of the catalogue, at most as many as it has: its `kind`, and the `records` at level ERROR or
FATAL that have a time, as the chart of the log volume counts them.
"""
