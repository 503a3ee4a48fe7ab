"""Losses of ZooKeeper or Kubernetes by the processes, and their consequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.signals import high_availability
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnostics.evidence.subject import FactValue


def record(second: float, event: str | None, message: str = "", process: str = "jobmanager", **rest: Any) -> Any:
    return {
        "ts_ms": START + round(second * 1000),
        "event": event,
        "message": message or event,
        "process": process,
        "file_id": 0 if process == "jobmanager" else 1,
        **rest,
    }


def changed(second: float, state: str, process: str = "jobmanager", **rest: Any) -> Any:
    return record(second, "zk.curator.state", f"State change: {state}", process, state_to=state, **rest)


def facts(log: list[Any], **tables: Any) -> Mapping[str, FactValue]:
    evidence = hand_made(log_record=log, **tables)
    return only(high_availability.measure(evidence), "high_availability").facts


def test_an_outage_on_all_processes_is_one_outage_with_its_processes_together() -> None:
    measured = facts(
        [
            record(0, "zk.client.established", duration_ms=12_000.0),
            record(0, "zk.client.established", process="taskmanager", duration_ms=12_000.0),
            record(60, "zk.client.timeout", duration_ms=8_000.0),
            changed(60, "SUSPENDED"),
            changed(61, "SUSPENDED", "taskmanager"),
            changed(72, "LOST"),
            changed(73, "LOST", "taskmanager"),
            changed(90, "RECONNECTED"),
        ],
    )
    assert (measured["service"], measured["outages"], measured["processes_together"]) == ("ZooKeeper", 1, 2)
    assert (measured["suspended"], measured["lost"], measured["silent_ms"]) == (2, 2, 8_000)
    assert (measured["session_timeout_ms"], measured["back_ms"]) == (12_000, START + 90_000)


def test_breaks_that_did_not_cost_the_session_are_what_is_suspended_more_often_than_lost() -> None:
    short = [changed(100.0 * each, "SUSPENDED") for each in range(3)]
    assert facts([*short, changed(212, "LOST")])["short_breaks"] == 2
    assert facts([changed(0, "SUSPENDED"), changed(12, "LOST")])["short_breaks"] == 0


def test_two_outages_some_time_apart_are_two_with_times_of_their_own() -> None:
    measured = facts([changed(0, "SUSPENDED"), changed(12, "LOST"), changed(100, "SUSPENDED")])
    assert measured["outages"] == 2
    spans = measured["outage_spans"]
    assert isinstance(spans, list)
    assert [str(each).partition("(")[2] for each in spans] == ["≥ 12 s)", "≥ 0 ms)"]


def test_an_outage_lasts_from_the_last_answer_until_a_client_has_a_session_again() -> None:
    measured = facts(
        [
            record(0, "zk.client.established", duration_ms=12_000.0),
            record(60, "zk.client.timeout", "Client session timed out", "taskmanager", duration_ms=8_000.0),
            record(62, "zk.client.timeout", duration_ms=8_000.0),
            changed(72, "LOST"),
            record(78, "zk.curator.bg_gaveup", "Background operation retry gave up", "taskmanager"),
            record(84, "zk.client.established", duration_ms=12_000.0),
        ],
    )
    assert (measured["first_ms"], measured["answered_ms"]) == (START + 54_000, START + 84_000)
    assert (measured["longest_ms"], measured["gave_up"]) == (30_000, 1)
    assert str(measured["outage_spans"]).endswith("(30 s)']")


def test_an_outage_ends_when_a_server_starts_again_before_a_client_connects() -> None:
    limit = {"process": "zookeeper", "file_id": 5, "duration_ms": 40_000.0}
    started = record(43, "zk.server.start", "Created server with tickTime 2000 ms", **limit)
    measured = facts([changed(0, "SUSPENDED"), changed(12, "LOST"), started, changed(48, "RECONNECTED")])
    assert (measured["answered_ms"], measured["longest_ms"]) == (START + 43_000, 43_000)
    assert (measured["session_limit_ms"], measured["outages_beyond_limit"]) == (40_000, 1)


def test_a_process_that_starts_during_an_outage_has_no_connection_to_lose() -> None:
    starts = [record(0, "layout.banner"), record(70, "layout.banner", file_id=7)]
    refused = "Session 0x0 for server zk-1:2181, Closing socket connection."
    log = [
        *starts,
        record(1, "zk.client.established", duration_ms=12_000.0),
        changed(60, "SUSPENDED"),
        record(71, "zk.client.reconnect", refused, file_id=7),
        changed(71.1, "SUSPENDED", file_id=7),
    ]
    measured = facts(log)
    assert (measured["processes"], measured["processes_connected"]) == (1, 1)
    assert measured["processes_never_connected"] == 1
    assert "processes_together" not in measured, "no other process could have lost it"
    without_start = facts([each for each in log if each not in starts])
    assert (without_start["processes"], without_start["processes_never_connected"]) == (2, 0)


def proposed(answered_s: float, **options: str) -> tuple[FactValue, FactValue]:
    """Session timeout and wait between retries proposed for an outage of that length."""
    rows = [
        {"scope": "cluster", "key": f"high-availability.zookeeper.client.{name.replace('_', '-')}", "value": value}
        for name, value in options.items()
    ]
    log = [record(-9, "zk.client.established", duration_ms=12_000.0), changed(0, "SUSPENDED"), changed(12, "LOST")]
    measured = facts([*log, changed(answered_s, "RECONNECTED")], config_option=rows)
    return measured.get("session_timeout_needed_ms"), measured.get("retry_wait_needed_ms")


def test_session_and_waits_are_proposed_to_outlast_the_outage_within_what_servers_grant() -> None:
    """Three retries of 8 s outlast 24 s, and wait for at most 112 s; five more retries of 2 s may wait for hours."""
    assert proposed(24) == (30_000, 8_000)
    assert proposed(24, retry_wait="8 s") == (30_000, None)
    assert proposed(24, max_retry_attempts="6") == (30_000, None)
    assert proposed(43, retry_wait="2 s") == (40_000, 15_000)
    assert proposed(300, retry_wait="2 s") == (40_000, 100_000)


def test_a_granted_session_counts_and_not_the_one_that_was_asked_for() -> None:
    options = [{"scope": "cluster", "key": "high-availability.zookeeper.client.session-timeout", "value": "60 s"}]
    log = [record(0, "zk.client.established", duration_ms=40_000.0), changed(60, "SUSPENDED")]
    assert facts(log, config_option=options)["session_timeout_ms"] == 40_000


def ends_after(*completed_s: float) -> FactValue:
    """The end of two outages 40 s apart, with checkpoints completed at these seconds."""
    log = [changed(0, "SUSPENDED"), changed(12, "LOST"), changed(52, "SUSPENDED")]
    log += [
        record(second, "jm.ckpt.completed", f"Completed checkpoint {number}", checkpoint_id=number, duration_ms=90.0)
        for number, second in enumerate(completed_s, 1)
    ]
    return facts(log).get("ended_ms")


def test_trouble_with_the_service_is_over_when_checkpoints_complete_for_longer_than_between_outages() -> None:
    assert ends_after(60, 80, 105) == START + 60_000
    assert ends_after(60, 80, 95) is None
    assert ends_after(20, 30) is None
    assert ends_after() is None


def test_a_client_is_no_process_that_loses_the_service() -> None:
    of_client = record(0, "zk.client.established", process="client", duration_ms=12_000.0) | {"file_id": 2}
    measured = facts([of_client, record(0, "zk.client.established"), changed(60, "SUSPENDED")])
    assert (measured["processes"], measured["processes_connected"]) == (1, 1)


def test_components_of_one_job_manager_that_lose_leadership_together_count_once() -> None:
    measured = facts(
        [
            changed(60, "SUSPENDED"),
            record(60.1, "ha.rm.revoked"),
            record(60.2, "ha.dispatcher.revoked"),
            record(60.3, "ha.jobmaster.revoked", job_id=JOB),
            record(61, None, f"Job orders ({JOB}) switched from state RUNNING to SUSPENDED.", state_to="SUSPENDED"),
        ],
    )
    assert (measured["leadership_lost"], measured["jobs_suspended"]) == (1, 1)


def test_a_leadership_that_nobody_is_granted_again_is_gone() -> None:
    revoked, granted = record(60, "ha.rm.revoked"), record(75, "ha.rm.granted")
    shut_down = record(59, "res.jm.shutdown", "Shutting x down with application status FAILED. Diagnostics y.")
    assert facts([revoked])["leadership_gone"] is True
    assert facts([revoked, granted])["leadership_gone"] is False
    assert facts([shut_down, revoked])["leadership_gone"] is False


def test_a_process_that_ends_with_an_error_of_zookeeper_is_counted_and_named() -> None:
    keeper = {"exception_class": "org.apache.zookeeper.KeeperException$ConnectionLossException"}
    said = {"exception_message": "KeeperErrorCode = ConnectionLoss", **keeper}
    measured = facts(
        [
            record(0, None, "Starting TaskManager with ResourceID: tm-1:6122-aa", "taskmanager"),
            record(60, "res.jm.entry.fatal", "Fatal error occurred in the cluster entrypoint.", **said),
            record(61, "res.tm.runner.fatal", "Fatal error occurred while executing", "taskmanager", **said),
            record(61.5, "res.tm.runner.fatal", "Fatal error occurred while executing", "taskmanager", **said),
        ],
    )
    assert (measured["jobmanagers_ended"], measured["task_managers_ended"]) == (1, 1)
    assert (measured["task_managers_ended_names"], measured["connection_loss"]) == (["tm-1:6122-aa"], 3)


def test_a_fatal_error_of_something_else_is_not_blamed_on_the_service() -> None:
    out_of_memory = {"exception_class": "java.lang.OutOfMemoryError", "exception_message": "Metaspace"}
    measured = facts([record(60, "res.jm.entry.fatal", **out_of_memory)])
    assert (measured["jobmanagers_ended"], measured["jobmanagers_failed"]) == (0, 1)


def test_a_checkpoint_whose_pointer_could_not_be_written_is_counted() -> None:
    said = {"exception_message": "Could not complete the pending checkpoint 17.", "level": "WARN"}
    cause = {"root_cause_message": "KeeperErrorCode = ConnectionLoss for /flink/jobs"}
    failed = record(60, "jm.ckpt.failed", "Failed to trigger or complete checkpoint 17", **said, **cause)
    assert facts([failed])["checkpoint_failures"] == 1


def test_a_job_manager_that_starts_after_another_one_ended_is_a_restart() -> None:
    starts = [
        record(0, "layout.banner", file_id=0),
        record(50, None, "last words", file_id=0),
        record(60, "layout.banner", file_id=2),
        record(90, None, "last words", file_id=2),
    ]
    measured = facts(starts)
    assert (measured["jobmanager_starts"], measured["jobmanager_restarts"]) == (2, 1)


@pytest.mark.parametrize(("second", "restarts"), [(JOB, 1), ("f" * 32, 0)])
def test_the_job_manager_of_another_cluster_is_no_restart(second: str, restarts: int) -> None:
    """Two clusters in one upload: the later one seemed to have replaced the JobManager of the other."""
    starts = [
        record(0, "layout.banner", file_id=0),
        record(50, None, "last words", file_id=0, job_id=JOB),
        record(60, "layout.banner", file_id=2),
        record(90, None, "last words", file_id=2, job_id=second),
    ]
    assert facts(starts)["jobmanager_restarts"] == restarts


def test_a_checkpoint_that_was_restored_from_again_and_again_is_named_once() -> None:
    restored = [f"Restoring job {JOB} from Checkpoint {each} @ 1 for {JOB} located at file:/x." for each in (3, 3, 4)]
    measured = facts([record(60 + place, "jm.ckpt.restore_from", text) for place, text in enumerate(restored)])
    assert measured["restored_from"] == [3, 4]


def test_a_standby_job_manager_is_no_restart() -> None:
    starts = [
        record(0, "layout.banner", file_id=0),
        record(1, "layout.banner", file_id=2),
        record(50, None, "still there", file_id=0),
        record(50, None, "still there", file_id=2),
    ]
    assert facts(starts)["jobmanager_restarts"] == 0


def test_a_lock_of_kubernetes_that_cannot_be_renewed_is_the_services_failure() -> None:
    measured = facts([record(60, "k8s.leader.renew"), record(60.2, "ha.rm.revoked")])
    assert (measured["service"], measured["lock_failures"], measured["leadership_lost"]) == ("Kubernetes", 1, 1)


def test_restores_servers_and_timeout_come_from_log_and_configuration() -> None:
    restored = f"Restoring job {JOB} from Checkpoint 15 @ 1795224363287 for {JOB} located at file:/x."
    options = [
        {"scope": "cluster", "key": "high-availability.zookeeper.quorum", "value": "zk-1:2181,zk-2:2181,zk-3:2181"},
        {"scope": "cluster", "key": "high-availability.zookeeper.client.session-timeout", "value": "40 s"},
    ]
    measured = facts([record(60, "jm.ckpt.restore_from", restored)], config_option=options)
    assert (measured["restored_from"], measured["servers"], measured["session_timeout_ms"]) == ([15], 3, 40_000)


def test_collections_that_fill_the_time_before_are_reported() -> None:
    pauses = [
        {"file_id": 2, "ts_ms": START + second * 1000, "uptime_ms": second * 1000.0, "kind": "full", "pause_ms": 900.0}
        for second in range(30, 60)
    ]
    share = facts([changed(60, "SUSPENDED")], gc_pause=pauses)["pause_ratio_before"]
    assert isinstance(share, float)
    assert share > 0.8


def test_a_job_without_high_availability_has_no_trouble() -> None:
    measured = facts([record(0, "noise.sasl_failed", "Authentication failed", level="ERROR")])
    assert (measured["signs"], measured["outages"], measured.get("service")) == (0, 0, None)


def test_without_logs_the_job_managers_log_is_asked_for() -> None:
    assert needs(high_availability.measure(hand_made())) == {"high_availability": "jobmanager-log"}


def test_a_process_that_connected_after_the_outage_could_not_have_lost_it() -> None:
    log = [
        record(1, "zk.client.established", duration_ms=12_000.0),
        changed(60, "SUSPENDED"),
        changed(72, "LOST"),
        record(120, "zk.client.established", duration_ms=12_000.0, file_id=7),
    ]
    measured = facts(log)
    assert (measured["processes"], measured["processes_connected"]) == (1, 1)


def test_a_server_that_is_silent_is_told_from_one_whose_process_was_gone() -> None:
    started = record(143, "zk.server.start", "Created server with tickTime 2000 ms", process="zookeeper", file_id=5)
    measured = facts(
        [
            record(0, "zk.client.established", duration_ms=12_000.0),
            record(10, "zk.client.timeout", duration_ms=8_000.0),
            changed(10, "SUSPENDED"),
            changed(30, "RECONNECTED"),
            changed(100, "SUSPENDED"),
            changed(112, "LOST"),
            started,
        ]
    )
    silent, gone, spans = (measured[f"{each}_spans"] for each in ("silent", "gone", "outage"))
    assert isinstance(spans, list)
    assert (silent, gone) == (spans[:1], spans[1:])


def test_the_start_of_a_job_manager_after_another_one_is_among_the_evidence() -> None:
    """Ten lines about sessions proved that a JobManager was started again, and none of them was a start."""
    log = [
        record(0, "layout.banner", "Starting the first", file_id=0),
        *(changed(50 + place, state, file_id=0) for place, state in enumerate(("SUSPENDED", "SUSPENDED", "LOST"))),
        record(90, "layout.banner", "Starting the second", file_id=2),
        record(120, None, "last words", file_id=2),
    ]
    cited = [
        each.text for each in only(high_availability.measure(hand_made(log_record=log)), "high_availability").citations
    ]
    assert "Starting the second" in cited[:5]
    assert "Starting the first" not in cited


def leader(second: float, event: str) -> Any:
    return record(second, event, process="taskmanager", job_id=JOB)


def test_a_leader_that_a_standby_follows_is_no_failure_of_the_service() -> None:
    measured = facts(
        [leader(0, "hb.tm.leader_found"), leader(60, "hb.tm.leader_lost"), leader(63, "hb.tm.leader_found")]
    )
    assert measured["leader_registered_ms"] == START + 63_000
    assert "leader_absent_ms" not in measured


def test_a_leader_that_nobody_follows_is_absent_until_the_log_ends() -> None:
    measured = facts([leader(60, "hb.tm.leader_lost"), record(126, "zk.client.established", process="taskmanager")])
    assert (measured["leader_absent_ms"], measured.get("leader_registered_ms")) == (66_000, None)
