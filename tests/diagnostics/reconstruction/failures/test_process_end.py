"""Ends of processes, from YARN, Kubernetes and the processes themselves."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.reconstruction.failures.process_end import process_ends
from diagnostics.reconstruction.failures.task_manager_lost import losses

CONTAINER = "container_e17_1532429921023_0042_01_000003"
CLOSING = f"Closing TaskExecutor connection {CONTAINER} because: "


def event(kind: str, message: str, **rest: Any) -> LogEvent:
    values: dict[str, Any] = dict.fromkeys(LogEvent.__slots__)
    known = {"kind": kind, "message": message, "file_id": 0, "line": 1, "ts_ms": 1_000, "process": "jobmanager"}
    return LogEvent(**{**values, **known, **rest})


def log_of(*events: LogEvent) -> IncidentLog:
    return IncidentLog({each.kind: [each] for each in events})


@pytest.mark.parametrize(
    ("told", "how"),
    [
        (event("closed", f"{CLOSING}Container released on a *lost* node"), "its host was lost"),
        (event("closed", f"{CLOSING}Container preempted by scheduler"), "preempted for another application"),
        (
            event("closed", f"{CLOSING}Exit status: -101. 1/1 local-dirs usable space is below configured utilization"),
            "the disks of its host are full or broken",
        ),
        (
            event("closed", f"{CLOSING}Container killed on request. Exit code is 143"),
            "terminated (exit code 143)",
        ),
        (event("closed", f"{CLOSING}Container exited with a non-zero exit code 1"), "container ended"),
        (
            event(
                "process_end",
                f"Diagnostics for container {CONTAINER} in state COMPLETE : exitStatus=-100 diagnostics=Container",
                event="yarn.container.diagnostics.v17",
            ),
            "its host was lost",
        ),
        (
            event("process_end", "AM Container for x exited with  exitCode: -104", event="yarn.am.failed"),
            "killed for its memory",
        ),
        (
            event("process_end", "AM Container for x exited with  exitCode: -103", event="yarn.am.failed"),
            "killed for its memory",
        ),
        (event("process_end", "Evicted: x (pod/a)", event="k8s.event.evicted"), "evicted"),
        (event("process_end", "Fatal error occurred in TaskExecutor x.", event="res.tm.fatal"), "fatal error"),
    ],
)
def test_the_diagnostics_show_how_a_process_ended(told: LogEvent, how: str) -> None:
    assert [each.how for each in process_ends(log_of(told))] == [how]


def test_a_container_that_is_given_back_has_not_ended() -> None:
    idle = event("closed", f"{CLOSING}TaskExecutor exceeded the idle timeout.")
    assert process_ends(log_of(idle)) == []
    assert losses(log_of(idle)) == []


def test_a_container_that_ended_is_a_lost_task_manager() -> None:
    (loss,) = losses(log_of(event("closed", f"{CLOSING}Container released on a *lost* node")))
    assert (loss.task_manager, loss.how) == (CONTAINER, "container ended")


def test_a_slot_that_is_taken_from_a_job_names_the_task_manager_that_is_lost() -> None:
    told = f"org.apache.flink.util.FlinkException: The assigned slot {CONTAINER}_1 was removed."
    (loss,) = losses(log_of(event("failure", "Task switched from RUNNING to FAILED.", exception_message=told)))
    assert loss.task_manager == CONTAINER


def test_a_task_manager_of_the_legacy_mode_is_lost_when_its_actor_ends() -> None:
    path = "akka.tcp://flink@worker-3:40123/user/taskmanager"
    (loss,) = losses(log_of(event("lost", f"Task manager {path} terminated.", task_manager=path)))
    assert (loss.task_manager, loss.how) == (path, "unreachable")


def test_nothing_ended_without_records() -> None:
    assert process_ends(IncidentLog()) == []
