"""The memory of a TaskManager: Flink's formulas, their sums, and what was measured in use."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.memory_model import CHART
from diagnostics.reconstruction.configuration.memory_model import MIB, PARTS, derive, memory_models, resized
from tests.diagnostics.hand_made import START, hand_made

STATED = {
    "framework_heap_bytes": 128 * MIB,
    "task_heap_bytes": 384 * MIB,
    "framework_off_heap_bytes": 128 * MIB,
    "task_off_heap_bytes": 0.0,
    "configured_network_bytes": 128 * MIB,
    "configured_managed_bytes": 512 * MIB,
    "metaspace_max_bytes": 256 * MIB,
    "jvm_overhead_bytes": 192 * MIB,
    "process_bytes": 1728 * MIB,
}
"""Flink's default TaskManager."""


def mib(options: dict[str, str], **how: bool) -> dict[str, float]:
    parts = derive(options, **how)
    assert parts is not None
    assert tuple(parts) == PARTS
    return {part: round(value / MIB, 1) for part, value in parts.items()}


def test_the_default_configuration_gives_flinks_own_table() -> None:
    """Overhead is 192 MiB at least; of the remaining 1280 MiB for Flink 40 % are managed and 10 % network memory.
    Source: Flink documentation, "Set up TaskManager Memory"."""
    parts = mib({"process.size": "1728m"})

    assert parts == {
        "framework_heap": 128.0,
        "task_heap": 384.0,
        "managed": 512.0,
        "framework_off_heap": 128.0,
        "task_off_heap": 0.0,
        "network": 128.0,
        "metaspace": 256.0,
        "overhead": 192.0,
    }
    assert sum(parts.values()) == 1728


def test_a_small_process_is_derived_as_its_rest_answer_states_it() -> None:
    """As a real Flink 1.20 with 1000m answered: task heap 11,744,048, managed memory 231,525,584 bytes."""
    parts = derive({"process.size": "1000m"})

    assert parts is not None
    assert parts["task_heap"] == pytest.approx(11_744_048, abs=32)
    assert parts["managed"] == pytest.approx(231_525_584, abs=32)
    assert parts["network"] == 67_108_864
    assert parts["overhead"] == 201_326_592


def test_explicit_heap_and_managed_memory_leave_the_rest_to_the_network_and_the_overhead() -> None:
    """190 + 16 + 64 + 128 MiB and 48 MiB of network are 446 MiB for Flink; a tenth of the process is overhead."""
    options = {
        "task.heap.size": "190m",
        "managed.size": "16m",
        "network.min": "48m",
        "network.max": "48m",
        "framework.heap.size": "64m",
        "jvm-metaspace.size": "160m",
    }
    parts = mib(options)

    assert (parts["task_heap"], parts["managed"], parts["network"]) == (190.0, 16.0, 48.0)
    assert parts["overhead"] == 192.0


def test_the_total_flink_memory_adds_metaspace_and_overhead() -> None:
    parts = mib({"flink.size": "8g"})

    assert sum(parts[part] for part in PARTS if part not in ("metaspace", "overhead")) == 8192
    assert parts["network"] == 819.2
    assert parts["overhead"] == pytest.approx((8192 + 256) / 9, abs=0.1)


def test_network_memory_had_a_bound_until_1_16() -> None:
    assert mib({"flink.size": "16g"})["network"] == 1638.4
    assert mib({"flink.size": "16g"}, bounded_network=True)["network"] == 1024.0


def test_parts_that_do_not_fit_and_a_missing_total_give_no_model() -> None:
    assert derive({"process.size": "500m"}) is None
    assert derive({"managed.fraction": "0.1"}) is None


def test_the_picture_shows_configured_parts_their_sum_and_what_was_used() -> None:
    row = {
        "ts_ms": START,
        "task_manager": "tm-1",
        "heap_used_bytes": 500 * MIB,
        "heap_max_bytes": 512 * MIB,
        "segments_used": 26,
        **STATED,
    }
    points = CHART.points(hand_made(task_manager=[row]))

    assert points is not None
    (manager,) = points["task_managers"]
    assert sum(manager["parts"].values()) == manager["total_bytes"] == 1728 * MIB
    assert (manager["limits"]["heap"], manager["used"]["heap"]) == (512 * MIB, 500 * MIB)
    assert manager["used"]["network"] == 26 * 32_768
    assert CHART.summary(points) == (
        "tm-1 has 1.7 GiB in total: framework heap 128 MiB, task heap 384 MiB, managed memory 512 MiB, framework "
        "off-heap 128 MiB, network memory 128 MiB, JVM metaspace 256 MiB, JVM overhead 192 MiB. "
        "Nearly full: JVM heap 500 MiB (98 % of 512 MiB) of tm-1."
    )
    assert CHART.summary({**points, "refused": True}).endswith("the network memory was used up.")
    rows = [label for trace in CHART.figure(points, Theme("light"))["data"] for label in trace["y"]]
    assert set(rows) == {"tm-1 configured", "tm-1 in use"}
    assert ["tm-1", "Sum of the parts", round(1728 * MIB), None] in CHART.table(points)


def test_a_heap_is_full_by_what_its_collector_lets_be_used() -> None:
    """Of two survivor spaces the Serial collector keeps one empty: 496 MiB of 512 can be used."""
    row = {"ts_ms": START, "task_manager": "tm-1", "heap_used_bytes": 496 * MIB, "heap_max_bytes": 496 * MIB, **STATED}
    points = CHART.points(hand_made(task_manager=[row]))

    assert points is not None
    assert CHART.summary(points).endswith("Nearly full: JVM heap 496 MiB (100 % of 496 MiB) of tm-1.")
    assert ["tm-1", "JVM heap", 512 * MIB, 496 * MIB] in CHART.table(points), "as it is configured"


def option(key: str, value: str, process: str | None = None) -> dict[str, Any]:
    return {"scope": "cluster", "process": process, "key": f"taskmanager.memory.{key}", "value": value}


def test_the_network_memory_is_not_called_free_where_buffers_were_refused() -> None:
    """What the scrapes between two attempts show of it is what a job that does not run takes."""
    said = "Insufficient number of network buffers: required 13, but only 11 available."
    refusal = {"ts_ms": START, "message": said, "exception_message": said, "level": "WARN", "file_id": 1}
    row = {"ts_ms": START, "task_manager": "tm-1", "heap_used_bytes": MIB, "heap_max_bytes": 512 * MIB, **STATED}
    points = CHART.points(hand_made(task_manager=[row], log_record=[refusal]))
    assert points is not None
    assert "nearly full" not in CHART.summary(points)


def test_a_configuration_alone_gives_the_picture_and_says_that_use_was_not_measured() -> None:
    points = CHART.points(hand_made(config_option=[option("process.size", "1728m")]))

    assert points is not None
    assert CHART.summary(points).endswith(
        "Its use was not measured. The version of Flink is not known; defaults of 1.17 and newer are assumed."
    )


def test_without_answer_and_configuration_there_is_no_picture() -> None:
    assert (
        CHART.points(hand_made(task_manager=[{"ts_ms": START, "task_manager": "tm-1", "heap_max_bytes": 1.0}])) is None
    )


def test_sizes_that_the_start_script_computed_are_no_settings_of_a_larger_process() -> None:
    """384 MiB of heap, 16 managed, 128 off-heap and 64 network are 592; with 256 of metaspace and the least overhead of
    192 they are 1040. The computed overhead of 252 belongs to the former total."""
    computed = [option(f"jvm-overhead.{end}", f"{252 * 2**20}b", "taskmanager") for end in ("min", "max")]
    stated = [
        option("process.size", "900m"),
        option("managed.size", "16m"),
        option("task.heap.size", "120m"),
        option("framework.heap.size", "64m"),
    ]
    evidence = hand_made(config_option=[*computed, *stated])
    [model] = memory_models(evidence)
    larger = resized(evidence, model, task_heap=320 * MIB)
    assert larger is not None
    assert (model.total_bytes, larger.total_bytes) == (900 * MIB, 1040 * MIB)
