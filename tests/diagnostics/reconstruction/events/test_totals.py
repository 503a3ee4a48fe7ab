"""How many events, keys and arrivals there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from diagnostics.aggregators import event_keys
from diagnostics.reconstruction.events.totals import EventTotals, event_totals
from tests.diagnostics.hand_made import START, hand_made

if TYPE_CHECKING:
    from typing import Any


def events() -> list[dict[str, Any]]:
    """Twelve keys, of which each has one event more than the one before; of the first only the arrival is known."""
    timed = {"event_ms": START}
    return [
        *(
            {"key": f"k-{number:02}", "arrival_ms": START + number, **(timed if number else {})}
            for number in range(12)
            for _ in range(number + 1)
        ),
        {"arrival_ms": START + 50, **timed},
        {"arrival_ms": START + 99},
    ]


EXPECTED = EventTotals(
    keyed=78,  # 1 + 2 + ... + 12
    keys=12,
    timed=78,  # one of a key without both times, one with them without a key
    timed_keys=11,
    from_ms=START + 1,
    to_ms=START + 50,
    frequent=[(f"k-{number:02}", number + 1) for number in range(11, 1, -1)],
)


def test_events_are_counted_with_and_without_key_and_times() -> None:
    assert event_totals(hand_made(event=events())) == EXPECTED


def test_with_too_many_keys_a_sample_estimates_their_number_and_the_most_frequent_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_keys, "MOST_KEYS", 200)
    monkeypatch.setattr(event_keys, "MOST_FREQUENT", 20)
    rows = [{"key": f"user-{number}"} for number in range(3_000)]
    rows += [{"key": f"hot-{number}"} for number in range(10) for _ in range(5 + number)]
    totals = event_totals(hand_made(event=rows))
    assert totals.keys == pytest.approx(3_010, rel=0.25)
    assert totals.frequent == [(f"hot-{number}", 5 + number) for number in range(9, -1, -1)]


def test_keys_with_as_many_events_are_in_order_of_their_names() -> None:
    told = event_totals(hand_made(event=[{"key": key} for key in "bca"]))
    assert told.frequent == [("a", 1), ("b", 1), ("c", 1)]
    assert (told.timed, told.from_ms, told.to_ms) == (0, None, None)
