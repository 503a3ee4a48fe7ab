"""Options checked against the catalogue, against each other and against the durations of checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.signals import settings_check, state_limit
from tests.diagnostics.hand_made import JOB, SINK, START, hand_made, line_of_jobs, needs, only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnostics.evidence.subject import FactValue

INTERVAL = {"key": "execution.checkpointing.interval", "value": "500 ms"}
OVER = (
    "Size of the state is larger than the maximum permitted memory-backed state. Size=5255167, maxSize=5242880. "
    "Consider using a different checkpoint storage, like the FileSystemCheckpointStorage."
)


def _checked(*options: dict[str, str], version: str | None = None) -> Mapping[str, FactValue]:
    rows = [{"scope": "cluster", **each} for each in (INTERVAL, *options)]
    if version:
        rows.append({"scope": "environment", "key": "flink.version", "value": version})
    return only(settings_check.measure(hand_made(**line_of_jobs(), config_option=rows)), "settings_check").facts


def test_a_misspelt_option_is_reported_with_what_is_meant() -> None:
    facts = _checked({"key": "execution.checkpointing.tiemout", "value": "10 min"})
    assert facts["misspelt"] == ["execution.checkpointing.tiemout (probably execution.checkpointing.timeout)"]


@pytest.mark.parametrize(
    ("hosts", "count"),
    [
        (("localhost:18140", "localhost:18141"), 1),
        (("127.0.0.1:19130", "127.0.0.1:19131"), 1),
        (("localhost:18140", "127.0.0.1:18141", "[::1]:18142"), 1),
        (("tm-1:6122", "tm-1:6123", "tm-2:6122"), 2),
        (("2001:db8::1", "[2001:db8::2]:6122"), 2),
    ],
)
def test_task_managers_at_several_ports_of_a_host_run_on_one_host(hosts: tuple[str, ...], count: int) -> None:
    listed = [{"task_manager": f"tm-{place}", "host": host} for place, host in enumerate(hosts)]
    option = {"scope": "cluster", **INTERVAL}
    evidence = hand_made(**line_of_jobs(), config_option=[option], task_manager=listed)
    assert only(settings_check.measure(evidence), "settings_check").facts["hosts"] == count


def test_a_value_that_flink_refuses_is_reported_with_what_it_allows() -> None:
    facts = _checked({"key": "taskmanager.numberOfTaskSlots", "value": "two"})
    assert facts["wrong"] == ["taskmanager.numberOfTaskSlots: two (allowed: a whole number)"]


@pytest.mark.parametrize(
    ("key", "version", "kind", "told"),
    [
        ("akka.ask.timeout", "1.20.1", "renamed", "akka.ask.timeout (now pekko.ask.timeout)"),
        (
            "execution.checkpointing.dir",
            "1.17.1",
            "without_effect",
            "execution.checkpointing.dir (in Flink 1.17: state.checkpoints.dir)",
        ),
        (
            "taskmanager.network.memory.buffers-per-channel",
            "2.0.0",
            "without_effect",
            "taskmanager.network.memory.buffers-per-channel (until Flink 1.20)",
        ),
    ],
)
def test_a_name_with_another_meaning_in_the_version_is_reported(key: str, version: str, kind: str, told: str) -> None:
    facts = _checked({"key": key, "value": "10"}, version=version)
    assert facts[kind] == [told]


def test_without_a_known_version_no_name_is_called_old() -> None:
    facts = _checked({"key": "akka.ask.timeout", "value": "10 s"})
    assert (facts["renamed_count"], facts["without_effect_count"]) == (0, 0)


def test_names_to_set_are_those_of_the_version() -> None:
    assert _checked(version="1.12.7")["storage_key"] == "state.backend"
    assert _checked(version="1.17.1")["storage_key"] == "state.checkpoint-storage"
    assert _checked(version="2.1.0")["storage_key"] == "execution.checkpointing.storage"


def test_options_in_several_files_are_reported_once() -> None:
    wrong = {"key": "heartbeat.timeout", "value": "long"}
    assert _checked(wrong, {**wrong, "file_id": 1})["wrong_count"] == 1  # type: ignore[dict-item]


def test_durations_are_held_against_the_interval() -> None:
    checkpoints = [
        {
            "job_id": JOB,
            "checkpoint_id": number,
            "status": "COMPLETED",
            "trigger_ms": START + number * 500,
            "end_to_end_ms": 700.0,
            "ts_ms": START + 60_000,
        }
        for number in range(1, 11)
    ]
    options = [{"scope": "cluster", **INTERVAL}]
    evidence = hand_made(**line_of_jobs(), checkpoint=checkpoints, config_option=options)
    facts = only(settings_check.measure(evidence), "settings_check").facts
    assert (facts["per_hour"], facts["usual_to_interval_ratio"], facts["completed"]) == (7200, 1.4, 10)
    assert (facts["proposed_interval_ms"], facts["proposed_min_pause_ms"]) == (10_000, 1000)
    assert (facts["few_completed"], facts["longest_duration_ms"]) == (10, 700)
    assert "long_duration_ms" not in facts, "of ten checkpoints none is the slowest of twenty"
    assert facts["usual_of_expired"] is False, "none expired: it is known that half of them did not"


def test_durations_of_metrics_are_held_against_the_interval() -> None:
    counted = {"numberOfCompletedCheckpoints": 1.0, "lastCheckpointDuration": 900.0}
    samples = [
        {"metric": metric, "scope": "job", "job_id": JOB, "value": value * (step if value == 1 else 1)}
        | {"ts_ms": START + step * 1000}
        for step in range(1, 31)
        for metric, value in counted.items()
    ]
    evidence = hand_made(**line_of_jobs(), metric_sample=samples, config_option=[{"scope": "cluster", **INTERVAL}])
    facts = only(settings_check.measure(evidence), "settings_check").facts
    assert (facts["completed"], facts["usual_to_interval_ratio"], facts["long_to_interval_ratio"]) == (30, 1.8, 1.8)


@pytest.mark.parametrize(("usual_ms", "single"), [(2_000.0, True), (12_000.0, False)])
def test_single_slow_checkpoints_are_no_fault_of_the_interval(usual_ms: float, single: bool) -> None:
    interval = {"key": "execution.checkpointing.interval", "value": "10 s", "scope": "cluster"}
    checkpoints = [
        {
            "job_id": JOB,
            "checkpoint_id": number,
            "status": "COMPLETED",
            "trigger_ms": START + number * 10_000,
            "end_to_end_ms": took_ms,
            "ts_ms": START + 200_000,
        }
        for number, took_ms in enumerate([usual_ms] * 9 + [21_000.0])
    ]
    evidence = hand_made(**line_of_jobs(), config_option=[interval], checkpoint=checkpoints)
    assert only(settings_check.measure(evidence), "settings_check").facts["only_single_slow"] is single


def test_pairs_of_options_are_compared() -> None:
    facts = _checked(
        {"key": "heartbeat.interval", "value": "60 s"},
        {"key": "heartbeat.timeout", "value": "30 s"},
        {"key": "parallelism.default", "value": "8"},
        {"key": "pipeline.max-parallelism", "value": "4"},
        {"key": "state.checkpoints.dir", "value": "file:///tmp/checkpoints"},
    )
    assert (facts["heartbeat_ratio"], facts["parallelism_ratio"], facts["local_directory"]) == (0.5, 2, True)


def test_high_availability_without_a_directory_is_reported_of_a_whole_configuration_only() -> None:
    zookeeper = {"key": "high-availability.type", "value": "zookeeper"}
    assert "ha_without_storage" not in _checked(zookeeper)
    whole = {"key": "jobmanager.rpc.address", "value": "jm"}
    assert _checked(zookeeper, whole)["ha_without_storage"] is True
    storage = {"key": "high-availability.storageDir", "value": "s3://bucket/ha"}
    assert _checked(zookeeper, whole, storage)["ha_without_storage"] is False


@pytest.mark.parametrize(
    ("bound", "address", "expected"),
    [("localhost", "10.0.0.5", True), ("127.0.0.1", "localhost", False), ("0.0.0.0", "10.0.0.5", False)],
)
def test_a_jobmanager_bound_to_loopback_is_reported(bound: str, address: str, *, expected: bool) -> None:
    facts = _checked(
        {"key": "jobmanager.bind-host", "value": bound}, {"key": "jobmanager.rpc.address", "value": address}
    )
    assert facts["bound_to_itself"] is expected


@pytest.mark.parametrize(("interval", "expected"), [("0", 5000), ("1s", None)])
def test_rows_without_a_flush_interval_are_reported(interval: str, expected: int | None) -> None:
    of_table = {"scope": "table"}
    facts = _checked(
        {**of_table, "key": "sink.buffer-flush.max-rows", "value": "5000"},
        {**of_table, "key": "sink.buffer-flush.interval", "value": interval},
    )
    assert facts.get("unflushed_rows") == expected


def test_what_flink_says_of_a_refused_option_is_kept() -> None:
    said = "Could not parse value 'two' for key 'taskmanager.numberOfTaskSlots'."
    record = {
        "ts_ms": START,
        "process": "taskmanager",
        "message": "Terminating TaskManagerRunner with exit code 1.",
        "exception_class": "java.lang.IllegalArgumentException",
        "exception_message": said,
    }
    facts = only(settings_check.measure(hand_made(log_record=[record])), "settings_check").facts
    assert (facts["refused"], facts["refused_text"]) == (1, said)


def _declined(number: int, **columns: Any) -> dict[str, Any]:
    return {
        "ts_ms": START + number * 500,
        "process": "jobmanager",
        "job_id": JOB,
        "message": f"Decline checkpoint {number} by task 0123 of job {JOB} at 10.0.0.1:6122.",
        "exception_class": "org.apache.flink.runtime.checkpoint.CheckpointException",
        "root_cause_class": "java.io.IOException",
        "root_cause_message": OVER,
        **columns,
    }


def test_a_state_over_the_limit_is_read_from_the_declined_checkpoint() -> None:
    log = [_declined(272), _declined(273)]
    facts = only(state_limit.measure(hand_made(**line_of_jobs(), log_record=log)), "state_limit").facts
    assert (facts["size_bytes"], facts["limit_bytes"], facts["checkpoint_ids"]) == (5_255_167, 5_242_880, [272, 273])


def test_how_near_the_newest_whole_checkpoint_is_to_the_limit_is_measured() -> None:
    rows = [
        {"job_id": JOB, "checkpoint_id": number, "vertex_id": SINK, "subtask": 0, "ack_ms": ended, "state_bytes": size}
        for number, ended, size in ((396, START, 5_000_000), (397, START + 1_000, 5_238_827), (398, None, 10_000))
    ]
    evidence = hand_made(**line_of_jobs(), log_record=[_declined(272)], subtask_checkpoint=rows)
    facts = only(state_limit.measure(evidence), "state_limit").facts
    assert (facts["last_id"], facts["last_bytes"]) == (397, 5_238_827)
    assert facts["last_ratio"] == pytest.approx(0.99923, abs=1e-5)
    assert facts["room_bytes"] == 4_053
    quiet = hand_made(**line_of_jobs(), log_record=[{"ts_ms": START, "message": "Completed."}], subtask_checkpoint=rows)
    assert "last_id" not in only(state_limit.measure(quiet), "state_limit").facts


def test_a_restart_that_log_and_rest_show_counts_once() -> None:
    reason = "Exceeded checkpoint tolerable failure threshold. The latest checkpoint failed due to x."
    named = {"exception_class": "org.apache.flink.util.FlinkRuntimeException", "exception_message": reason}
    log = [{"ts_ms": START, "process": "jobmanager", "message": "Trying to recover from a global failure.", **named}]
    failure = [{"ts_ms": START + 3, "job_id": JOB, **named}]
    evidence = hand_made(**line_of_jobs(), log_record=log, failure=failure)
    assert only(state_limit.measure(evidence), "state_limit").facts["restarts"] == 1


def test_a_message_over_its_limit_is_reported_with_its_size() -> None:
    said = "The rpc invocation size 12582912 exceeds the maximum pekko framesize."
    record = {"ts_ms": START, "process": "taskmanager", "message": "Could not send", "exception_message": said}
    facts = only(state_limit.measure(hand_made(**line_of_jobs(), log_record=[record])), "state_limit").facts
    assert (facts["oversize"], facts["oversize_bytes"], facts["records"]) == (1, 12_582_912, 0)


def test_without_files_that_could_show_it_nothing_is_measured() -> None:
    evidence = hand_made(**line_of_jobs())
    assert needs(state_limit.measure(evidence)) == {"state_limit": "jobmanager-log"}
    assert needs(settings_check.measure(evidence)) == {"settings_check": "configuration"}


def test_a_restart_strategy_that_the_log_shows_in_effect_is_not_said_to_be_without_effect() -> None:
    """Flink 1.13 reads `restart-strategy`; that the job restarts so shows that the stated option counts."""
    rows = [
        {"scope": "cluster", "key": "restart-strategy.type", "value": "fixed-delay"},
        {"scope": "cluster", **INTERVAL},
        {"scope": "environment", "key": "flink.version", "value": "1.13.6"},
    ]
    used = "Using restart back off time strategy FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts=10)"
    log = [{"ts_ms": START, "level": "INFO", "message": used, "kinds": "strategy", "process": "jobmanager"}]

    silent = hand_made(**line_of_jobs(), config_option=rows)
    shown = hand_made(**line_of_jobs(), config_option=rows, log_record=log)

    assert only(settings_check.measure(silent), "settings_check").facts["without_effect_count"] == 1
    assert only(settings_check.measure(shown), "settings_check").facts["without_effect_count"] == 0


def test_an_option_that_the_log_names_as_used_is_not_said_to_be_without_effect() -> None:
    """Flink warns of the former key of an option when it reads it."""
    rows = [
        {"scope": "cluster", "key": "execution.checkpointing.dir", "value": "s3://b/c"},
        {"scope": "cluster", **INTERVAL},
        {"scope": "environment", "key": "flink.version", "value": "1.13.6"},
    ]
    used = "Config uses deprecated configuration key 'execution.checkpointing.dir' instead of proper key 'x'"
    log = [{"ts_ms": START, "level": "WARN", "message": used, "kinds": "read_setting", "process": "jobmanager"}]

    silent = hand_made(**line_of_jobs(), config_option=rows)
    shown = hand_made(**line_of_jobs(), config_option=rows, log_record=log)

    assert only(settings_check.measure(silent), "settings_check").facts["without_effect_count"] == 1
    assert only(settings_check.measure(shown), "settings_check").facts["without_effect_count"] == 0


def test_an_option_that_one_of_two_versions_reads_is_not_said_to_be_without_effect() -> None:
    """Logs from before an upgrade and answers from after it: either version may be the one that read the option."""
    rows = [
        {"scope": "cluster", "key": "execution.checkpointing.dir", "value": "s3://checkpoints"},
        {"scope": "environment", "key": "flink.version", "value": "1.18.0"},
    ]
    banner = " Starting StandaloneSessionClusterEntrypoint (Version: 1.20.1, Scala: 2.12)"
    log = [{"ts_ms": START, "level": "INFO", "message": banner, "process": "jobmanager"}]

    alone = hand_made(**line_of_jobs(), config_option=rows)
    both = hand_made(**line_of_jobs(), config_option=rows, log_record=log)

    assert only(settings_check.measure(alone), "settings_check").facts["without_effect_count"] == 1
    assert only(settings_check.measure(both), "settings_check").facts["without_effect_count"] == 0


def test_checkpoints_that_expired_count_with_their_timeout_at_least() -> None:
    """1.3 s and 29.6 s completed, two expired after a minute: the mean of the first two is what none takes."""
    options = {"execution.checkpointing.interval": "10 s", "execution.checkpointing.timeout": "60 s"}
    checkpoints = [
        {
            "job_id": JOB,
            "checkpoint_id": number,
            "status": "FAILED" if took_ms == 60_000.0 else "COMPLETED",
            "failure_message": "Checkpoint expired before completing." if took_ms == 60_000.0 else None,
            "trigger_ms": START + number * 60_000,
            "end_to_end_ms": took_ms,
            "ts_ms": START + 300_000,
        }
        for number, took_ms in enumerate([1_300.0, 29_600.0, 60_000.0, 60_000.0])
    ]
    rows = [{"key": key, "value": value, "scope": "cluster"} for key, value in options.items()]
    facts = only(
        settings_check.measure(hand_made(**line_of_jobs(), config_option=rows, checkpoint=checkpoints)),
        "settings_check",
    ).facts
    assert (facts["usual_duration_ms"], facts["usual_of_expired"]) == (60_000, True)
    rarely = [{**each, "status": "COMPLETED", "failure_message": None} for each in checkpoints[:2]] + [
        {**checkpoints[0], "checkpoint_id": 9, "trigger_ms": START + 600_000},
        checkpoints[3],
    ]
    few = only(
        settings_check.measure(hand_made(**line_of_jobs(), config_option=rows, checkpoint=rarely)), "settings_check"
    ).facts
    assert (few["usual_duration_ms"], few["usual_of_expired"]) == (1_300, False), "the median of the completed ones"
    assert (facts["longest_to_timeout_ratio"], facts["longest_duration_ms"]) == (1.0, 29_600)
