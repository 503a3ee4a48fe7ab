"""Which failures count: those of tasks and jobs, and a stack trace by itself."""

from __future__ import annotations

from dataclasses import replace

from diagnostics.reconstruction.failures.fault import faults
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.reconstruction.job.cluster import Cluster

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


def test_output_beside_a_log_is_not_a_log_record() -> None:
    assert faults(IncidentLog({"pasted": [PASTED]}, is_log=True), Cluster()) == []
    found = faults(IncidentLog({"pasted": [PASTED], "failure": [FAILED]}, is_log=True), Cluster())
    assert [each.exception for each in found] == ["java.io.IOException"]


def test_a_trace_that_repeats_an_earlier_failure_is_not_counted() -> None:
    reported = replace(PASTED, root_cause_message="Exceeded checkpoint tolerable failure threshold.")
    assert faults(IncidentLog({"pasted": [reported]}, is_log=False), Cluster()) == []
