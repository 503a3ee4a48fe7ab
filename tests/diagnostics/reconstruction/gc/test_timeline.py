"""Pauses, runs of full collections, and what they leave."""

from __future__ import annotations

import pytest

from diagnostics.reconstruction.gc.timeline import (
    FullCollection,
    Slice,
    live_bytes,
    longest_run,
    timelines,
    worst_window_share,
)
from tests.diagnostics.hand_made import START, hand_made


def full(ts_ms: float, pause_ms: float = 500, after: float = 180, cause: str = "G1 Compaction Pause") -> FullCollection:
    return FullCollection(ts_ms, pause_ms, 182, after, 184, cause, 0, 1, 1)


def test_the_worst_minute_is_found_at_any_position() -> None:
    slices = [Slice(start * 5_000.0, 3_000.0 if 20 <= start < 32 else 50.0, 0, 0) for start in range(60)]
    share = worst_window_share(slices)
    assert share is not None
    assert share[0] == pytest.approx(12 * 3_000 / 60_000)
    assert share[1] == 100_000


def test_a_short_log_is_measured_against_the_whole_minute() -> None:
    assert worst_window_share([Slice(0, 6_000, 0, 0)]) == (0.1, 0)


def test_collections_with_hardly_any_time_between_are_one_run() -> None:
    lonely, run = [full(0)], [full(60_000 + number * 700) for number in range(10)]
    assert len(longest_run([*lonely, *run])) == 10


def test_collections_for_metadata_are_not_made_for_room() -> None:
    assert not full(0, cause="Metadata GC Threshold").for_room
    assert not full(0, cause="System.gc()").for_room
    assert full(0, cause="Allocation Failure").for_room


def test_live_bytes_are_what_the_last_collections_leave() -> None:
    early = [full(number, after=20) for number in range(30)]
    late = [full(100 + number, after=175 + number % 3) for number in range(20)]
    assert live_bytes([*early, *late]) == (176, 177)


def test_without_pauses_there_is_no_share() -> None:
    assert worst_window_share([]) is None
    assert longest_run([]) == ()
    assert live_bytes([]) is None


def test_a_task_manager_without_a_heartbeat_yet_is_still_known_by_its_heap() -> None:
    heap = 146_800_640.0
    answers = [
        {"task_manager": "10.0.0.1:19330-aaaaaa", "heap_max_bytes": heap, "ts_ms": START},
        {"task_manager": "10.0.0.1:19330-aaaaaa", "heap_max_bytes": 0.0, "ts_ms": START + 60_000},
    ]
    evidence = hand_made(
        gc_pause=[{"ts_ms": START, "uptime_ms": 1_000.0, "kind": "young", "pause_ms": 5.0}],
        config_option=[{"scope": "jvm", "key": "heap.max", "value": str(heap)}],
        task_manager=answers,
    )
    assert [each.process for each in timelines(evidence)] == ["10.0.0.1:19330-aaaaaa"]
