"""Distribution of state over subtasks."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import state_balance
from tests.diagnostics.hand_made import JOB, SINK, START, hand_made, needs, only


def acknowledged(checkpoint: int, sizes: list[float], delay_ms: float = 10) -> list[dict[str, Any]]:
    return [
        {
            "job_id": JOB,
            "vertex_id": SINK,
            "checkpoint_id": checkpoint,
            "subtask": subtask,
            "ack_ms": START,
            "state_bytes": size,
            "start_delay_ms": delay_ms,
        }
        for subtask, size in enumerate(sizes)
    ]


def test_the_last_whole_checkpoint_shows_the_spread() -> None:
    unnumbered = [{**row, "checkpoint_id": None} for row in acknowledged(4, [70, 20, 10], 60_000)]
    rows = [*acknowledged(1, [10, 10, 10], 48_000), *acknowledged(2, [900, 50, 50]), *acknowledged(3, [5]), *unnumbered]
    facts = only(state_balance.measure(hand_made(subtask_checkpoint=rows)), "state_balance").facts
    assert (facts["checkpoint"], facts["hot_subtask"], facts["total_bytes"]) == (2, 0, 1000)
    assert facts["skew_ratio"] == pytest.approx(0.9 * 3)
    assert facts["start_delay_max_ms"] == 48_000


def test_a_host_that_writes_slowly_is_distinguished_from_more_state() -> None:
    rows = acknowledged(1, [100.0, 100.0, 100.0, 100.0])
    for row in rows:
        row |= {"async_ms": 40_000.0 if row["subtask"] == 2 else 5_000.0, "checkpointed_bytes": 100.0}
    homes = [{"job_id": JOB, "vertex_id": SINK, "subtask": each, "task_manager": f"tm-{each}"} for each in range(4)]
    facts = only(state_balance.measure(hand_made(subtask_checkpoint=rows, subtask=homes)), "state_balance").facts
    assert (facts["slowest_task_manager"], facts["async_by_host_ratio"], facts["written_by_host_ratio"]) == (
        "tm-2",
        8,
        1,
    )


def test_without_details_nothing_is_measured() -> None:
    assert needs(state_balance.measure(hand_made())) == {"state_balance": "checkpoint-details"}
