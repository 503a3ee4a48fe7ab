"""Records that name the state backend which a process loads."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import event_records_aggregator

HEAP_EVENTS = ("state.loader.heap", "state.loader.default")
"""Events whose message names no class: the state is on the heap."""
EVENTS = ("state.loader.rocks", "job.backend.app", *HEAP_EVENTS)
MOST_CHARACTERS = 300
MOST_RECORDS = 200
"""Records kept, the earliest. Our choice: a process loads one backend for each job and start."""

AGGREGATOR = event_records_aggregator(
    "loaded_backends", ("ts_ms", "event"), events=EVENTS, characters=MOST_CHARACTERS, most=MOST_RECORDS
)
