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


@pytest.mark.parametrize(
    ("window", "handed_out", "expected"),
    [
        ("Window", 0.0, ["subtask-holds-silent-windows"]),
        ("TumblingEventTimeWindows", 0.0, ["subtask-holds-silent-windows"]),
        ("TumblingProcessingTimeWindows", 0.0, []),
        ("Window", 7.0, []),
    ],
)
def test_a_subtask_without_watermark_counts_where_windows_are_silent(
    window: str, handed_out: float, expected: list[str]
) -> None:
    source = {"operator": "Source: kafka", "subtask": 1, "ts_ms": START}
    rows = [
        {**source, "metric": "currentOutputWatermark", "value": None},
        {**source, "metric": "numRecordsOut", "value": 0.0},
        {"operator": window, "subtask": 0, "ts_ms": START, "metric": "numRecordsOut", "value": handed_out},
    ]
    key = "alarming_readings.out_of_order_events"
    told = signals_of_key(alarming_readings.measure(key, hand_made(metric_sample=rows)), key)
    assert [each.facts["kind"] for each in told] == expected


@pytest.mark.parametrize(
    ("declared", "behind", "expected"),
    [(True, False, ["reader-holds-declared-watermark"]), (False, False, []), (True, True, [])],
)
def test_an_idle_reader_counts_where_the_source_assigns_watermarks(
    declared: bool, behind: bool, expected: list[str]
) -> None:
    source = {"operator": "Source: orders", "ts_ms": START}
    rows = [
        {**source, "subtask": 0, "metric": "numRecordsOut", "value": 2.0},
        {**source, "subtask": 1, "metric": "numRecordsOut", "value": 0.0},
        {**source, "subtask": 1, "metric": "currentOutputWatermark", "value": None},
    ]
    if behind:
        arrived = {"operator": "Window", "subtask": 0, "ts_ms": START, "metric": "currentInputWatermark"}
        rows.append({**arrived, "value": 1_758_000_029_999.0})
    code = [{"kind": "watermark-without-idleness", "name": "WATERMARK FOR ts", "line": 6}] if declared else []
    key = "alarming_readings.out_of_order_events"
    told = signals_of_key(alarming_readings.measure(key, hand_made(metric_sample=rows, code_call=code)), key)
    assert [each.facts["kind"] for each in told] == expected


@pytest.mark.parametrize(("behind", "is_told"), [(None, True), (float(START), False)])
def test_a_reader_without_records_holds_nothing_where_watermarks_arrive_behind_it(
    behind: float | None, is_told: bool
) -> None:
    """The operator that assigns watermarks in the source's chain has none at its input in either case."""

    def gauge(vertex: str, metric: str, subtask: int, values: list[float | None]) -> list[dict[str, Any]]:
        place = {"job_id": "a", "vertex_id": vertex, "vertex": vertex, "subtask": subtask, "scope": "task"}
        return [
            {"metric": metric, "ts_ms": START + at * 10_000, "value": value, **place} for at, value in enumerate(values)
        ]

    advancing: list[float | None] = [START + at * 10_000.0 for at in range(6)]
    rows = [
        *gauge("Source:_Trips____Event_time", "numRecordsOut", 0, [0.0] * 6),
        *gauge("Source:_Trips____Event_time", "numRecordsOut", 1, [at * 3_000.0 for at in range(6)]),
        *gauge("Source:_Trips____Event_time", "currentOutputWatermark", 0, [None] * 6),
        *gauge("Source:_Trips____Event_time", "currentOutputWatermark", 1, advancing),
        *gauge("Source:_Trips____Event_time", "currentInputWatermark", 0, [None] * 6),
        *gauge("Fares_per_10_s", "currentInputWatermark", 0, [behind] * 6),
    ]
    key = "alarming_readings.out_of_order_events"
    told = signals_of_key(alarming_readings.measure(key, hand_made(metric_sample=rows)), key)
    assert [each.facts["kind"] for each in told] == (["subtask-without-watermark"] if is_told else [])


@pytest.mark.parametrize(("opened", "expected"), [(4_000.0, ["file-descriptors-used-up"]), (900.0, [])])
def test_file_descriptors_count_against_what_the_process_may_open(opened: float, expected: list[str]) -> None:
    rows = [
        *sampled("taskmanager", "Status.FileDescriptor.Open", opened),
        *sampled("taskmanager", "Status.FileDescriptor.Max", 4_096.0),
    ]
    told = signals_of_key(measure(hand_made(metric_sample=rows)), KEY)
    assert [each.facts["kind"] for each in told] == expected


@pytest.mark.parametrize(("left", "expected"), [(0.0, ["network-buffers-overbooked"]), (12.0, [])])
def test_network_buffers_are_overbooked_where_none_is_left(left: float, expected: list[str]) -> None:
    rows = [
        *sampled("taskmanager", "Status.Shuffle.Netty.RequestedMemorySegmentsUsage", 219.0),
        *sampled("taskmanager", "Status.Shuffle.Netty.AvailableMemorySegments", left),
    ]
    told = signals_of_key(measure(hand_made(metric_sample=rows)), KEY)
    assert [each.facts["kind"] for each in told] == expected


@pytest.mark.parametrize(("last_ms", "expected"), [(300_000.0, "= 5 min"), (570_000.0, "= 5 min … 9 min 30 s")])
def test_several_readings_are_shown_from_the_least_to_the_most(last_ms: float, expected: str) -> None:
    samples = [
        {"metric": metric, "scope": "job", "job_id": "a", "ts_ms": START + at * 60_000, "value": value}
        for at in range(2)
        for metric, value in (
            ("lastCheckpointDuration", last_ms if at else 300_000.0),
            ("lastCheckpointSize", 4e10),
            ("checkpointStartDelayNanos", 1e7),
            ("checkpointAlignmentTime", 1e6),
        )
    ]
    key = "alarming_readings.rocksdb_slow_upload"
    (told,) = signals_of_key(alarming_readings.measure(key, hand_made(metric_sample=samples)), key)
    assert told.facts["read"] == f"lastCheckpointDuration {expected}"
