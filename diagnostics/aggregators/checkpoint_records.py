"""What the JobManager's CheckpointCoordinator logs of checkpoints and of triggers that came to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import is_any, shortened

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RECORDS = 100_000
"""Records that are kept, the latest. Our choice: about 60 MB."""

MOST_CHARACTERS = 400
"""Of a message. Our choice: what a citation shows."""

TRIGGERED = ("jm.ckpt.trigger", "jm.ckpt.trigger.v110")
COMPLETED = ("jm.ckpt.completed", "jm.ckpt.completed.v113")
EXPIRED = ("jm.ckpt.expired",)
DECLINED = ("jm.ckpt.decline",)
FAILED = ("jm.ckpt.failed", "jm.ckpt.discarding.v110", "jm.ckpt.trigger_failed.v114")
LATE = ("jm.ckpt.late_ack",)
NOT_STARTED = (
    "jm.ckpt.preflight_failed",
    "jm.ckpt.trigger_failed.v110",
    "jm.ckpt.trigger_failed.since.v113",
    "jm.ckpt.trigger_failed.because.v114",
    "jm.ckpt.task_not_executed",
    "jm.ckpt.task_not_running",
)
EVENTS = TRIGGERED + COMPLETED + EXPIRED + DECLINED + FAILED + LATE + NOT_STARTED

COLUMNS = ("ts_ms", "event", "job_id", "checkpoint_id", "duration_ms", "size_bytes")


def _of_coordinator(records: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    chosen = records.filter(is_any(records["event"], EVENTS))
    reason = pc.coalesce(chosen["reason"], chosen["exception_message"], chosen["root_cause_message"])
    kept = chosen.select([*COLUMNS, "file_id", "line", "last_line", "pointer"])
    kept = kept.append_column("message", shortened(chosen["message"], MOST_CHARACTERS))
    return kept.append_column("reason", reason)


AGGREGATOR = first_rows_aggregator(
    "checkpoint_records",
    "log_record",
    (*COLUMNS, "message", "reason", "exception_message", "root_cause_message"),
    _of_coordinator,
    order=(("ts_ms", "descending"), ("file_id", "ascending"), ("line", "ascending"), ("pointer", "ascending")),
    most=MOST_RECORDS,
    events=EVENTS,
)
