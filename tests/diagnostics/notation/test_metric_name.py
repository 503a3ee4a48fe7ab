"""A metric has the same name from Prometheus and from REST."""

from __future__ import annotations

import pytest

from diagnostics.notation.metric_name import from_prometheus, from_rest, host_of_label, resource_id_of_label


@pytest.mark.parametrize(
    ("series", "scope", "metric"),
    [
        ("flink_taskmanager_job_task_busyTimeMsPerSecond", "task", "busyTimeMsPerSecond"),
        ("flink_taskmanager_job_task_operator_numRecordsIn", "operator", "numRecordsIn"),
        ("flink_taskmanager_job_task_buffers_inPoolUsage", "task", "buffers.inPoolUsage"),
        (
            "flink_taskmanager_job_task_Shuffle_Netty_Output_Buffers_outPoolUsage",
            "task",
            "Shuffle.Netty.Output.Buffers.outPoolUsage",
        ),
        ("flink_taskmanager_Status_JVM_Memory_Heap_Used", "taskmanager", "Status.JVM.Memory.Heap.Used"),
        ("flink_taskmanager_Status_Shuffle_Netty_UsedMemory", "taskmanager", "Status.Shuffle.Netty.UsedMemory"),
        (
            "flink_jobmanager_Status_JVM_GarbageCollector_G1_Young_Generation_Count",
            "jobmanager",
            "Status.JVM.GarbageCollector.G1_Young_Generation.Count",
        ),
        ("flink_jobmanager_job_lastCheckpointDuration", "job", "lastCheckpointDuration"),
        ("flink_taskmanager_job_fileMerging_logicalFileCount", "job", "fileMerging.logicalFileCount"),
        ("flink_jobmanager_numRegisteredTaskManagers", "jobmanager", "numRegisteredTaskManagers"),
        (
            "flink_jobmanager_job_operator_coordinator_enumerator_unassignedSplits",
            "operator",
            "coordinator.enumerator.unassignedSplits",
        ),
        ("flink_taskmanager_job_task_operator_rocksdb_stall_micros", "operator", "rocksdb.stall_micros"),
        ("flink_taskmanager_job_task_operator_cache_hitCount", "operator", "cache.hitCount"),
        (
            "flink_taskmanager_job_task_operator_KafkaSourceReader_KafkaConsumer_records_lag_max",
            "operator",
            "KafkaSourceReader.KafkaConsumer.records-lag-max",
        ),
        ("flink_taskmanager_job_task_operator_myOwn_counter", "operator", "myOwn_counter"),
        ("flink_k8soperator_x", None, "k8soperator_x"),
    ],
)
def test_prometheus_names(series: str, scope: str | None, metric: str) -> None:
    found = from_prometheus(series)
    assert found is not None
    assert (found.scope, found.metric) == (scope, metric)


@pytest.mark.parametrize("series", ["jvm_threads", "process_cpu_seconds_total", "", "flinkish"])
def test_series_of_others_have_no_name(series: str) -> None:
    assert from_prometheus(series) is None


def test_a_column_family_is_a_label_in_both_worlds() -> None:
    prometheus = from_prometheus("flink_taskmanager_job_task_operator_user_profile_rocksdb_is_write_stopped")
    variable = from_prometheus("flink_taskmanager_job_task_operator_column_family_rocksdb_num_files_at_level0")
    rest = from_rest("0.aggregate.user-profile.rocksdb_is-write-stopped", "task")
    assert prometheus is not None
    assert variable is not None
    assert prometheus.metric == rest.metric == "rocksdb.is-write-stopped"
    assert dict(prometheus.labels) == {"column_family": "user_profile"}
    assert dict(rest.labels) == {"column_family": "user-profile"}
    assert (variable.metric, dict(variable.labels)) == ("rocksdb.num-files-at-level0", {})


@pytest.mark.parametrize(
    ("metric_id", "scope", "expected"),
    [
        ("3.numRecordsIn", "task", ("numRecordsIn", "task", None, 3, None)),
        ("3.buffers.inPoolUsage", "task", ("buffers.inPoolUsage", "task", None, 3, None)),
        ("0.Sink__out.numRecordsIn", "task", ("numRecordsIn", "operator", "Sink__out", 0, None)),
        ("Sink__out.numRecordsIn", "task", ("numRecordsIn", "operator", "Sink__out", None, None)),
        ("12.mailboxLatencyMs_p999", "task", ("mailboxLatencyMs", "task", None, 12, 0.999)),
        ("12.mailboxLatencyMs_mean", "task", ("mailboxLatencyMs_mean", "task", None, 12, None)),
        ("uptime", "job", ("uptime", "job", None, None, None)),
        ("Status.JVM.CPU.Load", "taskmanager", ("Status.JVM.CPU.Load", "taskmanager", None, None, None)),
        (
            "0.Source__in.KafkaSourceReader.topic.a.b.partition.7.currentOffset",
            "task",
            ("KafkaSourceReader.currentOffset", "operator", "Source__in", 0, None),
        ),
        ("0.isBackPressured", None, ("isBackPressured", "task", None, 0, None)),
        ("taskSlotsTotal", None, ("taskSlotsTotal", "jobmanager", None, None, None)),
        ("numRestarts", None, ("numRestarts", "job", None, None, None)),
        ("Status.Shuffle.Netty.UsedMemory", None, ("Status.Shuffle.Netty.UsedMemory", "taskmanager", None, None, None)),
        ("Status.JVM.CPU.Load", None, ("Status.JVM.CPU.Load", None, None, None, None)),
    ],
)
def test_rest_ids(metric_id: str, scope: str | None, expected: tuple[object, ...]) -> None:
    found = from_rest(metric_id, scope)
    assert (found.metric, found.scope, found.operator, found.subtask, found.quantile) == expected


def test_labels_get_back_the_characters_that_prometheus_replaced() -> None:
    assert resource_id_of_label("127_0_0_1:19030_3a4b9e") == "127.0.0.1:19030-3a4b9e"
    assert resource_id_of_label("localhost:18040_ef0dc3") == "localhost:18040-ef0dc3"
    assert resource_id_of_label("flink_taskmanager_1_1") == "flink_taskmanager_1_1"
    assert host_of_label("10_77_0_12") == "10.77.0.12"
    assert host_of_label("worker_1") == "worker_1"
