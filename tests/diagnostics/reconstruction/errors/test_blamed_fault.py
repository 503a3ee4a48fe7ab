"""Which errors of logs count as faults, and when: a failure of known origin goes before all of them."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.reconstruction.errors.blamed_fault import blamed_faults
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
