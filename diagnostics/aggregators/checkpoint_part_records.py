"""What processes log at level DEBUG of single subtasks' parts in checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import is_any, shortened

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RECORDS = 100_000
"""Records that are kept, those of the latest checkpoints. Our choice: 20 checkpoints of 1,000 subtasks, five each."""

MOST_CHARACTERS = 600
"""Of a message. Our choice: the durations that it states stand before."""

SYNCHRONOUS = ("tm.ckpt.sync.done.v110", "tm.ckpt.sync.done.v112", "tm.ckpt.sync.done")
STARTED = ("tm.ckpt.start", "tm.ckpt.start.v113", "tm.ckpt.async.start")
ASYNCHRONOUS, ACKNOWLEDGED, LATE = "tm.ckpt.async.done", "jm.ckpt.ack", "jm.ckpt.late_ack"
EVENTS = (*SYNCHRONOUS, *STARTED, ASYNCHRONOUS, ACKNOWLEDGED, LATE)

COLUMNS = ("ts_ms", "event", "job_id", "vertex", "subtask", "checkpoint_id", "duration_ms")


def _of_subtasks(records: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    chosen = records.filter(pc.and_(is_any(records["event"], EVENTS), records["checkpoint_id"].is_valid()))
    kept = chosen.select([*COLUMNS, "file_id", "line", "last_line", "pointer"])
    return kept.append_column("message", shortened(chosen["message"], MOST_CHARACTERS))


AGGREGATOR = first_rows_aggregator(
    "checkpoint_part_records",
    "log_record",
    (*COLUMNS, "message"),
    _of_subtasks,
    order=(
        ("checkpoint_id", "descending"),
        ("ts_ms", "ascending"),
        ("file_id", "ascending"),
        ("line", "ascending"),
        ("pointer", "ascending"),
    ),
    most=MOST_RECORDS,
    events=EVENTS,
)
