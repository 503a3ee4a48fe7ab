"""The log records that the aggregators read, as a selection for formats."""

from __future__ import annotations

from functools import cache

from diagnostics.aggregators import BY_TABLE
from diagnostics.log_scan.selection import RecordSelection
from diagnostics.notation.log_event import catalogue


@cache
def log_selection() -> RecordSelection:
    """The combined selections of all aggregators of `log_record`.

    Made at its first use: it takes a quarter of a second, which programs that read no logs do not spend at their start.
    """
    questions = BY_TABLE["log_record"]
    return RecordSelection(
        events=frozenset(event.id for event in catalogue() if any(each.asks_for(event.id) for each in questions)),
        texts=frozenset(text for each in questions for text in each.texts),
    )
