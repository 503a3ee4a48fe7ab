"""Log records about successful restores from checkpoints and savepoints, and about stops with a savepoint."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import event_records_aggregator

MOST_RECORDS = 2_000
"""Records kept, the earliest. Our choice."""

MOST_CHARACTERS = 600
"""Characters kept of a message. Our choice: a path and the words around it."""

EVENTS = (
    "jm.ckpt.restore_from",
    "jm.ckpt.restore_from.v111",
    "jm.ckpt.start_from_savepoint",
    "jm.ckpt.restore_none",
    "jm.savepoint.skip",
    "jm.savepoint.stored",
    "state.alt.warn",
)

AGGREGATOR = event_records_aggregator(
    "restore_records",
    ("ts_ms", "event", "job_id"),
    events=EVENTS,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
)
