from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.garbage_collection import CHART, process_name
from tests.diagnostics.hand_made import START, hand_made

MIB = 1024.0**2


def pause(second: int, kind: str = "young", pause_ms: float = 10.0, file_id: int = 0) -> dict[str, Any]:
    return {
        "file_id": file_id,
        "ts_ms": START + second * 1000,
        "uptime_ms": second * 1000.0,
        "collector": "G1",
        "kind": kind,
        "cause": "G1 Evacuation Pause",
        "pause_ms": pause_ms,
        "before_bytes": 180 * MIB,
        "after_bytes": 100 * MIB,
        "total_bytes": 184 * MIB,
    }


def test_peaks_and_full_collections_survive_the_reduction() -> None:
    rows = [pause(0), *(pause(3600, pause_ms=float(length)) for length in (5, 700, 5)), pause(3600, "full", 90.0)]
    rows.append({**pause(10), "kind": "concurrent", "pause_ms": 9999.0})

    points = CHART.points(hand_made(gc_pause=rows))

    assert points is not None
    process = points["processes"][0]
    assert [(row[1], row[2]) for row in process["collections"]] == [("young", 10.0), ("full", 90.0), ("young", 700.0)]
    assert (process["pauses"], process["full"]) == (5, 1)
    assert process["pause_ms"] == 810.0  # 10 + 5 + 700 + 5 + 90


def test_allocation_between_collections_is_a_rate_and_pauses_are_by_cause() -> None:
    points = CHART.points(hand_made(gc_pause=[pause(0), pause(10), {**pause(20), "cause": "System.gc()"}]))

    assert points is not None
    process = points["processes"][0]
    assert [rate for _, rate in process["allocation"]] == [8 * MIB, 8 * MIB]  # 80 MiB in 10 s
    assert process["causes"] == [["G1 Evacuation Pause", 2, 20.0, 10.0], ["System.gc()", 1, 10.0, 10.0]]


def test_a_growth_within_the_rounding_of_the_log_makes_no_rate_of_its_own() -> None:
    """3 MiB in 20 ms between two pauses are counted with the 77 MiB of the 10 s after them; 30 MiB in 0.21 s not."""
    short = {**pause(0), "before_bytes": 103 * MIB, "after_bytes": 103 * MIB}
    short |= {"ts_ms": START + 30, "uptime_ms": 30.0}
    burst = {**pause(10), "ts_ms": START + 10_210, "uptime_ms": 10_210.0, "before_bytes": 130 * MIB}
    points = CHART.points(hand_made(gc_pause=[pause(0), short, pause(10), burst]))

    assert points is not None
    rates = [round(rate / MIB, 1) for _, rate in points["processes"][0]["allocation"]]
    assert rates == [8.0, 142.9]


def test_the_process_that_stood_still_longest_comes_first() -> None:
    points = CHART.points(hand_made(gc_pause=[pause(0), pause(1, pause_ms=50.0, file_id=1)]))

    assert points is not None
    assert [process["file_id"] for process in points["processes"]] == [1, 0]


def test_a_jvm_without_metrics_is_named_by_its_log() -> None:
    files = ["tm-1/gc.log", "tm-2/gc.log", "logs/jobmanager-gc.log"]
    rows = [pause(0, pause_ms=30.0), pause(0, pause_ms=20.0, file_id=1), pause(0, file_id=2)]
    points = CHART.points(hand_made(files=files, gc_pause=rows))

    assert points is not None
    assert [process_name(each) for each in points["processes"]] == [
        "JVM of tm-1/gc.log",
        "JVM of tm-2/gc.log",
        "JVM of jobmanager-gc.log",
    ]


def test_without_a_gc_log_the_metrics_show_the_heap() -> None:
    told = {"scope": "taskmanager", "task_manager": "tm-1", "ts_ms": START}
    rows = [
        {**told, "metric": "Status.JVM.Memory.Heap.Used", "value": 50 * MIB},
        {**told, "metric": "Status.JVM.Memory.Heap.Max", "value": 184 * MIB},
    ]
    points = CHART.points(hand_made(metric_sample=rows))

    assert points is not None
    assert points["processes"][0]["heap"] == [[START, 50 * MIB, 184 * MIB]]
    figure = CHART.figure(points, Theme("light"))
    assert [shape["y0"] for shape in figure["layout"]["shapes"] if shape["type"] == "line"] == [184.0]
    assert "TaskManager tm-1 used up to 50 MiB of heap" in CHART.summary(points)


def test_full_collections_are_bars_of_their_own() -> None:
    rows = [
        [START, "young", 20.0, 180 * MIB, 100 * MIB, 184 * MIB, "<b>cause</b>"],
        [START + 5000, "full", 2200.0, 183 * MIB, 182 * MIB, 184 * MIB, "G1 Compaction Pause"],
    ]
    process = {
        "file_id": 0,
        "process": "tm-1",
        "collector": "G1",
        "pauses": 2,
        "pause_ms": 2220.0,
        "full": 1,
        "collections": rows,
        "heap": [],
    }
    points = {"from_ms": START, "to_ms": START + 5000, "processes": [process]}

    figure = CHART.figure(points, Theme("dark"))

    bars = {trace["name"]: trace for trace in figure["data"] if trace["type"] == "bar"}
    assert bars["Full GC"]["y"] == [2.2]
    assert bars["Pause"]["y"] == [0.02]
    assert "&lt;b&gt;cause" in bars["Pause"]["text"][0]
    assert CHART.summary(points).endswith("After the last one 182 MiB of 184 MiB were still in use.")
    assert len(CHART.table(points)) == 3
