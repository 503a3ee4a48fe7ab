"""Two sources that join at one task: the quick one waits for the slow one's barriers."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.shared_operator import measure
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs, needs, only

QUICK, SLOW, SHARED = (f"{number:032x}" for number in (11, 12, 13))


def fork_join() -> dict[str, list[dict[str, Any]]]:
    names = {QUICK: "Source: A", SLOW: "Source: B", SHARED: "weekly window"}
    return {
        "job": [{"job_id": JOB, "name": "business", "state": "RUNNING", "start_ms": START, "ts_ms": START}],
        "vertex": [{"job_id": JOB, "vertex_id": each, "name": name, "parallelism": 1} for each, name in names.items()],
        "edge": [
            {"job_id": JOB, "source_id": each, "target_id": SHARED, "ship_strategy": "HASH"} for each in (QUICK, SLOW)
        ],
    }


def load(vertex: str, held: float, busy: float) -> list[dict[str, Any]]:
    return [
        {
            "ts_ms": START + step * 10_000,
            "job_id": JOB,
            "vertex_id": vertex,
            "subtask": 0,
            "back_pressured_ratio": held,
            "busy_ratio": busy,
        }
        for step in range(6)
    ]


def part() -> dict[str, Any]:
    return {
        "job_id": JOB,
        "checkpoint_id": 3,
        "vertex_id": SHARED,
        "subtask": 0,
        "ack_ms": START + 10_000,
        "end_to_end_ms": 10_000.0,
        "alignment_ms": 9_000.0,
    }


def test_a_quick_source_that_waits_at_a_shared_task_is_named_beside_the_slow_one() -> None:
    loads = [*load(QUICK, 0.8, 0.1), *load(SLOW, 0.0, 0.9), *load(SHARED, 0.0, 0.2)]
    facts = only(
        measure(hand_made(**fork_join(), back_pressure=loads, subtask_checkpoint=[part()])), "shared_operator"
    ).facts

    assert (facts["quick_vertex"], facts["slow_vertex"]) == ("Source: A", "Source: B")
    assert (facts["quick_held_ratio"], facts["slow_held_ratio"]) == (pytest.approx(0.8), 0.0)
    assert facts["own_busy_ratio"] == pytest.approx(0.2)
    assert facts["alignment_ms"] == 9_000.0


def test_a_task_with_one_input_is_not_shared() -> None:
    assert list(measure(hand_made(**line_of_jobs(), back_pressure=load(f"{1:032x}", 0.9, 0.1)))) == []


def test_without_back_pressure_it_is_not_measured() -> None:
    assert needs(measure(hand_made(**fork_join()))) == {"shared_operator": "metric-scrapes"}
