"""How events spread over keys."""

from __future__ import annotations

import pytest

from diagnostics.signals import key_distribution
from tests.diagnostics.hand_made import START, hand_made, line_of_jobs, needs, only


def test_the_hot_key_is_named_with_its_share() -> None:
    keys = ["M-1"] * 600 + ["M-2"] * 200 + [f"M-{number}" for number in range(10, 210)]
    events = [{"key": key, "event_ms": START, "arrival_ms": START} for key in keys]
    facts = only(key_distribution.measure(hand_made(**line_of_jobs(), event=events)), "key_distribution").facts
    assert (facts["top_key"], facts["top_key_share_ratio"]) == ("M-1", pytest.approx(600 / 1000))
    assert (facts["second_key"], facts["second_key_share_ratio"]) == ("M-2", pytest.approx(200 / 1000))
    assert (facts["distinct_keys"], facts["hot_keys"]) == (202, ["M-1", "M-2"])
    assert facts["hot_key_multiple_ratio"] == pytest.approx(0.6 * 2)


def test_keys_that_come_alike_have_no_hot_one() -> None:
    events = [{"key": f"s-{number % 100}"} for number in range(500)]
    facts = only(key_distribution.measure(hand_made(event=events)), "key_distribution").facts
    assert (facts["hot_key_count"], facts["top_multiple_ratio"]) == (0, pytest.approx(1.0))


def test_a_handful_of_events_gives_no_signal() -> None:
    assert needs(key_distribution.measure(hand_made(event=[{"key": "a"}]))) == {"key_distribution": "event-sample"}
    assert needs(key_distribution.measure(hand_made())) == {"key_distribution": "event-sample"}
