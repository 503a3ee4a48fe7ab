"""The first event of a key, and those with the lowest and the highest lag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.reconstruction.events.places import first_events, lag_extremes
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence


def evidence() -> Evidence:
    """Three events of device a in two files, one of device b, one without a device."""
    rows = [
        {"key": "a", "file_id": 1, "line": 1, "arrival_ms": START, "event_ms": START - 300},
        {"key": "a", "file_id": 0, "line": 9, "arrival_ms": START, "event_ms": START - 900},
        {"key": "a", "file_id": 0, "line": 8, "arrival_ms": START},
        {"key": "b", "file_id": 2, "line": 4, "arrival_ms": START, "event_ms": START + 50},
        {"file_id": 0, "line": 1, "arrival_ms": START, "event_ms": START},
    ]
    return hand_made(event=rows)


def test_events_stand_in_the_order_of_their_files_and_lines() -> None:
    first = first_events(evidence(), ["a"])["a"]
    assert (first.file_id, first.line) == (0, 8)


def test_lowest_and_highest_lag_are_reported_for_keys_with_both_times() -> None:
    told = lag_extremes(evidence(), ["a", "b"])
    lags = {key: (first.lag_ms, last.lag_ms) for key, (first, last) in told.items()}
    assert lags == {"a": (300, 900), "b": (-50, -50)}


def test_without_keys_there_is_nothing_to_find() -> None:
    assert first_events(evidence(), []) == lag_extremes(evidence(), []) == {}
