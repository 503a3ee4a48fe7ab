"""Which memory ran out: its kind, its process, and who threw the error."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import out_of_memory
from tests.diagnostics.hand_made import hand_made, only
from tests.diagnostics.signals.incident_rows import record


def test_out_of_memory_is_identified_by_the_kind_of_memory() -> None:
    def error(second: int, text: str, file_id: int) -> dict[str, Any]:
        told = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
        texts = {"exception_message": text, "root_cause_message": text}
        return record(second, "failed", process="taskmanager", file_id=file_id, **texts, **told)

    log = [
        error(1, "Metaspace", 0),
        error(2, "Java heap space", 1),
        {
            "message": 'Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler in thread "x"',
            "file_id": 2,
        },
        record(5, "Worker tm-1 is terminated. Diagnostics: Pod terminated, [main(exitCode=137, reason=OOMKilled)]"),
    ]
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert (facts["errors"], facts["files"], facts["killed"]) == (3, 3, 1)
    kinds = ("heap_errors", "metaspace_errors", "direct_errors", "unspecified_errors")
    assert [facts[kind] for kind in kinds] == [1, 1, 0, 1]


def test_the_jobmanagers_memory_is_not_that_of_the_taskmanagers() -> None:
    error = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
    heap = {"exception_message": "Java heap space", "root_cause_message": "Java heap space", **error}
    log = [
        record(1, "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1.", **heap, process="jobmanager"),
        record(2, "Decline checkpoint 7 by task x of job a at tm-1.", **heap, process="jobmanager"),
        record(9, "Fatal error occurred in the cluster entrypoint.", **heap, process="jobmanager"),
    ]
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert (facts["heap_errors"], facts["jobmanager_errors"], facts["jobmanager_resource"]) == (2, 1, "heap")


def test_no_option_of_the_taskmanagers_repairs_the_jobmanager() -> None:
    name, text = "java.lang.OutOfMemoryError", "Direct buffer memory"
    error = {"exception_class": name, "root_cause_class": name, "causes": f"{name}: {text}"}
    said = {"exception_message": text, "root_cause_message": text, **error}
    log = [record(9, "FATAL: Thread 'jobmanager-io-thread-25' produced an error", **said, process="jobmanager")]
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert facts["jobmanager_resource"] == "direct memory"
    assert "taskmanager.memory." not in str(facts.get("jobmanager_remedy"))


def test_a_killed_pod_of_the_jobmanager_is_told_by_its_name() -> None:
    texts = [f"Pod orders-{role}-1: container main ended: OOMKilled" for role in ("jobmanager", "taskmanager")]
    killed = [record(5, text, process="kubernetes") for text in texts]
    facts = only(out_of_memory.measure(hand_made(log_record=killed)), "out_of_memory").facts
    assert (facts["killed"], facts["killed_jobmanagers"]) == (2, 1)


def test_the_container_of_yarns_application_master_is_the_jobmanagers() -> None:
    end = "is running 1B beyond the '{}' memory limit. Killing container."
    killed = [
        record(5, f"Container [pid=7,containerID=container_e1_1619_0012_01_{number}] {end.format(kind)}")
        for number, kind in (("000001", "PHYSICAL"), ("000003", "PHYSICAL"), ("000004", "VIRTUAL"))
    ]
    facts = only(out_of_memory.measure(hand_made(log_record=killed)), "out_of_memory").facts
    counts = [facts[each] for each in ("killed_jobmanagers", "killed_workers", "killed_virtual")]
    assert counts == [1, 1, 1]


@pytest.mark.parametrize(
    ("frame", "counts"),
    [
        ("org.apache.flink.core.memory.MemorySegmentFactory.allocateUnpooledOffHeapMemory", [1, 0]),
        ("org.apache.flink.shaded.netty4.io.netty.buffer.PoolArena$DirectArena.allocateDirect", [0, 1]),
        ("org.apache.kafka.common.network.PlaintextTransportLayer.read", [0, 0]),
    ],
)
def test_direct_memory_is_asked_for_by_who_threw_the_error(frame: str, counts: list[int]) -> None:
    error = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
    error |= {"exception_message": "Direct buffer memory", "root_cause_message": "Direct buffer memory"}
    log = [record(1, "Fatal error.", **error, thrown_in=frame, process="taskmanager")]
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert [facts["direct_network_errors"], facts["direct_netty_errors"]] == counts


def test_an_error_that_names_the_network_buffers_is_theirs_also_without_its_frames() -> None:
    said = (
        "Could not allocate enough memory segments for NetworkBufferPool (required (MB): 2048, allocated (MB): 990, "
        "missing (MB): 1058). Cause: Direct buffer memory"
    )
    error = {"exception_class": "java.lang.OutOfMemoryError", "exception_message": said}
    log = [record(1, "Fatal error.", **error, process="taskmanager")]
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert [facts["direct_errors"], facts["direct_network_errors"]] == [1, 1]


def test_the_option_that_takes_memory_beyond_the_model_is_named() -> None:
    killed = [record(5, "Worker tm-1 is terminated. Diagnostics: [main(exitCode=137, reason=OOMKilled)]")]
    unmanaged = {"scope": "cluster", "key": "state.backend.rocksdb.memory.managed", "value": "false"}
    facts = only(out_of_memory.measure(hand_made(log_record=killed, config_option=[unmanaged])), "out_of_memory").facts
    assert facts["container_option"] == "state.backend.rocksdb.memory.managed: false"
    assert "memory.managed: true" in str(facts["container_remedy"])
    bounded = unmanaged | {"value": "true"}
    facts = only(out_of_memory.measure(hand_made(log_record=killed, config_option=[bounded])), "out_of_memory").facts
    assert "container_remedy" not in facts


def test_a_container_below_what_its_process_may_take_is_told() -> None:
    killed = [record(5, "Worker tm-1 is terminated. Diagnostics: [main(exitCode=137, reason=OOMKilled)]")]
    limit = {"scope": "environment", "key": "pod.limits.memory", "value": "4Gi", "process": "taskmanager"}
    process = {"scope": "cluster", "key": "taskmanager.memory.process.size", "value": "8g"}
    facts = only(out_of_memory.measure(hand_made(log_record=killed, config_option=[limit, process])), "out_of_memory")
    assert (facts.facts["limit_bytes"], facts.facts["needed_bytes"]) == (4 * 2**30, 8 * 2**30)
    fitting = process | {"value": "4g"}
    facts = only(out_of_memory.measure(hand_made(log_record=killed, config_option=[limit, fitting])), "out_of_memory")
    assert "needed_bytes" not in facts.facts


def test_the_jobs_own_frame_names_what_to_bound() -> None:
    told = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
    texts = {"exception_message": "Java heap space", "root_cause_message": "Java heap space"}
    log = [record(1, "failed", process="taskmanager", user_frame="com.acme.jobs.DailyWindow.process", **told, **texts)]
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert facts["heap_frame"] == "com.acme.jobs.DailyWindow.process"


def test_a_heap_that_a_checkpoint_in_memory_fills_is_told_from_one_that_is_small() -> None:
    name = "java.lang.OutOfMemoryError"
    error = {"exception_class": name, "root_cause_class": name, "root_cause_message": "Java heap space"}
    stream = "org.apache.flink.core.memory.ByteArrayOutputStreamWithPos.write"
    factory = "org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory$MemoryCheckpointOutputStream.write"
    written = record(
        1, "failed", process="taskmanager", root_cause_frame=stream, frames=f"{stream}\n{factory}", **error
    )
    plain = record(2, "failed", process="taskmanager", root_cause_frame=stream, frames=stream, **error)

    facts = only(out_of_memory.measure(hand_made(log_record=[written, plain])), "out_of_memory").facts

    assert (facts["heap_errors"], facts["snapshot_errors"]) == (1, 1)


def test_a_container_of_yarn_before_1_10_is_as_large_as_the_option_of_the_heap() -> None:
    killed = record(1, "Container [pid=7] is running beyond physical memory limits. Killing container.")
    options = [
        {"scope": "cluster", "key": "taskmanager.heap.size", "value": "8g"},
        {"scope": "cluster", "key": "containerized.heap-cutoff-ratio", "value": "0.1"},
    ]

    facts = only(out_of_memory.measure(hand_made(log_record=[killed], config_option=options)), "out_of_memory").facts

    assert (facts["sized_by_heap"], facts["cutoff_option"]) == (True, "containerized.heap-cutoff-ratio: 0.1")


def test_the_buffers_that_read_a_batch_shuffle_are_direct_memory() -> None:
    text = "Can't allocate enough direct buffer for batch shuffle read buffer pool (bytes allocated: 64913408)."
    told = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
    failed = record(1, "failed", process="jobmanager", exception_message=text, root_cause_message=text, **told)
    failed["message"] = "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1."
    facts = only(out_of_memory.measure(hand_made(log_record=[failed])), "out_of_memory").facts
    assert (facts["direct_errors"], facts["direct_batch_errors"], facts["unspecified_errors"]) == (1, 1, 0)


def test_the_pool_of_a_batch_shuffle_allocates_as_that_of_the_network_and_is_another() -> None:
    """The frames are those of a real run of a batch job."""
    name = "java.lang.OutOfMemoryError"
    factory = "org.apache.flink.core.memory.MemorySegmentFactory.allocateDirectMemory"
    pools = {"io.disk.BatchShuffleReadBufferPool.initialize": 0, "io.network.buffer.NetworkBufferPool.<init>": 1}
    for pool, count in pools.items():
        frames = f"{factory}\norg.apache.flink.runtime.{pool}"
        thrown = {"exception_class": name, "root_cause_class": name, "root_cause_message": "Direct buffer memory"}
        log = [record(1, "failed", process="taskmanager", root_cause_frame=factory, frames=frames, **thrown)]
        facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
        assert facts["direct_network_errors"] == count


def test_who_fails_after_another_has_taken_the_direct_memory_is_not_to_blame() -> None:
    told = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
    told |= {"exception_message": "Direct buffer memory", "root_cause_message": "Direct buffer memory"}
    own = record(1, "failed", process="taskmanager", root_cause_frame="lab.Cache.map", **told)
    netty = {"root_cause_frame": "org.apache.flink.shaded.netty4.io.netty.buffer.PoolArena.allocate"}
    later = record(2, "Thread died", process="taskmanager", **netty, **told)
    for log, count in (([own, later], 0), ([later], 1)):
        facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
        assert facts["direct_netty_errors"] == count


def test_a_file_that_a_task_manager_could_not_send_is_no_memory_of_the_jobmanager() -> None:
    told = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
    told |= {"exception_message": "Direct buffer memory", "root_cause_message": "Direct buffer memory"}
    log = [record(1, "Failed to transfer file from TaskExecutor tm-1.", process="jobmanager", **told)]
    log.append(record(2, "Unhandled exception.", process="jobmanager", **told))
    log[1]["causes"] = (
        "org.apache.flink.util.FlinkException: Could not upload file a.log.\njava.lang.OutOfMemoryError: x"
    )
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert (facts["direct_errors"], facts["jobmanager_errors"]) == (2, 0)


def test_an_error_with_the_frames_of_a_task_is_no_memory_of_the_jobmanager() -> None:
    told = {"exception_class": "java.lang.OutOfMemoryError", "root_cause_class": "java.lang.OutOfMemoryError"}
    told |= {"exception_message": "Java heap space", "root_cause_message": "Java heap space"}
    log = [record(1, "enrich (1/2) failed", process="jobmanager", **told)]
    log[0]["frames"] = "lab.Cache.map\norg.apache.flink.runtime.taskmanager.Task.run"
    facts = only(out_of_memory.measure(hand_made(log_record=log)), "out_of_memory").facts
    assert (facts["heap_errors"], facts["jobmanager_errors"]) == (1, 0)
