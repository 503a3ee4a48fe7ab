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
