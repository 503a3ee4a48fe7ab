"""The log records that the aggregators read, as a selection for formats."""

from __future__ import annotations

from diagnostics.aggregators import BY_TABLE
from diagnostics.log_scan.selection import RecordSelection
from diagnostics.notation.log_event import catalogue

_QUESTIONS = BY_TABLE["log_record"]

LOG_SELECTION = RecordSelection(
    events=frozenset(event.id for event in catalogue() if any(each.asks_for(event.id) for each in _QUESTIONS)),
    texts=frozenset(text for each in _QUESTIONS for text in each.texts),
)
"""The combined selections of all aggregators of `log_record`."""
