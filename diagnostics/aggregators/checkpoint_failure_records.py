"""Log records that tell why a checkpoint failed: declines, snapshots that threw, a job that gave up for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import contains_any, is_any, shortened

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RECORDS = 5_000
"""Records that are kept, the earliest. Our choice: 1,000 failed checkpoints of five declining subtasks."""

MOST_CHARACTERS = 600
"""Of a message. Our choice: the execution and the reason that it names stand before."""

EVENTS = (
    "jm.ckpt.decline",
    "jm.ckpt.failed",
    "jm.ckpt.discarding.v110",
    "jm.ckpt.trigger_failed.v114",
    "jm.ckpt.triggering_failed",
    "tm.ckpt.async.failed",
    "tm.ckpt.async.materialize",
    "tm.ckpt.perform_failed",
    "tm.ckpt.snapshot_failed",
)
THRESHOLD = "Exceeded checkpoint tolerable failure threshold"
CAUSES = (
    "Could not perform checkpoint ",
    "Could not complete snapshot ",
    "Could not materialize checkpoint ",
    THRESHOLD,
)
"""Texts of a chain of exceptions that tell of a checkpoint that failed."""

COLUMNS = (
    *("ts_ms", "event", "job_id", "process", "checkpoint_id", "vertex", "subtask", "task_manager", "reason"),
    *("exception_class", "exception_message", "root_cause_class", "root_cause_message", "root_cause_frame"),
    *("user_frame", "thrown_in", "own_frames", "causes"),
)


def _of_failures(records: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    chosen = records.filter(pc.or_(is_any(records["event"], EVENTS), contains_any(records["causes"], CAUSES)))
    kept = chosen.select([*COLUMNS, "file_id", "line", "last_line", "pointer"])
    return kept.append_column("message", shortened(chosen["message"], MOST_CHARACTERS))


AGGREGATOR = first_rows_aggregator(
    "checkpoint_failure_records",
    "log_record",
    (*COLUMNS, "message"),
    _of_failures,
    order=(("ts_ms", "ascending"), ("file_id", "ascending"), ("line", "ascending"), ("pointer", "ascending")),
    most=MOST_RECORDS,
    events=EVENTS,
)
