"""Small real files give the numbers that were measured when the incidents were made (see samples/SOURCES.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read_path

SAMPLES = Path(__file__).parent / "samples"
SKEWED_JOB = "e7670588d52cb8dd6b217d2271f5ce2a"
HOT_VERTEX = "365c2099650e684f80cf2c8c7ede434e"


def rows_of(name: str, table: str) -> list[dict[str, Any]]:
    path = SAMPLES / name
    recognised = recognise(head_of(path.read_bytes(), name))
    assert recognised.format_id is not None
    return read_path(FORMATS[recognised.format_id], path, name).rows[table]


def test_records_by_subtask_of_a_skewed_task() -> None:
    subtasks = rows_of(f"jobs_{SKEWED_JOB}_vertices_{HOT_VERTEX}.json", "subtask")
    assert [row["read_records"] for row in subtasks] == [98392, 3088, 3092, 3232]
    assert {(row["job_id"], row["vertex_id"]) for row in subtasks} == {(SKEWED_JOB, HOT_VERTEX)}


def test_aggregates_over_the_subtasks_of_a_skewed_task() -> None:
    samples = rows_of(f"jobs_{SKEWED_JOB}_vertices_{HOT_VERTEX}_subtasks_metrics.json", "metric_sample")
    records = {row["aggregate"]: row["value"] for row in samples if row["metric"] == "numRecordsIn"}
    assert records == {
        "min": 3088.0,
        "max": 98392.0,
        "avg": 26951.0,
        "sum": 98392.0 + 3088 + 3092 + 3232,
        "skew": 100.0,
    }
    watermarks = [row for row in samples if row["metric"] == "currentInputWatermark"]
    assert {row["aggregate"]: row["value"] for row in watermarks}["min"] is None


def test_back_pressure_of_the_source_before_a_skewed_task() -> None:
    rows = rows_of(f"jobs_{SKEWED_JOB}_vertices_45b0254a46cabbc3efeea5d2e170ea5b_backpressure-1.json", "back_pressure")
    assert [(row.get("subtask"), row["level"], row["back_pressured_ratio"]) for row in rows] == [
        (0, "high", 0.999),
        (1, "high", 0.999),
        (None, "high", 0.999),
    ]
    assert rows[0]["busy_ratio"] is None, "a legacy source has no busy time"


def test_checkpoint_history_and_counts_of_a_skewed_job() -> None:
    name = f"jobs_{SKEWED_JOB}_checkpoints.json"
    durations = {row["checkpoint_id"]: row["end_to_end_ms"] for row in rows_of(name, "checkpoint")}
    assert {number: durations[number] for number in (1, 2, 3)} == {1: 45127.0, 2: 48312.0, 3: 38348.0}
    counts = {row["metric"]: row["value"] for row in rows_of(name, "metric_sample")}
    assert counts["numberOfCompletedCheckpoints"] == 3
    assert counts["numberOfInProgressCheckpoints"] == 1
    assert counts["numberOfFailedCheckpoints"] == 1, "the first trigger, which the history does not list"


def test_state_and_start_delay_by_subtask_of_one_checkpoint() -> None:
    rows = rows_of(f"jobs_{SKEWED_JOB}_checkpoints_details_3_subtasks_{HOT_VERTEX}.json", "subtask_checkpoint")
    assert [row["state_bytes"] for row in rows] == [20467, 19333, 19837, 20377]
    assert max(row["start_delay_ms"] for row in rows) == 37200
    assert {(row["checkpoint_id"], row["vertex_id"]) for row in rows} == {(3, HOT_VERTEX)}


def test_an_expired_checkpoint_keeps_what_its_subtasks_acknowledged() -> None:
    rows = rows_of("checkpoint_10_subtasks_latest-version.json", "subtask_checkpoint")
    assert [row["alignment_ms"] for row in rows] == [6448, 5920, 4283, 4325]
    assert [row["status"] for row in rows] == ["completed"] * 4
    assert {row["vertex_id"] for row in rows} == {None}, "neither content nor this name tells the vertex"


def test_failures_of_a_job_whose_checkpoints_are_declined() -> None:
    failures = rows_of("exceptions-1.20.json", "failure")
    assert [row["ts_ms"] for row in failures] == [1795223303987, 1795223276484]
    assert {row["exception_class"] for row in failures} == {"org.apache.flink.util.FlinkRuntimeException"}
    assert failures[0]["exception_message"].startswith("Exceeded checkpoint tolerable failure threshold.")
    assert failures[0]["root_cause_frame"] == (
        "org.apache.flink.runtime.checkpoint.CheckpointFailureManager.checkFailureAgainstCounter"
    )
    assert failures[0]["user_frame"] is None


@pytest.mark.parametrize(
    ("name", "collector", "pauses", "full", "full_ms", "longest_ms"),
    [
        ("gc-serial-pauses.log", "Serial", 105, 84, 41_833, 2144.959),
        ("gc-g1-pauses.log", "G1", 310, 121, 96_048, 2217.457),
    ],
)
def test_pauses_of_a_heap_that_is_too_small(
    name: str, collector: str, pauses: int, full: int, full_ms: int, longest_ms: float
) -> None:
    stopped = [row for row in rows_of(name, "gc_pause") if row["kind"] != "concurrent"]
    full_pauses = [row["pause_ms"] for row in stopped if row["kind"] == "full"]
    assert {row["collector"] for row in stopped} == {collector}
    assert len(stopped) == pauses
    assert len(full_pauses) == full
    assert round(sum(full_pauses)) == full_ms
    assert max(row["pause_ms"] for row in stopped) == longest_ms


def test_the_largest_heap_comes_from_the_gc_log() -> None:
    facts = {row["key"]: row["value"] for row in rows_of("gc-g1-pauses.log", "config_option")}
    assert facts["heap.max"] == str(184 * 1024 * 1024)
    assert facts["gc.collector"] == "G1"


def test_a_single_scrape_of_a_jobmanager() -> None:
    samples = rows_of("jobmanager-scrape.prom", "metric_sample")
    values = {(row["scope"], row["metric"]): row["value"] for row in samples}
    assert values["job", "numberOfCompletedCheckpoints"] == 23
    assert values["job", "numRestarts"] == 0
    assert values["jobmanager", "Status.JVM.Memory.Heap.Max"] == 448 * 1024 * 1024
    assert {row["host"] for row in samples} == {"127.0.0.1"}
    assert {row["ts_ms"] for row in samples} == {None}, "a plain scrape does not tell its time"
    assert len(samples) == 56


def test_the_hot_frame_of_a_skewed_task_in_a_thread_dump() -> None:
    threads = {row["thread"]: row for row in rows_of("thread-dump.txt", "stack_sample")}
    assert len(threads) == 5, "six threads, of which the JVM's own has no frames"
    hot = threads["merchant-risk-score (1/4)#0"]
    assert (hot["vertex"], hot["subtask"], hot["state"]) == ("merchant-risk-score", 0, "RUNNABLE")
    assert hot["frames"][0] == "java.lang.Thread.run"
    assert hot["frames"][-1] == "com.acme.risk.OrderRiskJob$RiskScore.scoreOrder"
    assert threads["OutputFlusher for merchant-risk-score (1/4)#0"]["vertex"] is None
    legacy = threads["Legacy Source Thread - Source: orders-source -> parse-order (1/2)#0"]
    assert (legacy["vertex"], legacy["subtask"]) == ("Source: orders-source -> parse-order", 0)
    assert threads["Source: orders-source -> parse-order (1/2)#0"]["state"] == "BLOCKED"
