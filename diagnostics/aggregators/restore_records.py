"""What logs tell of restores from checkpoints and savepoints that went on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import is_any, shortened

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RECORDS = 2_000
"""Records that are kept, the earliest. Our choice."""

MOST_CHARACTERS = 600
"""Of a message. Our choice: a path and the words around it."""

EVENTS = (
    "jm.ckpt.restore_from",
    "jm.ckpt.restore_from.v111",
    "jm.ckpt.start_from_savepoint",
    "jm.ckpt.restore_none",
    "jm.savepoint.skip",
    "state.alt.warn",
)


def _of_restores(records: pa.Table) -> pa.Table:
    chosen = records.filter(is_any(records["event"], EVENTS))
    kept = chosen.select(["ts_ms", "event", "job_id", "file_id", "line", "last_line", "pointer"])
    return kept.append_column("text", shortened(chosen["message"], MOST_CHARACTERS))


AGGREGATOR = first_rows_aggregator(
    "restore_records",
    "log_record",
    ("ts_ms", "event", "job_id", "message"),
    _of_restores,
    order=(("ts_ms", "ascending"), ("file_id", "ascending"), ("line", "ascending"), ("pointer", "ascending")),
    most=MOST_RECORDS,
    events=EVENTS,
)
