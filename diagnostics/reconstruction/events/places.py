"""Places in the files of single events of a key: the first one, and those with the lowest and highest lag."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.aggregators import event_keys
from diagnostics.evidence import Evidence


@dataclass(frozen=True, slots=True)
class EventPlace:
    """The place of an event in its file, its arrival (epoch ms), and its lag: arrival minus event time (ms)."""

    key: str
    file_id: int
    line: int | None
    last_line: int | None
    pointer: str | None
    arrival_ms: int | None
    lag_ms: int | None


def first_events(evidence: Evidence, keys: Sequence[str]) -> Mapping[str, EventPlace]:
    """Key -> its first event in the order of the files.

    Reads   event.
    """
    return {key: min(events, key=_place) for key, events in _ends(evidence, keys).items()}


def lag_extremes(evidence: Evidence, keys: Sequence[str]) -> Mapping[str, tuple[EventPlace, EventPlace]]:
    """Key -> its events with the lowest and the highest lag; keys without an event with both times are left out.

    Reads   event.
    """
    extremes = {}
    for key, events in _ends(evidence, keys).items():
        timed = sorted(
            (each for each in events if each.lag_ms is not None), key=lambda each: (each.lag_ms, _place(each))
        )
        if timed:
            extremes[key] = timed[0], timed[-1]
    return extremes


def _ends(evidence: Evidence, keys: Sequence[str]) -> Mapping[str, list[EventPlace]]:
    """Key -> the events that the aggregator kept; keys without kept events are missing."""
    by_key: dict[str, list[EventPlace]] = defaultdict(list)
    for row in evidence.answer(event_keys.AGGREGATOR).events_of(keys):
        known = row["arrival_ms"] is not None and row["event_ms"] is not None
        lag_ms = row["arrival_ms"] - row["event_ms"] if known else None
        place = {name: row[name] for name in ("key", "file_id", "line", "last_line", "pointer", "arrival_ms")}
        by_key[row["key"]].append(EventPlace(**place, lag_ms=lag_ms))
    return by_key


def _place(event: EventPlace) -> tuple[float, ...]:
    last = float("inf")
    return tuple(last if each is None else each for each in (event.file_id, event.line, event.arrival_ms))
