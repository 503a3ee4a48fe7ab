"""Totals of the input events: number of events and keys, first and last arrival, most frequent keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.aggregators import event_keys, event_span
from diagnostics.evidence import Evidence

MOST_FREQUENT = 10
"""Number of keys that are listed. Our choice."""


@dataclass(frozen=True, slots=True)
class EventTotals:
    """Totals of the input events of an analysis.

    keyed, keys            events with a key, and distinct keys
    timed, timed_keys      events with event time and arrival time, and distinct keys among them
    from_ms, to_ms         first and last arrival of an event with both times, epoch ms
    frequent               (key, number of events), the most frequent first
    """

    keyed: int = 0
    keys: int = 0
    timed: int = 0
    timed_keys: int = 0
    from_ms: int | None = None
    to_ms: int | None = None
    frequent: Sequence[tuple[str, int]] = ()


def event_totals(evidence: Evidence) -> EventTotals:
    """The totals of the input events.

    Reads   event.
    """
    span, keys = evidence.answer(event_span.AGGREGATOR), evidence.answer(event_keys.AGGREGATOR)
    return EventTotals(
        keyed=span.keyed,
        keys=keys.keys,
        timed=span.timed,
        timed_keys=keys.timed_keys,
        from_ms=span.from_ms,
        to_ms=span.to_ms,
        frequent=keys.most_frequent(MOST_FREQUENT),
    )
