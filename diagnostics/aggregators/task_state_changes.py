"""Times at which subtasks began to initialise and to run, from logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import is_any, shortened

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CHANGES = 100_000
"""State changes kept, the earliest. Our choice: a job of 5,000 subtasks, five attempts."""

STATE_EVENTS = ("task.state",)

MOST_CHARACTERS = 300
"""Characters kept of a message. Our choice: what a citation shows."""


def _starting(records: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    reached = pc.and_(
        is_any(records["event"], ("task.state",)), is_any(records["state_to"], ("INITIALIZING", "RUNNING"))
    )
    known = pc.and_(records["subtask"].is_valid(), records["ts_ms"].is_valid())
    changes = records.filter(pc.and_(reached, known))
    chosen = changes.select(["ts_ms", "job_id", "vertex", "subtask", "state_to", "file_id", "line", "last_line"])
    return chosen.append_column("text", shortened(changes["message"], MOST_CHARACTERS))


AGGREGATOR = first_rows_aggregator(
    "task_state_changes",
    "log_record",
    ("event", "state_to", "subtask", "ts_ms", "job_id", "vertex", "message"),
    _starting,
    order=(("ts_ms", "ascending"), ("file_id", "ascending"), ("line", "ascending")),
    most=MOST_CHANGES,
    events=STATE_EVENTS,
)
