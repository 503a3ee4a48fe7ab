"""Which failures count: those of tasks and jobs, and a stack trace by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diagnostics.reconstruction.failures.fault import faults, faults_in
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.reconstruction.job.cluster import Cluster
from tests.diagnostics.hand_made import START, hand_made

PASTED = LogEvent(
    kind="pasted",
    ts_ms=None,
    level=None,
    message="java.lang.NullPointerException",
    process=None,
    job_id=None,
    vertex=None,
    subtask=None,
    attempt=None,
    state_from=None,
    state_to=None,
    task_manager=None,
    exception_class="java.lang.NullPointerException",
    exception_message=None,
    root_cause_class="java.lang.NullPointerException",
    root_cause_message="account is null",
    root_cause_frame="com.acme.Enrich.map",
    user_frame="com.acme.Enrich.map",
    file_id=0,
    line=1,
    last_line=9,
)
FAILED = replace(
    PASTED,
    kind="failure",
    level="WARN",
    ts_ms=1_000,
    message="enrich (1/2) (x) switched from RUNNING to FAILED on tm-1.",
    root_cause_class="java.io.IOException",
)


def test_a_stack_trace_that_stands_alone_is_a_failure() -> None:
    found = faults(IncidentLog({"pasted": [PASTED]}, is_log=False), Cluster())
    assert [(each.exception, each.frame) for each in found] == [
        ("java.lang.NullPointerException", "com.acme.Enrich.map")
    ]


def test_a_trace_below_a_message_of_a_well_job_is_no_failure() -> None:
    said = (
        "ERROR org.apache.flink.runtime.security.modules.HadoopModuleFactory [] - Cannot create Hadoop Security Module."
    )
    harmless = replace(PASTED, message=said, root_cause_class="java.lang.NoClassDefFoundError")
    found = faults(IncidentLog({"pasted": [harmless, PASTED]}, is_log=False), Cluster())
    assert [each.exception for each in found] == ["java.lang.NullPointerException"]


def test_output_beside_a_log_is_not_a_log_record() -> None:
    assert faults(IncidentLog({"pasted": [PASTED]}, is_log=True), Cluster()) == []
    found = faults(IncidentLog({"pasted": [PASTED], "failure": [FAILED]}, is_log=True), Cluster())
    assert [each.exception for each in found] == ["java.io.IOException"]


def test_a_trace_that_repeats_an_earlier_failure_is_not_counted() -> None:
    reported = replace(PASTED, root_cause_message="Exceeded checkpoint tolerable failure threshold.")
    assert faults(IncidentLog({"pasted": [reported]}, is_log=False), Cluster()) == []


@pytest.mark.parametrize(
    "message",
    [
        "The main method caused an error: Could not deploy Yarn job cluster.",
        "Failed to execute job 'orders'.",
        "Job failed (JobID: 6cc03bd88ca1d89828729a826dc71ee1)",
        "Failed to stop with savepoint.",
    ],
)
def test_a_trace_that_is_cut_after_what_failed_states_no_reason(message: str) -> None:
    cut = replace(PASTED, root_cause_class="org.apache.flink.util.FlinkException", root_cause_message=message)
    assert faults(IncidentLog({"pasted": [cut]}, is_log=False), Cluster()) == []


def test_what_failed_is_a_reason_where_its_message_goes_on_with_one() -> None:
    message = "Failed to execute job 'orders': parallelism 4 is above the maximum 2"
    told = replace(PASTED, root_cause_class="org.apache.flink.util.FlinkException", root_cause_message=message)
    assert [each.message for each in faults(IncidentLog({"pasted": [told]}, is_log=False), Cluster())] == [message]


REPORTED = "One or more fetchers have encountered exception"


def of_log(ts_ms: int, **columns: object) -> dict[str, object]:
    return {"ts_ms": START + ts_ms, "process": "taskmanager", "file_id": 1, "line": ts_ms + 1, **columns}


THROWN = {
    "level": "ERROR",
    "logger": "org.apache.flink.connector.base.source.reader.fetcher.SplitFetcherManager",
    "message": "Received uncaught exception.",
    "exception_class": "java.lang.RuntimeException",
    "exception_message": "SplitFetcher thread 0 received unexpected exception while polling the records",
    "root_cause_class": "java.lang.NullPointerException",
    "root_cause_frame": "com.ververica.cdc.connectors.mysql.debezium.reader.BinlogSplitReader.shouldEmit",
    "thrown_in": "com.ververica.cdc.connectors.mysql.debezium.reader.BinlogSplitReader.shouldEmit",
}
CUT = {
    "level": "WARN",
    "logger": "org.apache.flink.runtime.taskmanager.Task",
    "message": "Source: orders (1/1)#3 (x) switched from RUNNING to FAILED with failure cause: "
    f"java.lang.RuntimeException: {REPORTED}",
    "vertex": "Source: orders",
    "subtask": 0,
    "exception_class": "java.lang.RuntimeException",
    "exception_message": REPORTED,
}


@pytest.mark.parametrize(
    ("thrown_ms", "exception"),
    [
        (977, "java.lang.NullPointerException"),
        (1_020, "java.lang.RuntimeException"),
        (-2_000, "java.lang.RuntimeException"),
    ],
)
def test_a_failed_source_has_the_cause_that_its_fetcher_logged_just_before(thrown_ms: int, exception: str) -> None:
    """The trace of the failure is cut before its cause, as in an excerpt of a log."""
    (found,) = faults_in(hand_made(log_record=[of_log(thrown_ms, **THROWN), of_log(1_000, **CUT)]))
    assert (found.exception, found.vertex, found.reported_by) == (exception, "Source: orders", "failure")
    assert (found.origin.id == "connector_code") is (exception == "java.lang.NullPointerException")


def test_a_failure_beside_several_jobs_is_that_of_the_job_that_fell_right_after() -> None:
    """The JobManager of a session names no job beside a failed task: all of its jobs were called ill."""

    def state(ts_ms: int, job: str, to: str) -> LogEvent:
        return replace(PASTED, kind="job_state", ts_ms=ts_ms, job_id=job, state_to=to)

    two = Cluster(job_names={"a": "invoices", "b": "refunds"})

    def jobs(*states: LogEvent) -> list[str | None]:
        log = IncidentLog({"failure": [FAILED], "job_state": list(states)}, is_log=True)
        return [each.job_id for each in faults(log, two)]

    assert jobs(state(500, "a", "RUNNING"), state(1_004, "b", "RESTARTING")) == ["b"]
    assert jobs(state(1_004, "a", "RESTARTING"), state(1_006, "b", "RESTARTING")) == [None]
    assert jobs(state(60_000, "b", "RESTARTING")) == [None]
