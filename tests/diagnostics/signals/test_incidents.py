"""Failures, lost TaskManagers and missing resources, from logs and REST."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.formats import FORMATS
from diagnostics.signals import (
    exceptions,
    managed_memory,
    network_buffers,
    out_of_memory,
    restarts,
    slots,
    stuck_tasks,
    task_manager_loss,
)
from tests.diagnostics.formats.reading_aids import read
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs, needs, only, signals_of_key
from tests.diagnostics.signals.incident_rows import failed, record

if TYPE_CHECKING:
    from pathlib import Path

BUFFERS = (
    "Insufficient number of network buffers: required 13, but only 11 available. "
    "The total number of network buffers is currently set to 128 of 32768 bytes each."
)
LOST = "The heartbeat of TaskManager with id tm-1:6122-aa timed out."


def test_the_first_fault_is_named_and_what_only_reports_it_is_left_out() -> None:
    log = [
        failed(10, "java.io.IOException", "disk full", "org.acme.Store.write", user_frame="org.acme.Store.write"),
        failed(20, "java.io.IOException", "disk full", "org.acme.Store.write", user_frame="org.acme.Store.write"),
        record(
            21,
            f"Job orders ({JOB}) switched from state FAILING to FAILED.",
            job_id=JOB,
            state_to="FAILED",
            exception_class="org.apache.flink.runtime.JobException",
            exception_message="Recovery is suppressed by FixedDelayRestartBackoffTimeStrategy(...)",
        ),
        record(22, "Something warned", level="WARN", exception_class="java.lang.IllegalStateException"),
    ]
    facts = only(exceptions.measure(hand_made(**line_of_jobs(), log_record=log)), "exceptions").facts
    assert (facts["failures"], facts["kinds"], facts["most_count"]) == (2, 1, 2)
    assert (facts["first_name"], facts["first_ms"], facts["first_in_user_code"]) == (
        "IOException",
        START + 10_000,
        True,
    )


def test_the_first_fault_comes_with_what_repairs_it_where_its_message_is_known() -> None:
    gone = "The execution attempt a1 is unexpectedly no longer running on task executor tm-1."
    for message, repaired in ((gone, True), ("disk full", False)):
        log = [failed(10, "org.apache.flink.util.FlinkException", message, "org.apache.flink.runtime.Any.run")]
        facts = only(exceptions.measure(hand_made(**line_of_jobs(), log_record=log)), "exceptions").facts
        assert ("log of the named TaskManager" in str(facts.get("first_remedy"))) is repaired


def test_a_lost_task_manager_whose_log_goes_on_was_cut_off() -> None:
    log = [
        record(0, "Registering TaskManager with ResourceID tm-1:6122-aa (pekko.tcp://x) at ResourceManager"),
        record(60, "Heartbeat of TaskManager with id tm-1:6122-aa timed out."),
        record(61, "The heartbeat of TaskManager with id tm-1:6122-aa timed out."),
        record(
            62,
            f"Closing TaskExecutor connection tm-1:6122-aa because: {LOST}",
        ),
        record(90, "Registering TaskManager with ResourceID tm-1:6122-aa (pekko.tcp://x) at ResourceManager"),
        record(1, "Starting TaskManager with ResourceID: tm-1:6122-aa", process="taskmanager", file_id=1, line=1),
        record(80, "Attempting to register again", process="taskmanager", file_id=1, line=2),
    ]
    evidence = hand_made(log_record=log)
    lost = only(task_manager_loss.measure(evidence), "task_manager_loss")
    assert lost.subject.task_manager == "tm-1:6122-aa"
    assert (lost.facts["how"], lost.facts["lived_on"]) == ("heartbeat timed out", True)
    assert (lost.facts["lost_ms"], lost.facts["registered_again_ms"]) == (START + 60_000, START + 90_000)
    together = only(task_manager_loss.measure_all(evidence), "task_manager_loss.all").facts
    assert (together["lost"], together["lived_on"]) == (1, 1)
    assert "away_ms" not in together, "no file states the heartbeat timeout"
    stated = {"scope": "cluster", "key": "heartbeat.timeout", "value": "20000"}
    told = only(
        task_manager_loss.measure_all(hand_made(log_record=log, config_option=[stated])), "task_manager_loss.all"
    )
    assert told.facts["away_ms"] == 50_000, "20 s before the loss and 30 s until it registered again"


def test_a_task_manager_that_stood_still_in_collections_did_so_before_it_was_lost() -> None:
    collections = [
        {
            "file_id": 2,
            "ts_ms": START + second * 1000,
            "uptime_ms": second * 1000.0,
            "kind": "full",
            "cause": "G1 Compaction Pause",
            "pause_ms": 900.0,
        }
        for second in range(30, 80)
    ]
    reported = [
        {
            "metric": "Status.JVM.GarbageCollector.G1_Old_Generation.Count",
            "task_manager": "tm-1:6122-aa",
            "ts_ms": START + second * 1000,
            "value": float(max(0, second - 29)),
        }
        for second in range(30, 75, 5)
    ]
    log = [record(60, "The heartbeat of TaskManager with id tm-1:6122-aa timed out.")]
    evidence = hand_made(log_record=log, gc_pause=collections, metric_sample=reported)
    facts = only(task_manager_loss.measure(evidence), "task_manager_loss").facts
    assert facts["gc_ratio_before"] == pytest.approx(0.9)
    assert facts["lived_on"] is True


def test_refused_network_buffers_come_with_the_numbers_and_a_proposal() -> None:
    evidence = hand_made(
        **line_of_jobs(),
        log_record=[failed(10, "java.io.IOException", BUFFERS, "org.apache.flink.NetworkBufferPool.createBufferPool")],
    )
    signal = only(network_buffers.measure(evidence), "network_buffers")
    facts = signal.facts
    assert (facts["insufficient"], facts["required"], facts["available"]) == (1, 13, 11)
    assert (facts["total"], facts["pool_bytes"], facts["needed_mib"]) == (128, 128 * 32_768, 64)
    channels = 2 * 2
    for_an_exchange = (2 * channels + 8 * 2) + (channels + 9 * 2)
    assert facts["needed_buffers"] == 2 * for_an_exchange
    assert signal.citations[0].text.startswith("Insufficient number of network buffers: required 13")


def test_a_refused_task_counts_once_for_its_attempt_and_not_for_each_report() -> None:
    refused = failed(10, "java.io.IOException", BUFFERS, "org.apache.flink.NetworkBufferPool.createBufferPool")
    log = [{**refused, "process": "taskmanager", "file_id": 1, "attempt": attempt} for attempt in (0, 0, 1)]
    evidence = hand_made(**line_of_jobs(), log_record=[refused | {"attempt": None}, *log])
    facts = only(network_buffers.measure(evidence), "network_buffers").facts
    assert (facts["insufficient"], facts["refused_tasks"]) == (4, 2)


def test_rest_alone_reports_refused_buffers() -> None:
    failure = {"job_id": JOB, "ts_ms": START, "root_cause_class": "java.io.IOException", "root_cause_message": BUFFERS}
    facts = only(network_buffers.measure(hand_made(failure=[failure])), "network_buffers").facts
    assert (facts["insufficient"], facts["required"]) == (1, 13)


@pytest.mark.parametrize(
    ("diagnostics", "lost"),
    [
        ("Exception from container-launch.\nExit code: 239", 1),
        ("Completed container. Exit code: 0", 0),
        ("Container released by application, exitStatus=-105", 0),
        ("Container killed by the ApplicationMaster. Exit code is 143", 0),
    ],
)
def test_a_worker_that_ended_by_itself_is_a_lost_task_manager(diagnostics: str, lost: int) -> None:
    said = f"Worker container_e01_02 is terminated. Diagnostics: {diagnostics}"
    log = [record(60, said, event="res.worker.terminated", task_manager="container_e01_02", reason=diagnostics)]
    facts = only(
        task_manager_loss.measure_all(hand_made(**line_of_jobs(), log_record=log)), "task_manager_loss.all"
    ).facts
    assert (facts["lost"], facts["container_ends"]) == (lost, lost)


def test_slots_and_jobs_that_went_are_counted() -> None:
    rows = [
        {"metric": metric, "ts_ms": START + moment * 5_000, "value": value}
        for metric, values in {"taskSlotsTotal": [24.0, 20.0], "numRunningJobs": [2.0, 1.0]}.items()
        for moment, value in enumerate(values)
    ]
    facts = only(slots.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "slots").facts
    assert (facts["fell_by"], facts["running_jobs_fell_by"]) == (4, 1)


def test_slots_that_were_refused_are_set_against_those_there_were() -> None:
    total = [{"metric": "taskSlotsTotal", "ts_ms": START + second * 1000, "value": 1.0} for second in (0, 10, 20)]
    log = [record(10, "Could not acquire the minimum required resources, failing slot requests.", job_id=JOB)]
    facts = only(slots.measure(hand_made(**line_of_jobs(), log_record=log, metric_sample=total)), "slots").facts
    assert (facts["refused"], facts["required"], facts["total_then"], facts["missing_then"]) == (1, 2, 1, 1)


def test_a_running_job_that_holds_the_slots_is_named() -> None:
    other = {"job_id": "b" * 32, "vertex_id": "c" * 32, "name": "report", "parallelism": 4}
    tables = line_of_jobs()
    tables["vertex"] = [*tables["vertex"], other]
    tables["job"] = [*tables.get("job", ()), {"job_id": "b" * 32, "name": "nightly report", "state": "RUNNING"}]
    total = [{"metric": "taskSlotsTotal", "ts_ms": START + second * 1000, "value": 4.0} for second in (0, 10, 20)]
    log = [record(10, "Could not acquire the minimum required resources, failing slot requests.", job_id=JOB)]
    evidence = hand_made(**tables, log_record=log, metric_sample=total)
    facts = next(each for each in signals_of_key(slots.measure(evidence), "slots") if each.subject.job == JOB).facts
    assert (facts["holder"], facts["held_by_others"], facts["missing"]) == ("nightly report", 4, 2)


def test_a_refusal_without_a_job_is_that_of_the_job_that_was_refused_at_the_time() -> None:
    """A calm job beside one without slots was said to lack slots."""
    other, text = "b" * 32, "Could not acquire the minimum required resources"
    tables = line_of_jobs()
    tables["job"] = [*tables["job"], {**tables["job"][0], "job_id": other, "name": "clicks"}]

    def refused(*log: dict[str, Any]) -> dict[Any, Any]:
        signals = signals_of_key(slots.measure(hand_made(**tables, log_record=list(log))), "slots")
        return {each.subject.job: each.facts["refused"] for each in signals}

    assert refused(record(10, text), record(11, text, job_id=other)) == {JOB: 0, other: 1}
    assert refused(record(10, text), record(60, text, job_id=other)) == {JOB: 1, other: 2}
    assert refused(record(10, text)) == {JOB: 1, other: 1}, "nothing shows whose it is"


def test_one_refusal_that_several_records_show_counts_once() -> None:
    text = "Could not acquire the minimum required resources"
    log = [record(second, text, job_id=JOB) for second in (10, 11, 12, 60)]
    assert only(slots.measure(hand_made(**line_of_jobs(), log_record=log)), "slots").facts["refused"] == 2


def test_a_refusal_that_names_no_job_is_none_of_a_job_that_was_submitted_later() -> None:
    """Two clusters in one upload: the second one had all the slots that it needed."""
    other = "b" * 32
    log = [
        record(1, f"Received JobGraph submission 'orders' ({JOB})."),
        record(10, "Could not acquire the minimum required resources"),
        record(900, f"Received JobGraph submission 'clicks' ({other}).", job_id=other),
    ]
    tables = line_of_jobs()
    tables["job"] = [*tables["job"], {**tables["job"][0], "job_id": other, "name": "clicks"}]
    signals = signals_of_key(slots.measure(hand_made(**tables, log_record=log)), "slots")
    assert {each.subject.job: each.facts["refused"] for each in signals} == {JOB: 1, other: 0}


def test_refusals_before_a_taskmanager_was_lost_are_counted_by_themselves() -> None:
    text = "Could not acquire the minimum required resources"
    log = [record(second, text, job_id=JOB) for second in (10, 60, 200)]
    log.append(record(100, LOST, event="hb.tm.rm.timeout"))
    facts = only(slots.measure(hand_made(**line_of_jobs(), log_record=log)), "slots").facts
    assert (facts["refused"], facts["refused_before_loss"]) == (3, 2)


def test_pods_without_a_node_are_reported_with_the_reason() -> None:
    reason = "0/3 nodes are available: 3 Insufficient memory."
    log = [
        record(each, f"FailedScheduling: {reason}", event="k8s.event.unschedulable", reason=reason, count=4.0)
        for each in (1, 2)
    ]
    facts = only(slots.measure(hand_made(**line_of_jobs(), log_record=log)), "slots").facts
    assert (facts["unscheduled"], facts["unscheduled_reason"]) == (8, reason)


@pytest.mark.parametrize(("total", "fits"), [(1, 1), (0, None)])
def test_without_any_slot_no_parallelism_fits(total: int, fits: int | None) -> None:
    samples = [{"scope": "cluster", "metric": "taskSlotsTotal", "ts_ms": START, "value": float(total)}]
    evidence = hand_made(**line_of_jobs(), metric_sample=samples)
    assert only(slots.measure(evidence), "slots").facts.get("parallelism_that_fits") == fits


def test_a_taskmanager_that_registers_under_a_name_in_use_replaces_another() -> None:
    def registered(second: int, name: str) -> dict[str, Any]:
        return record(
            second, f"Registering TaskManager with ResourceID {name} (akka.tcp://flink@tm:6122) at ResourceManager"
        )

    closed = record(20, "Closing TaskExecutor connection tm-1 because: The TaskExecutor is shutting down.")
    log = [
        *(registered(second, "flink-tm") for second in (1, 2, 3)),
        registered(5, "tm-1"),
        closed,
        registered(30, "tm-1"),
    ]
    facts = only(slots.measure(hand_made(**line_of_jobs(), log_record=log)), "slots").facts
    assert (facts["replaced"], facts["replaced_id"]) == (2, "flink-tm")


def test_a_taskmanager_that_was_cut_off_registers_again_under_the_name_it_made() -> None:
    text = "Registering TaskManager with ResourceID tm-1:6122-c4c982 (akka.tcp://flink@tm-1:6122) at ResourceManager"
    log = [record(second, text) for second in (1, 20, 40, 60)]
    assert only(slots.measure(hand_made(**line_of_jobs(), log_record=log)), "slots").facts["replaced"] == 0


def test_all_register_anew_at_a_new_leader() -> None:
    text = "Registering TaskManager with ResourceID tm-1 (akka.tcp://flink@tm:6122) at ResourceManager"
    granted = record(20, "ResourceManager was granted leadership with fencing token 1", event="ha.rm.granted")
    log = [record(1, text), granted, record(30, text)]
    assert only(slots.measure(hand_made(**line_of_jobs(), log_record=log)), "slots").facts["replaced"] == 0


def test_an_ordinary_log_has_none_of_it() -> None:
    evidence = hand_made(log_record=[record(0, "Starting rest endpoint.")])
    assert only(out_of_memory.measure(evidence), "out_of_memory").facts["errors"] == 0
    assert only(network_buffers.measure(evidence), "network_buffers").facts["insufficient"] == 0
    assert only(exceptions.measure(evidence), "exceptions").facts["failures"] == 0
    assert only(slots.measure(evidence), "slots").facts["refused"] == 0
    assert signals_of_key(task_manager_loss.measure(evidence), "task_manager_loss") == []
    assert only(task_manager_loss.measure_all(evidence), "task_manager_loss.all").facts["lost"] == 0


def test_task_managers_are_gone_since_the_loss_or_since_the_first_sample_with_fewer() -> None:
    """Those that ended themselves are no loss that the JobManager notices: their finding had no time."""
    points = [(START + 10_000 * place, value) for place, value in enumerate((2.0, 2.0, 1.0, 0.0))]
    assert task_manager_loss.gone_ms(points, ()) == START + 20_000
    assert task_manager_loss.gone_ms(points, (START + 14_000, START + 25_000)) == START + 14_000
    assert task_manager_loss.gone_ms(points[:2], ()) is None


def test_without_logs_nothing_is_measured() -> None:
    empty = hand_made()
    missing: dict[str, str] = {}
    for signal in (exceptions, restarts, slots, out_of_memory, network_buffers, task_manager_loss):
        missing |= needs(signal.measure(empty))
    assert missing == {
        "exceptions": "jobmanager-log",
        "restarts": "jobmanager-log",
        "slots": "jobmanager-log",
        "out_of_memory": "taskmanager-log",
        "network_buffers": "taskmanager-log",
        "task_manager_loss": "jobmanager-log",
    }
    assert needs(task_manager_loss.measure_all(empty)) == {"task_manager_loss.all": "jobmanager-log"}


def test_a_task_that_does_not_end_is_reported_with_the_method_it_is_stuck_in() -> None:
    warning = (
        "Task 'enrich (1/2)#0' did not react to cancelling signal - interrupting; it is stuck for 30 seconds in method:"
    )
    told = {"event": "task.cancel.stuck", "vertex": "enrich", "subtask": 0, "count": 30.0, "process": "taskmanager"}
    told["reason"] = ": java.base@17/java.net.SocketInputStream.read(SocketInputStream.java:150)"
    log = [record(5, warning, **told), record(35, warning, **{**told, "count": 60.0})]
    log.append(record(200, "Task did not exit gracefully within 180 + seconds.", event="task.cancel.timeout"))
    facts = only(stuck_tasks.measure(hand_made(**line_of_jobs(), log_record=log)), "stuck_tasks").facts
    assert (facts["warnings"], facts["tasks"], facts["killed"], facts["longest_ms"]) == (2, 1, 1, 60_000)
    assert (facts["vertex"], facts["frame"]) == ("enrich", "java.net.SocketInputStream.read")
    assert (facts["system"], facts["role"]) == ("socket", "call")


def test_a_task_that_does_not_end_names_the_system_that_it_waits_for(tmp_path: Path) -> None:
    text = (
        "2026-11-21 01:30:00,000 WARN  org.apache.flink.runtime.taskmanager.Task [] - Task 'enrich (1/2)#0' did not "
        "react to cancelling signal for 30 seconds, but is stuck in method:\n"
        " java.net.SocketInputStream.socketRead0(Native Method)\n"
        "com.mysql.jdbc.MysqlIO.readFully(MysqlIO.java:3008)\n"
        "com.mysql.jdbc.PreparedStatement.executeQuery(PreparedStatement.java:1966)\n"
        "org.acme.Prices.query(Prices.java:193)\n"
        "org.apache.flink.streaming.api.operators.co.IntervalJoinOperator.collect(IntervalJoinOperator.java:274)\n"
        "2026-11-21 01:30:01,000 INFO  org.apache.flink.runtime.taskmanager.Task [] - done\n"
    )
    log = read(FORMATS["flink-log"], text, tmp_path).rows["log_record"]
    facts = only(stuck_tasks.measure(hand_made(**line_of_jobs(), log_record=log)), "stuck_tasks").facts
    assert (facts["vertex"], facts["frame"]) == ("enrich", "java.net.SocketInputStream.socketRead0")
    assert (facts["system"], facts["role"], facts["own_frame"]) == ("MySQL", "look-up", "org.acme.Prices.query")


def test_refused_managed_memory_comes_with_what_was_asked_for() -> None:
    said = "Could not allocate 67108864 bytes, only 1024 bytes are remaining."
    log = [
        failed(10, "org.apache.flink.runtime.memory.MemoryReservationException", said, "x.UnsafeMemoryBudget.reserve")
    ]
    facts = only(managed_memory.measure(hand_made(**line_of_jobs(), log_record=log)), "managed_memory").facts
    assert (facts["refused"], facts["asked_bytes"], facts["left_bytes"]) == (1, 67_108_864, 1_024)


def test_kubernetes_alone_counts_no_failure_as_zero() -> None:
    killed = [record(5, "Container flink-main-container: OOMKilled", process="kubernetes")]
    evidence = hand_made(logs=0, log_record=killed)
    memory = only(out_of_memory.measure(evidence), "out_of_memory").facts
    assert memory["killed"] == 1
    assert "heap_errors" not in memory, "nobody looked"
    together = only(task_manager_loss.measure_all(evidence), "task_manager_loss.all").facts
    assert "lost" not in together
