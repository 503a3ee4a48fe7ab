"""What a full input pool says of its task depends on the task's own busy and back-pressured time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnostics.symptoms.judged import judged

POOLS = {"in_ratio": 1.0, "out_ratio": 0.1, "upstream_out_ratio": 0.3, "upstream_vertex": "parse"}
JOB_HELD = {"worst_ratio": 1.0}


@pytest.mark.parametrize(
    ("own", "expected", "excluded"),
    [
        (
            {"back_pressured_ratio": 1.0, "busy_ratio": 0.04},
            "this task itself is usually back-pressured",
            "near its limit",
        ),
        ({"back_pressured_ratio": 0.0, "busy_ratio": 0.9}, "this task is near its limit", "itself is usually"),
        ({"back_pressured_ratio": 0.0, "busy_ratio": 0.3}, "input pool is 100 % full", "near its limit"),
    ],
)
def test_only_a_busy_task_that_is_not_held_back_is_near_its_limit(
    own: dict[str, Any], expected: str, excluded: str
) -> None:
    document = judged(buffer_pools=POOLS, back_pressure_job=JOB_HELD, back_pressure_vertex=own)
    [finding] = [each for each in document["findings"] if each["title"] == "Buffer pools are full"]
    assert expected in finding["statement"]
    assert excluded not in finding["statement"]


GROWTH = {
    "growth_ratio": 37.3,
    "peak_bytes": 19.4e6,
    "before_bytes": 0.52e6,
    "filled_ms": 140_000,
    "filled_since_ms": 1_795_223_774_000,
    "duration_ratio": 4,
}


@pytest.mark.parametrize(
    ("pool", "is_said"), [({"is_sink": True}, False), ({"is_sink": False}, True)], ids=["sink", "middle"]
)
def test_nothing_is_said_of_the_output_pool_of_a_sink(pool: dict[str, Any], is_said: bool) -> None:
    document = judged(buffer_pools={"in_ratio": 1.0, "out_ratio": 0.0, **pool})
    assert ("Its output pool is" in document["findings"][0]["statement"]) is is_said


def test_the_growth_of_in_flight_data_begins_when_the_queues_filled() -> None:
    document = judged(in_flight_data=GROWTH, back_pressure_job=JOB_HELD)
    [finding] = [each for each in document["findings"] if each["title"] == "In-flight data grows"]
    assert finding["onset"]["ts"] == "2026-11-21T01:16:14.000Z"
    assert finding["onset"]["at_start"] is False
