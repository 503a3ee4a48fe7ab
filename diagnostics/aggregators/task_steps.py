"""State changes of tasks in the logs of both JobManager and TaskManager, with the task's attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import is_any

if TYPE_CHECKING:
    import pyarrow as pa

MOST_STEPS = 20_000
"""Steps kept, the earliest. Our choice: a job of a thousand subtasks that restarts twice."""

EVENTS = ("task.state",)
DOWNWARD = ("DEPLOYING",)
UPWARD = ("INITIALIZING", "RUNNING", "FINISHED")
"""States logged first by the JobManager, and states logged first by the TaskManager."""


def _steps(records: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    reached = pc.and_(is_any(records["event"], EVENTS), is_any(records["state_to"], (*DOWNWARD, *UPWARD)))
    known = pc.and_(records["ts_ms"].is_valid(), records["execution"].is_valid())
    steps = records.filter(pc.and_(reached, known)).select(["file_id", "ts_ms", "state_to", "execution"])
    return steps.rename_columns(["file_id", "ts_ms", "state_to", "attempt"])


AGGREGATOR = first_rows_aggregator(
    "task_steps",
    "log_record",
    ("event", "state_to", "ts_ms", "execution"),
    _steps,
    order=(("ts_ms", "ascending"), ("file_id", "ascending"), ("attempt", "ascending"), ("state_to", "ascending")),
    most=MOST_STEPS,
    events=EVENTS,
)
