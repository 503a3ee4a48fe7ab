"""Which errors of logs count as faults, and when: a failure of known origin goes before all of them."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.reconstruction.errors.blamed_fault import blamed_faults, came_before
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs


def error(second: float, exception: str, message: str = "x", **rest: Any) -> dict[str, Any]:
    return {
        "ts_ms": START + int(second * 1000),
        "process": "taskmanager",
        "level": "ERROR",
        "logger": "io.debezium.pipeline.ErrorHandler",
        "message": "The source failed.",
        "exception_class": exception,
        "exception_message": message,
        "root_cause_class": exception,
        "root_cause_message": message,
        "causes": f"{exception}: {message}",
        **rest,
    }


def failure(second: float, exception: str) -> dict[str, Any]:
    told = error(second, exception, level="INFO", process="jobmanager", vertex="enrich", subtask=0)
    return {**told, "message": "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1 @ host."}


def completed(second: float) -> dict[str, Any]:
    return {
        "ts_ms": START + int(second * 1000),
        "process": "jobmanager",
        "level": "INFO",
        "event": "jm.ckpt.completed",
        "job_id": JOB,
        "checkpoint_id": 7,
        "message": f"Completed checkpoint 7 for job {JOB} (4096 bytes in 90 ms).",
    }


def blamed(*log: dict[str, Any]) -> list[tuple[str, str]]:
    found = blamed_faults(hand_made(**line_of_jobs(), log_record=log))
    return [(each.exception.rpartition(".")[2], each.reported_by) for each in found]


def test_an_error_counts_where_no_failure_is_logged() -> None:
    assert blamed(error(5, "io.debezium.DebeziumException")) == [("DebeziumException", "error")]


def test_a_failure_of_known_origin_leaves_errors_aside() -> None:
    log = [error(5, "io.debezium.DebeziumException"), failure(6, "java.lang.OutOfMemoryError")]
    assert blamed(*log) == [("OutOfMemoryError", "failure")]


def test_a_failure_of_unknown_origin_lets_errors_speak() -> None:
    log = [error(5, "io.debezium.DebeziumException"), failure(6, "java.lang.Exception")]
    assert blamed(*log) == [("DebeziumException", "error"), ("Exception", "failure")]


def test_an_error_before_a_completed_checkpoint_did_not_stop_the_job() -> None:
    assert blamed(error(5, "io.debezium.DebeziumException"), completed(30)) == []


@pytest.mark.parametrize(
    ("record", "reporter"),
    [
        (error(5, "java.lang.NoClassDefFoundError", level=None, process=None), "client"),
        (error(5, "java.lang.NoClassDefFoundError", process="client"), "client"),
        (error(5, "java.lang.NoClassDefFoundError", message="Fatal error in the cluster entrypoint."), "process"),
    ],
)
def test_who_reports_an_error_is_kept(record: dict[str, Any], reporter: str) -> None:
    if reporter == "process":
        record["message"] = "Fatal error occurred in the cluster entrypoint."
    assert blamed(record) == [("NoClassDefFoundError", reporter)]


def test_a_class_that_a_warning_misses_is_optional() -> None:
    """Flink's client tries to load a command line for YARN and warns when Hadoop is not there."""
    log = error(5, "java.lang.NoClassDefFoundError", level="WARN", logger="org.apache.flink.client.cli.CliFrontend")
    assert blamed({**log, "message": "Could not load CLI class FlinkYarnSessionCli."}) == []


@pytest.mark.parametrize(
    "said",
    [
        "Shutting YarnJobClusterEntrypoint down with application status FAILED. Diagnostics java.io.IOException",
        "Deployment took more than 60 seconds. Please check if the requested resources are available",
    ],
)
def test_a_failure_that_flink_reports_without_the_level_of_an_error_counts(said: str) -> None:
    assert blamed(informed(5, said)) == [("IOException", "error")]


def test_other_records_of_that_level_do_not_count() -> None:
    assert blamed(informed(5, "Retrying after an exception.")) == []


def test_a_client_that_waited_before_the_job_ran_does_not_count() -> None:
    waited = informed(5, "Deployment took more than 60 seconds.") | {"process": "client"}
    assert blamed(waited) == [("IOException", "client")]
    assert blamed(waited, completed(9)) == []


def test_an_application_that_could_not_be_executed_is_a_failure_of_the_job() -> None:
    refused = error(5, "org.acme.GapException", level="WARN", process="jobmanager", logger="DetachedApplicationRunner")
    assert blamed(refused | {"message": "Could not execute application: "})[0] == ("GapException", "failure")


def informed(second: float, said: str) -> dict[str, Any]:
    return error(second, "java.io.IOException", level="INFO", logger="ClusterEntrypoint") | {"message": said}


def test_an_error_after_which_the_log_goes_on_for_long_is_passed() -> None:
    def reporters(*log: dict[str, Any], end: float) -> list[str]:
        counted = [{"file_id": 0, "last_ms": START + int(end * 1000), "process": "taskmanager", "records": 9}]
        found = blamed_faults(hand_made(**line_of_jobs(), log_record=log, log_count=counted))
        return [each.reported_by for each in found]

    first = error(5, "io.debezium.DebeziumException")
    assert reporters(first, end=60) == ["error"]
    assert reporters(first, end=1200) == ["passed"]
    assert reporters(first | {"level": "WARN"}, end=1200) == ["passed"]
    assert reporters(first, error(1190, "io.debezium.DebeziumException"), end=1200) == ["error", "error"]


def test_an_error_that_nothing_is_known_of_comes_before_no_other() -> None:
    """It mostly reports the same trouble in other words."""
    unknown = error(5, "org.acme.GapException", logger="org.acme.Platform")
    missing = error(6, "java.lang.NoClassDefFoundError", "com/acme/Order")

    def before(*log: dict[str, Any]) -> str | None:
        found = blamed_faults(hand_made(**line_of_jobs(), log_record=log))
        came = came_before(found, found[-1])
        return came.exception if came else None

    assert before(unknown, missing) is None
    assert before(error(5, "io.debezium.DebeziumException"), missing) == "io.debezium.DebeziumException"
    assert before(failure(5, "java.lang.Exception"), missing) == "java.lang.Exception"


def test_the_end_of_a_container_that_yarn_reports_comes_before_no_cause() -> None:
    said = "Application application_1 failed 1 times due to AM Container for appattempt_1 exited with  exitCode: 1"
    ended = failure(5, "java.lang.Exception") | {"root_cause_message": said, "causes": said}
    missing = error(6, "java.lang.NoClassDefFoundError", "com/acme/Order")
    found = blamed_faults(hand_made(**line_of_jobs(), log_record=[ended, missing]))
    assert came_before(found, found[-1]) is None
