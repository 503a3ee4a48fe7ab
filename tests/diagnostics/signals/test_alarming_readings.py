"""Readings that suffice by themselves, and the metrics beside which they do not."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from diagnostics.signals import alarming_readings
from tests.diagnostics.hand_made import START, hand_made, signals_of_key

KEY = "alarming_readings.resource_shortage"
measure = partial(alarming_readings.measure, KEY)


def sampled(scope: str, metric: str, value: float) -> list[dict[str, Any]]:
    whole = {"metric": metric, "scope": scope, "task_manager": "tm-1" if scope == "taskmanager" else None}
    return [{"ts_ms": START + at * 10_000, "value": value, **whole} for at in range(12)]


@pytest.mark.parametrize(("collecting", "is_told"), [("taskmanager", True), ("jobmanager", False)])
def test_collections_of_another_process_do_not_judge_a_full_heap(collecting: str, is_told: bool) -> None:
    rows = [
        *sampled("jobmanager", "Status.JVM.Memory.Heap.Used", 960e6),
        *sampled("jobmanager", "Status.JVM.Memory.Heap.Max", 990e6),
        *sampled(collecting, "Status.JVM.GarbageCollector.All.TimeMsPerSecond", 3.0),
    ]
    told = signals_of_key(measure(hand_made(metric_sample=rows)), KEY)
    assert [each.facts["kind"] for each in told] == (["jobmanager-heap-full"] if is_told else [])
