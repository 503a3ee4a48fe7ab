"""How state lies on subtasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.signals import state_balance
from tests.diagnostics.hand_made import JOB, SINK, START, hand_made, needs, only

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


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


def test_the_last_whole_checkpoint_tells_the_spread(spark: SparkSession) -> None:
    rows = [*acknowledged(1, [10, 10, 10], 48_000), *acknowledged(2, [900, 50, 50]), *acknowledged(3, [5])]
    facts = only(state_balance.measure(hand_made(spark, subtask_checkpoint=rows)), "state_balance").facts
    assert (facts["checkpoint"], facts["hot_subtask"], facts["total_bytes"]) == (2, 0, 1000)
    assert facts["skew_ratio"] == pytest.approx(0.9 * 3)
    assert facts["start_delay_max_ms"] == 48_000


def test_without_details_nothing_is_measured(spark: SparkSession) -> None:
    assert needs(state_balance.measure(hand_made(spark))) == {"state_balance": "checkpoint-details"}
