"""A few readings, as people copy them, suffice where an expert would decide; those of a healthy job decide nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics.symptoms.copied_readings import judged_readings, leads

TASK, OPERATOR = "flink_taskmanager_job_task_", "flink_taskmanager_job_task_operator_"
PROCESS, JOB = "flink_taskmanager_Status_", "flink_jobmanager_job_"
NONE = -9223372036854775808


def of_task(metric: str, task: str, value: float, subtask: int = 0) -> str:
    return f'{TASK}{metric}{{task_name="{task}",subtask_index="{subtask}"}} {value}'


def of_operator(metric: str, operator: str, value: float, subtask: int = 0) -> str:
    return f'{OPERATOR}{metric}{{operator_name="{operator}",subtask_index="{subtask}"}} {value}'


def of_process(metric: str, value: float) -> str:
    return f'{PROCESS}{metric}{{tm_id="tm-1"}} {value}'


def of_rocksdb(metric: str, value: float) -> str:
    return of_operator(f"state_rocksdb_{metric}", "Process", value)


def busy(task: str, value: float = 1000, subtask: int = 0) -> str:
    return of_task("busyTimeMsPerSecond", task, value, subtask)


def latency(value: float) -> str:
    return f'{OPERATOR}s_mapStateGetLatency{{operator_name="Process",subtask_index="0",quantile="0.99"}} {value}'


def of_pod(metric: str, value: float) -> str:
    return f'{metric}{{pod="tm-1"}} {value}'


def counted(metric: str, first: int, last: int, pod: str = "orders-taskmanager-1-1", reason: str = "") -> list[str]:
    """Two samples of a series of a pod, five minutes apart."""
    labels = f'pod="{pod}",reason="{reason}"' if reason else f'pod="{pod}"'
    return [f"{metric}{{{labels}}} {value} {at}" for value, at in ((first, 1767225600000), (last, 1767225900000))]


RESTARTS, ENDED = "kube_pod_container_status_restarts_total", "kube_pod_container_status_last_terminated_reason"


WINDOW = "TumblingEventTimeWindows"
ILL = [
    (
        "resource_shortage",
        "taskmanager.memory.task.heap.size: 1536m",
        [of_process("JVM_Memory_Heap_Used", 1.06e9), of_process("JVM_Memory_Heap_Max", 1_073_741_824)],
    ),
    (
        "resource_shortage",
        "taskmanager.memory.managed.fraction",
        [of_process("JVM_GarbageCollector_All_TimeMsPerSecond", 640)],
    ),
    ("resource_shortage", "Thread.print", [of_process("JVM_Threads_Count", 9120)]),
    (
        "resource_shortage",
        "kubernetes.taskmanager.cpu.limit-factor",
        [
            of_pod("container_cpu_cfs_throttled_periods_total", 98_112),
            of_pod("container_cpu_cfs_periods_total", 121_001),
        ],
    ),
    (
        "resource_shortage",
        "taskmanager.memory.jvm-overhead.fraction",
        [
            of_pod("container_memory_working_set_bytes", 4_284_481_536),
            of_pod("container_spec_memory_limit_bytes", 4_294_967_296),
        ],
    ),
    (
        "resource_shortage",
        "taskmanager.memory.jvm-overhead.max",
        [*counted(RESTARTS, 3, 5), *counted(ENDED, 1, 1, reason="OOMKilled")],
    ),
    ("resource_shortage", "larger process.size", counted("container_oom_events_total", 0, 2)),
    ("resource_shortage", "limit-factor: 1.0", counted("kube_pod_status_reason", 0, 1, reason="Evicted")),
    (
        "misconfiguration",
        "taskmanager.memory.min-segment-size: 4kb",
        [of_task("debloatedBufferSize", "flat map", 256), of_task("backPressuredTimeMsPerSecond", "flat map", 1000)],
    ),
    (
        "data_skew",
        "TWO_PHASE",
        ['[{"id":"busyTimeMsPerSecond","min":11.0,"max":1000.0,"avg":96.0,"sum":1536.0}]'],
    ),
    (
        "data_skew",
        "salt",
        ['[{"id":"numRecordsIn","min":120,"max":1834400,"avg":131000,"sum":2096000}]'],
    ),
    (
        "data_skew",
        "salt",
        [
            *(of_task("numRecordsInPerSecond", "Keyed", each, at) for at, each in enumerate((9800, 210, 190, 205))),
            *(busy("Keyed", each, at) for at, each in enumerate((1000, 40, 35, 38))),
        ],
    ),
    ("slow_sink", "sink.batch.max-size", [of_operator("currentSendTime", "Sink: Writer", 4200)]),
    ("slow_sink", "sink.buffer-flush.max-rows", [busy("Sink: JDBC"), busy("Sink: JDBC", 990, 1)]),
    ("slow_dimension_join", "'async'='true'", [busy("Source: orders[1] -> LookupJoin[2] -> Calc[3]")]),
    ("slow_dimension_join", "capacity", [busy("async wait operator", 990)]),
    (
        "slow_dimension_join",
        "lookup.partial-cache.max-rows",
        [
            of_operator("cache_hitCount", "dim", 1200),
            of_operator("cache_missCount", "dim", 98_123),
            busy("dim"),
        ],
    ),
    ("rocksdb_slow_upload", "state.backend.rocksdb.thread.num", [of_rocksdb("actual_delayed_write_rate", 16_777_216)]),
    ("rocksdb_slow_upload", "state.backend.rocksdb.localdir", [of_rocksdb("estimate_pending_compaction_bytes", 71e9)]),
    ("rocksdb_slow_upload", "state.backend.rocksdb.writebuffer.size", [of_rocksdb("num_files_at_level0", 27)]),
    (
        "rocksdb_slow_upload",
        "partitioned-index-filters",
        [of_rocksdb("block_cache_hit", 812_331), of_rocksdb("block_cache_miss", 4_123_981), busy("Process")],
    ),
    ("rocksdb_slow_upload", "use-bloom-filter", [latency(41_230_000), busy("Process")]),
    (
        "rocksdb_slow_upload",
        "execution.checkpointing.incremental",
        [
            f"{JOB}lastCheckpointDuration{{}} 540000",
            f"{JOB}lastCheckpointFullSize{{}} 48318382080",
            of_task("checkpointStartDelayNanos", "Process", 12e6),
            of_task("checkpointAlignmentTime", "Process", 9e6),
        ],
    ),
    (
        "out_of_order_events",
        "withIdleness",
        [
            of_operator("currentInputWatermark", WINDOW, NONE),
            of_operator("numRecordsIn", WINDOW, 120_331),
            of_operator("numRecordsOut", WINDOW, 0),
        ],
    ),
    (
        "out_of_order_events",
        "no more subtasks of the source than partitions",
        [
            *(of_operator("numRecordsOut", "Source: Kafka", each, at) for at, each in enumerate((50_211, 49_812, 0))),
            of_operator("currentInputWatermark", WINDOW, NONE),
        ],
    ),
    (
        "out_of_order_events",
        "Let idle subtasks not count",
        [
            f"{of_operator(metric, 'Source: Kafka', value, subtask)} {1_764_000_000_000 + 60_000 * minute}"
            for minute in (0, 1)
            for subtask, metric, value in (
                (0, "numRecordsOut", 40 + 2 * minute),
                (1, "numRecordsOut", 0),
                (0, "currentOutputWatermark", 1_764_000_000_000 + 60_000 * minute),
                (1, "currentOutputWatermark", NONE),
            )
        ]
        + [of_operator("currentInputWatermark", WINDOW, NONE)],
    ),
    ("out_of_order_events", "CURRENT_TIMESTAMP", [of_operator("currentInputWatermark", WINDOW, 4_118_083_200_000)]),
    ("out_of_order_events", "TO_TIMESTAMP_LTZ(ts, 0)", [of_operator("currentInputWatermark", WINDOW, 1_764_000_000)]),
    (
        "out_of_order_events",
        "forBoundedOutOfOrderness",
        [of_operator("numLateRecordsDropped", WINDOW, 12_331), of_operator("numRecordsIn", WINDOW, 400_021)],
    ),
    (
        "out_of_order_events",
        "withIdleness",
        [of_operator("watermarkLag", WINDOW, 7_200_000), of_operator("currentEmitEventTimeLag", "Source: Kafka", 900)],
    ),
]
HEALTHY = [
    [busy("Writer : orders", 1000)],
    [of_process("JVM_Memory_Heap_Used", 0.7e9), of_process("JVM_Memory_Heap_Max", 1_073_741_824)],
    [of_process("Flink_Memory_Managed_Used", 536_870_912), of_process("Flink_Memory_Managed_Total", 536_870_912)],
    [of_process("JVM_GarbageCollector_All_TimeMsPerSecond", 12), of_process("JVM_Threads_Count", 240)],
    [of_pod("container_memory_working_set_bytes", 3.9e9), of_pod("container_spec_memory_limit_bytes", 4_294_967_296)],
    # The kernel killed it before, not while it was watched; and what the containers of others went through.
    [*counted(RESTARTS, 3, 3), *counted(ENDED, 1, 1, reason="OOMKilled"), busy("map", 200)],
    [*counted(RESTARTS, 3, 5), *counted(ENDED, 1, 1, reason="Completed"), busy("map", 200)],
    [*counted("container_oom_events_total", 0, 2, pod="kafka-0"), busy("map", 200)],
    [
        *counted("container_memory_working_set_bytes", 990, 990, pod="kafka-0"),
        *counted("container_spec_memory_limit_bytes", 1000, 1000, pod="kafka-0"),
        busy("map", 200),
    ],
    [of_process("Shuffle_Netty_AvailableMemorySegments", 0), of_process("Shuffle_Netty_TotalMemorySegments", 4096)],
    [of_task("debloatedBufferSize", "flat map", 32_768), of_task("backPressuredTimeMsPerSecond", "flat map", 1000)],
    ['[{"id":"busyTimeMsPerSecond","min":210.0,"max":1000.0,"avg":610.0,"sum":2440.0}]'],
    ['[{"id":"busyTimeMsPerSecond","min":0.0,"max":300.0,"avg":30.0,"sum":2440.0}]'],
    ['[{"id":"numRecordsIn","min":120000,"max":140400,"avg":131000,"sum":2096000}]'],
    [
        *(of_task("numRecordsInPerSecond", "Keyed", each, at) for at, each in enumerate((980, 910, 990, 905))),
        *(busy("Keyed", each, at) for at, each in enumerate((1000, 940, 935, 938))),
    ],
    [of_operator("currentSendTime", "Sink: Writer", 12), busy("Sink: JDBC", 410)],
    [busy("Source: orders[1] -> LookupJoin[2] -> Calc[3]", 300)],
    [of_operator("cache_hitCount", "dim", 98_000), of_operator("cache_missCount", "dim", 1200), busy("dim")],
    [of_rocksdb("actual_delayed_write_rate", 0), of_rocksdb("estimate_pending_compaction_bytes", 1e9)],
    [of_rocksdb("num_files_at_level0", 4), of_rocksdb("block_cache_hit", 97_000), of_rocksdb("block_cache_miss", 900)],
    [latency(90_000), busy("Process", 300)],
    [
        f"{JOB}lastCheckpointDuration{{}} 5400",
        f"{JOB}lastCheckpointFullSize{{}} 48318382080",
        of_task("checkpointStartDelayNanos", "Process", 12e6),
        of_task("checkpointAlignmentTime", "Process", 9e6),
    ],
    [
        of_operator("currentInputWatermark", "map", NONE),
        of_operator("numRecordsIn", "map", 120_331),
        of_operator("numRecordsOut", "map", 120_331),
    ],
    [of_operator("numRecordsOut", "Source: Kafka", 50_211), of_operator("numRecordsOut", "Source: Kafka", 0, 1)],
    [of_operator("currentInputWatermark", WINDOW, 1_764_000_000_000), of_operator("numRecordsIn", WINDOW, 9000)],
    [of_operator("currentInputWatermark", WINDOW, 9_223_372_036_854_775_807)],
    [of_operator("numLateRecordsDropped", WINDOW, 31), of_operator("numRecordsIn", WINDOW, 400_021)],
    [of_operator("watermarkLag", WINDOW, 4000), of_operator("currentEmitEventTimeLag", "Source: Kafka", 900)],
    [of_operator("pendingRecords", "Source: Kafka", 200)],
    [
        of_process("JVM_Memory_Heap_Used", 1.06e9),
        of_process("JVM_Memory_Heap_Max", 1_073_741_824),
        of_process("JVM_GarbageCollector_All_TimeMsPerSecond", 4),
    ],
    [busy("Sink: JDBC", 930), of_task("idleTimeMsPerSecond", "Source: Kafka", 890)],
    [
        of_operator("KafkaSourceReader_KafkaConsumer_records_lag_max", "Source: Kafka", 150_000),
        of_task("numRecordsOutPerSecond", "Source: Kafka", 500_000),
    ],
    [
        of_task("currentInputWatermark", "enrich -> to ES", NONE),
        of_task("numRecordsIn", "enrich -> to ES", 812_345),
        of_task("numRecordsOut", "enrich -> to ES", 0),
    ],
    [
        of_operator("currentInputWatermark", "TumblingProcessingTimeWindows", NONE),
        of_operator("numRecordsIn", "TumblingProcessingTimeWindows", 812_345),
        of_operator("numRecordsOut", "TumblingProcessingTimeWindows", 0),
    ],
    [
        *(of_operator("numRecordsOut", "Source: Kafka", each, at) for at, each in enumerate((50_211, 49_812, 0))),
        of_task("currentInputWatermark", "Sink: ES", NONE),
    ],
]


@pytest.mark.parametrize(("expected", "step", "lines"), ILL, ids=lambda each: each if isinstance(each, str) else "")
def test_readings_that_suffice_lead_with_an_option(expected: str, step: str, lines: list[str], tmp_path: Path) -> None:
    symptom_class, first = leads(judged_readings(tmp_path, "\n".join(lines) + "\n"))
    assert (symptom_class, step in first) == (expected, True), first


@pytest.mark.parametrize("lines", HEALTHY, ids=str)
def test_readings_of_a_healthy_job_decide_nothing(lines: list[str], tmp_path: Path) -> None:
    document = judged_readings(tmp_path, "\n".join(lines) + "\n")
    assert [each["rule"]["id"] for each in document["findings"] if "reading" in each["rule"]["id"]] == []


def test_a_backlog_that_grows_asks_for_a_look(tmp_path: Path) -> None:
    grown = "".join(
        f"# scrape_time {1_764_000_000 + 60 * at}\n{of_operator('pendingRecords', 'Source: Kafka', each)}\n"
        for at, each in enumerate((1000, 920_000))
    )
    assert "properties.max.partition.fetch.bytes" in leads(judged_readings(tmp_path, grown))[1]


def test_a_watermark_that_does_not_advance_while_records_flow(tmp_path: Path) -> None:
    still = "".join(
        f"# scrape_time {1_764_000_000 + 300 * at}\n{of_operator('currentInputWatermark', WINDOW, 1_763_990_000_000)}\n"
        f"{of_operator('numRecordsIn', WINDOW, each)}\n"
        for at, each in enumerate((88_200, 190_000))
    )
    assert leads(judged_readings(tmp_path, still))[0] == "out_of_order_events"


def test_writes_that_stopped_have_a_rule_of_their_own(tmp_path: Path) -> None:
    lines = [of_rocksdb("is_write_stopped", 1), of_rocksdb("num_files_at_level0", 41)]
    rules = [each["rule"]["id"] for each in judged_readings(tmp_path, "\n".join(lines) + "\n")["findings"]]
    assert "rocks.write-stall" in rules
    assert "rocks.by-reading" not in rules


def subtasks(*durations: int) -> str:
    listed = ",".join(
        f'{{"subtask":{number},"status":"FINISHED","duration":{each}}}' for number, each in enumerate(durations)
    )
    return f'{{"vertices":[{{"name":"Source: files","parallelism":{len(durations)}}}],"subtasks":[{listed}]}}'


def task_managers(*slots: tuple[int, int]) -> str:
    listed = ",".join(
        f'{{"id":"tm-{at}","slotsNumber":{all_of},"freeSlots":{free}}}' for at, (all_of, free) in enumerate(slots)
    )
    return f'{{"taskmanagers":[{listed}]}}'


def positions(*lags: int) -> str:
    rows = "".join(f"flink orders {at} 1200331 {1_200_331 + lag} {lag} - - -\n" for at, lag in enumerate(lags))
    return f"GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n{rows}"


@pytest.mark.parametrize(
    ("durations", "expected"),
    [
        ((120_000, 5_400_000, 118_000, 131_000), "data_skew"),
        ((7_500_000, 12_180_000), "data_skew"),
        ((7_500_000, 7_900_000, 7_100_000), "inconclusive"),
        ((3_000, 9_000), "inconclusive"),
    ],
)
def test_subtasks_that_finish_far_apart_are_uneven(durations: tuple[int, ...], expected: str, tmp_path: Path) -> None:
    assert leads(judged_readings(tmp_path, subtasks(*durations)))[0] == expected


def test_slots_on_one_task_manager_are_told_to_spread(tmp_path: Path) -> None:
    symptom_class, first = leads(judged_readings(tmp_path, task_managers((6, 1), (5, 5))))
    assert symptom_class == "inconclusive"
    assert "taskmanager.load-balance.mode: SLOTS" in first
    assert "taskmanager.numberOfTaskSlots: 3" in first


@pytest.mark.parametrize("slots", [((8, 2), (8, 3)), ((8, 0), (8, 0)), ((8, 8), (8, 8)), ((8, 0),)])
def test_slots_that_are_spread_or_all_in_use_need_nothing(slots: tuple[tuple[int, int], ...], tmp_path: Path) -> None:
    assert judged_readings(tmp_path, task_managers(*slots))["findings"] == []


@pytest.mark.parametrize(
    ("lags", "expected"), [((9, 7_000_009, 19), "data_skew"), ((6_000_000, 7_000_009, 6_500_000), "inconclusive")]
)
def test_one_partition_with_all_of_the_lag_is_skew(lags: tuple[int, ...], expected: str, tmp_path: Path) -> None:
    assert leads(judged_readings(tmp_path, positions(*lags)))[0] == expected
