"""Wrong clocks of devices, detected from events."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import device_clocks
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, needs, only


def events(offset_ms: dict[str, int], seconds: int = 120) -> list[dict[str, Any]]:
    """One event each second from each device, half a second under way, with its clock off by so much."""
    return [
        {
            "key": key,
            "arrival_ms": START + second * 1000,
            "event_ms": START + second * 1000 - 500 + offset,
            "partition": "0",
        }
        for second in range(seconds)
        for key, offset in offset_ms.items()
    ]


RIGHT = {f"right-{number}": 0 for number in range(8)}


def test_fast_and_slow_devices_are_counted_with_their_range() -> None:
    rows = events({**RIGHT, "fast-a": 15_000, "fast-b": 40_000, "slow": -20_000})
    facts = only(device_clocks.measure(hand_made(event=rows)), "device_clocks").facts
    assert (facts["devices"], facts["fast_devices"], facts["slow_devices"]) == (11, 2, 1)
    assert (facts["fast_by_min_ms"], facts["fast_by_max_ms"]) == (15_000 - 500, 40_000 - 500)
    assert facts["slow_by_max_ms"] == 20_000 + 500
    assert facts["fast_examples"] == ["fast-b", "fast-a"]
    assert facts["usual_lag_ms"] == 500


def test_every_device_with_a_wrong_clock_is_named_up_to_a_bound() -> None:
    """Each of them has to be corrected: a list of examples is no list."""
    right = {f"right-{number}": 0 for number in range(40)}
    fast = {f"fast-{number:02}": 15_000 + number * 100 for number in range(12)}
    facts = only(device_clocks.measure(hand_made(event=events({**right, **fast}))), "device_clocks").facts
    assert (facts["fast_names"], len(facts["fast_examples"])) == (sorted(fast, reverse=True), 6)
    assert "fast_unnamed" not in facts


def test_the_bound_in_effect_is_read_off_events_and_watermark() -> None:
    watermarks = [
        {
            "metric": "currentOutputWatermark",
            "job_id": JOB,
            "vertex_id": SOURCE,
            "operator": "timestamps",
            "subtask": 0,
            "ts_ms": START + second * 1000 + 300,
            "value": float(START + second * 1000 - 500 - 5_000 - 1),
        }
        for second in range(5, 100, 5)
    ]
    evidence = hand_made(event=events({**RIGHT, "slow": -20_000}), metric_sample=watermarks)
    facts = only(device_clocks.measure(evidence), "device_clocks").facts
    assert facts["bound_ms"] == 5_000
    assert facts["over_bound_ratio"] == pytest.approx(1 / 9)
    assert facts["right_over_bound_ratio"] == 0
    assert facts["kept_bound_ms"] == 5_000, "the bound that suffices for right clocks is not lowered"


def test_right_clocks_are_left_alone() -> None:
    facts = only(device_clocks.measure(hand_made(event=events(RIGHT))), "device_clocks").facts
    assert (facts["fast_devices"], facts["slow_devices"], facts["delayed_devices"]) == (0, 0, 0)


def test_events_without_times_show_nothing() -> None:
    assert needs(device_clocks.measure(hand_made(event=[{"key": "a"}] * 600))) == {"device_clocks": "event-sample"}
    assert needs(device_clocks.measure(hand_made())) == {"device_clocks": "event-sample"}


def test_a_partition_that_delivers_late_is_distinguished_from_devices() -> None:
    late = [{**event, "partition": "1", "event_ms": event["event_ms"] - 9_000} for event in events({"a": 0, "b": 0})]
    rows = [*events(RIGHT), *events({"c": 0}, 60), *({**event, "partition": "2"} for event in events({"d": 0})), *late]
    facts = only(device_clocks.measure(hand_made(event=rows)), "device_clocks").facts
    assert (facts["partitions"], facts["slow_partitions"]) == (3, ["1"])
    assert facts["slow_partition_by_ms"] == 9_000
