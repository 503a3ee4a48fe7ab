"""Collections from GC logs and from metrics."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.log_scan.process import options_of
from diagnostics.signals import garbage_collection, heap_pressure
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, line_of_jobs, needs, only, signals_of_key

MIB = 2**20
ONE, OTHER = "10.0.0.1:6122-aa", "10.0.0.2:6122-bb"


def pauses(
    file_id: int, at_s: list[float], kind: str = "full", cause: str = "Allocation Failure"
) -> list[dict[str, Any]]:
    return [
        {
            "file_id": file_id,
            "line": number,
            "ts_ms": START + round(second * 1000),
            "uptime_ms": second * 1000.0,
            "collector": "Serial",
            "kind": kind,
            "cause": cause,
            "pause_ms": 500.0,
            "before_bytes": 245.0 * MIB,
            "after_bytes": 210.0 * MIB,
            "total_bytes": 245.0 * MIB,
        }
        for number, second in enumerate(at_s, 1)
    ]


def counts(task_manager: str, at_s: list[float], name: str = "MarkSweepCompact") -> list[dict[str, Any]]:
    """What the process's metric says at each tenth second: collections up to then."""
    return [
        {
            "metric": f"Status.JVM.GarbageCollector.{name}.Count",
            "task_manager": task_manager,
            "ts_ms": START + second * 1000,
            "value": float(sum(each <= second for each in at_s)),
        }
        for second in range(0, 100, 10)
    ]


def home(task_manager: str, subtask: int) -> dict[str, Any]:
    return {"job_id": JOB, "vertex_id": MIDDLE, "subtask": subtask, "task_manager": task_manager, "ts_ms": START}


def test_the_loss_of_time_begins_with_its_first_pauses_and_not_with_the_minute() -> None:
    minute = START // 60_000 * 60_000
    at = [(minute - START) / 1000 + 60 + 34 + number for number in range(20)]
    quiet = pauses(0, [(minute - START) / 1000 + 10], kind="young")
    facts = only(garbage_collection.measure(hand_made(gc_pause=quiet + pauses(0, at))), "garbage_collection").facts
    began = facts["onset_ms"]
    assert isinstance(began, (int, float))
    assert began - minute == pytest.approx(60_000 + 34_000, abs=5_000)


def test_full_collections_that_free_little_are_counted_with_what_they_leave() -> None:
    at = [40 + 2.0 * number for number in range(30)]
    facts = only(garbage_collection.measure(hand_made(gc_pause=pauses(0, at))), "garbage_collection").facts
    assert (facts["full_gcs"], facts["full_gcs_for_room"], facts["full_gc_ms"]) == (30, 30, 30 * 500)
    assert (facts["live_bytes"], facts["live_ratio"]) == (210 * MIB, pytest.approx(210 / 245))
    assert facts["freed_ratio"] == pytest.approx(35 / 245)
    assert facts["worst_minute_ratio"] == pytest.approx(30 * 500 / 60_000)
    assert (facts["longest_run"], facts["first_full_uptime_ms"]) == (30, 39_500)
    assert facts["full_gc_interval_ms"] == 2_000


def test_collections_for_metadata_at_the_start_are_not_for_room() -> None:
    rows = pauses(0, [3, 5], cause="Metadata GC Threshold") + pauses(0, [20, 40, 60], kind="young")
    facts = only(garbage_collection.measure(hand_made(gc_pause=rows)), "garbage_collection").facts
    assert (facts["full_gcs"], facts["full_gcs_for_room"]) == (2, 0)
    assert "live_ratio" not in facts


def test_gc_logs_find_their_task_managers_by_the_counts_that_these_reported() -> None:
    few, many = [10.0, 30.0, 55.0, 80.0], [5.0 + 3 * number for number in range(28)]
    evidence = hand_made(
        **line_of_jobs(),
        subtask=[home(ONE, 0), home(OTHER, 1)],
        gc_pause=[*pauses(1, few), *pauses(2, many)],
        metric_sample=[*counts(ONE.replace(".", "_"), many), *counts(OTHER.replace(".", "_"), few)],
    )
    measured = {s.subject.task_manager: s.facts["full_gcs"] for s in garbage_collection.measure(evidence)}  # type: ignore[union-attr]
    assert measured == {ONE: 28, OTHER: 4}
    job = only(heap_pressure.measure(evidence), "heap_pressure")
    assert (job.subject.job, job.facts["task_managers"], job.facts["full_gcs"]) == (JOB, [ONE, OTHER], [28, 4])
    assert job.facts["needed_heap_mib"] == 448, "twice 210 MiB, in steps of 64"


def test_metrics_alone_show_the_share_and_what_stays_in_use() -> None:
    def gauge(metric: str, value: float, second: int) -> dict[str, Any]:
        return {"metric": metric, "task_manager": ONE, "ts_ms": START + second * 1000, "value": value}

    rows = [
        row
        for second in range(0, 120, 5)
        for row in (
            gauge("Status.JVM.GarbageCollector.G1_Old_Generation.Time", second * 300.0, second),
            gauge("Status.JVM.GarbageCollector.G1_Old_Generation.Count", second / 5, second),
            gauge("Status.JVM.GarbageCollector.All.Time", second * 300.0, second),
            gauge("Status.JVM.Memory.Heap.Used", 95.0 * MIB if second % 10 else 90.0 * MIB, second),
            gauge("Status.JVM.Memory.Heap.Max", 100.0 * MIB, second),
        )
    ]
    facts = only(garbage_collection.measure(hand_made(metric_sample=rows)), "garbage_collection").facts
    assert (facts["basis"], facts["full_gcs"]) == ("metrics", 23)
    assert facts["share_ratio"] == pytest.approx(0.3)
    assert facts["worst_minute_ratio"] == pytest.approx(12 * 5 * 300 / 60_000)
    assert facts["live_ratio"] == pytest.approx(0.9)


def test_what_was_used_before_the_heap_filled_up_is_not_what_collections_leave() -> None:
    """As in a real run of SQL that groups by ever new keys on the heap: full within forty seconds."""
    counts = {0: (25, 1), 10: (47, 2), 20: (101, 2), 30: (164, 2), 43: (165, 8), 54: (186, 23)}
    rows = [
        {"metric": f"Status.JVM.{metric}", "task_manager": ONE, "ts_ms": START + second * 1000, "value": value}
        for second, (used, full) in counts.items()
        for metric, value in (
            ("Memory.Heap.Used", used * MIB),
            ("Memory.Heap.Max", 186.0 * MIB),
            ("GarbageCollector.MarkSweepCompact.Count", float(full)),
            ("GarbageCollector.MarkSweepCompact.Time", full * 700.0),
            ("GarbageCollector.All.Time", full * 700.0),
        )
    ]
    facts = only(garbage_collection.measure(hand_made(metric_sample=rows)), "garbage_collection").facts
    assert facts["live_ratio"] == pytest.approx(165 / 186)


def test_metrics_show_since_when_collections_take_a_tenth_of_the_time() -> None:
    metric = "Status.JVM.GarbageCollector.G1_Young_Generation.Time"
    times = {second: max(second - 60, 0) * 300.0 for second in range(0, 180, 15)}
    rows = [
        {"metric": metric, "task_manager": ONE, "ts_ms": START + second * 1000, "value": value}
        for second, value in times.items()
    ]
    facts = only(garbage_collection.measure(hand_made(metric_sample=rows)), "garbage_collection").facts
    assert (facts["onset_ms"], facts["onset_at_start"]) == (START + 60_000, False)


def test_one_sample_gives_the_last_minute_by_the_collectors_own_meters() -> None:
    look = [
        {"metric": f"Status.JVM.GarbageCollector.{name}", "task_manager": ONE, "ts_ms": START, "value": value}
        for name, value in (
            ("MarkSweepCompact.Count", 59.0),
            ("MarkSweepCompact.Time", 32_469.0),
            ("MarkSweepCompact.TimeMsPerSecond", 343.4),
            ("Copy.TimeMsPerSecond", 6.6),
            ("All.TimeMsPerSecond", 350.0),
        )
    ]
    evidence = hand_made(**line_of_jobs(), metric_sample=look, subtask=[home(ONE, 0)])
    facts = only(garbage_collection.measure(evidence), "garbage_collection").facts
    assert (facts["full_gcs"], facts["worst_minute_ratio"], facts["share_ratio"]) == (59, 0.35, 0.35)


def test_without_logs_and_metrics_nothing_is_measured() -> None:
    empty = hand_made()
    assert needs(garbage_collection.measure(empty)) == {"garbage_collection": "gc-log"}
    assert needs(heap_pressure.measure(empty)) == {"heap_pressure": "gc-log"}


def test_processes_keep_their_own_logs() -> None:
    evidence = hand_made(gc_pause=[*pauses(1, [10, 30]), *pauses(2, [20, 40, 50])])
    assert len(signals_of_key(garbage_collection.measure(evidence), "garbage_collection")) == 2


@pytest.mark.parametrize(
    ("option", "path"),
    [
        ("-Xlog:gc*,safepoint=info:file=/srv/gc/tm-gc.log:time,uptime:filecount=0", "/srv/gc/tm-gc.log"),
        ("-Xloggc:/srv/gc/tm-gc.log", "/srv/gc/tm-gc.log"),
        ("-Xlog:gc:file=/srv/gc/%p-gc.log", "tm-gc.log"),
        ("-Xlog:safepoint:file=/srv/gc/tm-gc.log", "tm-gc.log"),
        ("-Xlog:gc*:file=/srv/gc/other.log", "tm-gc.log"),
    ],
)
def test_the_gc_log_is_named_with_the_folder_that_its_process_states(option: str, path: str) -> None:
    rows = list(options_of([" JVM Options:", f"    {option}"], [0, 1], "taskmanager"))
    options = [{**row, "line": row.pop("record") + 1, "file_id": 0} for row in rows]
    evidence = hand_made(files=["logs/tm.log", "gc/tm-gc.log.gz"], config_option=options, gc_pause=pauses(1, [10, 30]))
    assert only(garbage_collection.measure(evidence), "garbage_collection").facts["gc_log"] == path


def test_the_state_is_held_against_what_stays_on_all_heaps() -> None:
    """Two heaps with 210 MiB each after their collections, and 105 MiB of state in the last checkpoint."""
    state = {"job_id": JOB, "checkpoint_id": 1, "status": "COMPLETED", "trigger_ms": START, "state_bytes": 105.0 * MIB}
    evidence = hand_made(
        **line_of_jobs(), gc_pause=[*pauses(1, [10, 30, 50]), *pauses(2, [20, 40, 60])], checkpoint=[state]
    )
    facts = only(heap_pressure.measure(evidence), "heap_pressure").facts
    assert facts["state_to_live_ratio"] == pytest.approx(0.25)


def test_a_larger_heap_lasts_as_long_as_the_growing_state_on_it_allows() -> None:
    """210 MiB stay in use, 105 MiB of them state by its checkpoints, which grows by 5 MiB every ten seconds."""
    states = [
        {"checkpoint_id": number, "trigger_ms": START + number * 10_000, "state_bytes": (65 + 5 * number) * float(MIB)}
        for number in range(1, 9)
    ]
    checkpoints = [{"job_id": JOB, "status": "COMPLETED", **each} for each in states]
    for backend, lasts_ms in (("hashmap", 238_000), ("rocksdb", None)):
        option = {"scope": "cluster", "key": "state.backend.type", "value": backend, "file_id": 0, "line": 1}
        evidence = hand_made(
            **line_of_jobs(), gc_pause=pauses(1, [10, 30, 50]), checkpoint=checkpoints, config_option=[option]
        )
        facts = only(heap_pressure.measure(evidence), "heap_pressure").facts
        assert facts.get("needed_heap_lasts_ms") == (pytest.approx(lasts_ms) if lasts_ms else None)
        assert facts["needed_heap_mib"] == 448


@pytest.mark.parametrize(("available_mib", "heap_mib"), [(32_000, 3_840), (2_000, 1_152), (100, 448)])
def test_a_heap_for_growing_state_lasts_for_an_hour_where_the_host_has_the_memory(
    available_mib: int, heap_mib: int
) -> None:
    """210 MiB grow by 1 MiB a second; half of what is available may be taken, and twice the live data is the least."""
    states = [
        {"checkpoint_id": number, "trigger_ms": START + number * 10_000, "state_bytes": (65 + 5 * number) * float(MIB)}
        for number in range(1, 9)
    ]
    checkpoints = [{"job_id": JOB, "status": "COMPLETED", **each} for each in states]
    option = {"scope": "cluster", "key": "state.backend.type", "value": "hashmap", "file_id": 0, "line": 1}
    memory = {
        "part": "memory",
        "metric": "available_bytes",
        "value": available_mib * float(MIB),
        "file_id": 0,
        "line": 1,
    }
    evidence = hand_made(
        **line_of_jobs(),
        gc_pause=pauses(1, [10, 30, 50]),
        checkpoint=checkpoints,
        config_option=[option],
        host_sample=[memory],
    )
    assert only(heap_pressure.measure(evidence), "heap_pressure").facts["needed_heap_mib"] == heap_mib


def test_the_heap_in_use_at_the_end_is_that_of_the_fullest_taskmanager() -> None:
    metrics = {"GarbageCollector.Copy.Count": 3.0, "GarbageCollector.Copy.Time": 40.0, "Memory.Heap.Max": 200.0}
    rows = [
        {"task_manager": name, "metric": f"Status.JVM.{metric}", "ts_ms": START + second * 1000, "value": value}
        for name, used in (("tm-0", 60.0), ("tm-1", 180.0))
        for metric, value in {**metrics, "Memory.Heap.Used": used}.items()
        for second in range(0, 30, 5)
    ]
    homes = [home("tm-0", 0), home("tm-1", 1)]
    evidence = hand_made(**line_of_jobs(), metric_sample=rows, subtask=homes)
    assert only(heap_pressure.measure(evidence), "heap_pressure").facts["used_last_ratio"] == 0.9


@pytest.mark.parametrize(("versions", "release"), [(["1.8.0_342", "17.0.15+6"], 8), (["17.0.15+6"], 17), ([], None)])
def test_the_oldest_java_of_all_files_is_the_one_whose_options_are_known(
    versions: list[str], release: int | None
) -> None:
    stated = [{"scope": "jvm", "key": "jvm.version", "value": version} for version in versions]
    evidence = hand_made(gc_pause=pauses(0, [40, 42, 44]), config_option=stated)
    assert only(heap_pressure.measure(evidence), "heap_pressure").facts.get("java_release") == release


@pytest.mark.parametrize(
    ("bean", "collector"),
    [
        ("G1_Old_Generation", "G1"),
        ("PS MarkSweep", "Parallel"),
        ("MarkSweepCompact", "Serial"),
        ("ConcurrentMarkSweep", "CMS"),
        ("ZGC_Pauses", "ZGC"),
        ("Metronome", None),
    ],
)
def test_the_names_in_metrics_show_the_collector(bean: str, collector: str | None) -> None:
    seen = counts(ONE, [10.0, 30.0], name=bean)
    times = [{**row, "metric": row["metric"].replace(".Count", ".Time"), "value": row["value"] * 40} for row in seen]
    evidence = hand_made(metric_sample=[*seen, *times])
    assert only(garbage_collection.measure(evidence), "garbage_collection").facts.get("collector") == collector


def test_the_total_for_a_larger_heap_is_the_sum_of_all_parts() -> None:
    part = 2.0**20
    stated = {
        "framework_heap_bytes": 128 * part,
        "task_heap_bytes": 117 * part,
        "configured_managed_bytes": 200 * part,
        "framework_off_heap_bytes": 128 * part,
        "task_off_heap_bytes": 0.0,
        "configured_network_bytes": 64 * part,
        "metaspace_max_bytes": 256 * part,
        "jvm_overhead_bytes": 192 * part,
        "process_bytes": 1085 * part,
    }
    rows = [{"task_manager": ONE, "ts_ms": START, "heap_max_bytes": 245 * part, **stated}]
    log = pauses(0, [40 + 2.0 * number for number in range(30)])
    facts = only(heap_pressure.measure(hand_made(gc_pause=log, task_manager=rows)), "heap_pressure").facts
    assert (facts["needed_heap_mib"], facts["needed_task_heap_mib"], facts["managed_mib"]) == (448, 320, 200)
    network = (448 + 200 + 128) / 9
    assert facts["needed_process_mib"] == pytest.approx(448 + 200 + 128 + network + 256 + 192, abs=1)
    assert facts["rocksdb_managed_mib"] == -(-(128 + 117 + 128 + 64) * 2 // 3)


def test_the_beginning_is_that_of_the_first_full_collection() -> None:
    at = [100 + 2.0 * number for number in range(30)]
    quiet = pauses(0, [3.0], kind="young")
    facts = only(garbage_collection.measure(hand_made(gc_pause=quiet + pauses(0, at))), "garbage_collection").facts
    assert facts["onset_ms"] == facts["first_full_ms"] == START + 100_000 - 500
    assert facts["first_full_uptime_ms"] == 100_000 - 500


def test_the_survivor_space_that_stays_empty_explains_the_two_sizes_of_a_heap() -> None:
    stated = [{"file_id": 0, "line": 9, "scope": "jvm", "key": "heap.max", "value": str(254 * MIB)}]
    rows = pauses(0, [40 + 2.0 * number for number in range(30)])
    facts = only(garbage_collection.measure(hand_made(gc_pause=rows, config_option=stated)), "garbage_collection").facts
    assert facts["survivor_bytes"] == 9 * MIB
    of_g1 = [{**row, "collector": "G1"} for row in rows]
    facts = only(
        garbage_collection.measure(hand_made(gc_pause=of_g1, config_option=stated)), "garbage_collection"
    ).facts
    assert "survivor_bytes" not in facts


@pytest.mark.parametrize(("timeout", "part"), [("15000", 0.2), (None, 0.06)])
def test_the_longest_pause_is_measured_against_the_heartbeat_timeout_in_force(timeout: str | None, part: float) -> None:
    """A fifth of Flink's 50 s is 10 s, of 15 s only 3 s."""
    option = {"scope": "cluster", "key": "heartbeat.timeout", "value": timeout, "file_id": 0, "line": 1}
    [pause] = pauses(0, [10.0])
    stated = [option] if timeout else []
    evidence = hand_made(gc_pause=[{**pause, "pause_ms": 3_000.0}], config_option=stated)
    facts = only(garbage_collection.measure(evidence), "garbage_collection").facts
    assert facts["pause_to_heartbeat_ratio"] == pytest.approx(part)
