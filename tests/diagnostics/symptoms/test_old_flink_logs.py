"""Causes from logs of Flink 1.5 to 1.10, in the wording of these versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.diagnostics.written_log import COORDINATOR, GRAPH, JOB, diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EXECUTION = "7c3d5a0e9b1f42d8a6c4e2f0b8d6a4c2"
CONTAINER = "container_e17_1532429921023_0042_01_000003"
YARN = "org.apache.flink.yarn.YarnResourceManager"
FLINK = "\tat org.apache.flink.runtime.executiongraph.Execution.fail(Execution.java:1)"
REMOVED = f"java.lang.Exception: The assigned slot {CONTAINER}_0 was removed.\n{FLINK}"
BEYOND = (
    f"Container [pid=24213,containerID={CONTAINER}] is running beyond physical memory limits. Current usage: 4.0 GB of"
    " 4 GB physical memory used; 5.9 GB of 8.4 GB virtual memory used. Killing container."
)
SLOTS_1_5 = (
    "org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException: Could not allocate all requires slots"
    f" within timeout of 300000 ms. Slots required: 8, slots allocated: 4\n{FLINK}"
)
SLOTS_1_9 = f"java.util.concurrent.TimeoutException: Pending slot request timed out in SlotPool.\n{FLINK}"
OVERSIZED = (
    "Transient association error (association remains live)\nakka.remote.OversizedPayloadException: Discarding"
    " oversized payload sent to Actor[akka.tcp://flink@worker-3:40123/user/taskmanager_0#1967]: max"
    " allowed size 10485760 bytes, actual size of encoded class"
    " org.apache.flink.runtime.rpc.messages.RemoteRpcInvocation was 83938404 bytes."
)


def failing(second: float, trace: str) -> list[str]:
    """A task fails with this trace as 1.5 to 1.9 tell it, and the job restarts."""
    return [
        line(second, GRAPH, f"enrich (1/2) ({EXECUTION}) switched from RUNNING to FAILED.\n{trace}", log4j1=True),
        line(second + 0.1, GRAPH, f"Job orders ({JOB}) switched from state RUNNING to FAILING.\n{trace}", log4j1=True),
        line(second + 1, GRAPH, f"Job orders ({JOB}) switched from state FAILING to RESTARTING.", log4j1=True),
        line(second + 1.1, GRAPH, f"Restarting the job orders ({JOB}).", log4j1=True),
        line(second + 2, GRAPH, f"Job orders ({JOB}) switched from state RESTARTING to CREATED.", log4j1=True),
        line(second + 3, GRAPH, f"Job orders ({JOB}) switched from state CREATED to RUNNING.", log4j1=True),
    ]


def closed(second: float, reason: str) -> str:
    """The ResourceManager on YARN lets a TaskManager go."""
    return line(second, YARN, f"Closing TaskExecutor connection {CONTAINER} because: {reason}", log4j1=True)


def discarded(second: float, number: int, reason: str) -> list[str]:
    """A checkpoint that a task declined, as 1.5 and 1.6 tell it."""
    return [
        line(second, COORDINATOR, f"Triggering checkpoint {number} @ 1532429921023 for job {JOB}.", log4j1=True),
        line(
            second + 0.2,
            COORDINATOR,
            f"Decline checkpoint {number} by task {EXECUTION} of job {JOB}.",
            log4j1=True,
        ),
        line(second + 0.3, COORDINATOR, f"Discarding checkpoint {number} of job {JOB} because: {reason}", log4j1=True),
    ]


ZOOKEEPER = [
    line(
        30,
        "org.apache.flink.shaded.curator.org.apache.curator.framework.state.ConnectionStateManager",
        "State change: SUSPENDED",
        log4j1=True,
    ),
    line(
        30.1,
        "org.apache.flink.runtime.leaderretrieval.ZooKeeperLeaderRetrievalService",
        "Connection to ZooKeeper suspended. Can no longer retrieve the leader from ZooKeeper.",
        "WARN",
        log4j1=True,
    ),
    line(
        30.2,
        "org.apache.flink.runtime.jobmaster.JobManagerRunner",
        f"JobManager for job orders ({JOB}) was revoked leadership at akka.tcp://flink@jm-1:6123/user/jobmanager_0.",
        log4j1=True,
    ),
    line(30.3, GRAPH, f"Job orders ({JOB}) switched from state RUNNING to SUSPENDED.", log4j1=True),
    line(
        40,
        "org.apache.flink.shaded.curator.org.apache.curator.framework.state.ConnectionStateManager",
        "State change: RECONNECTED",
        log4j1=True,
    ),
]

VERDICTS = {
    "1.6: YARN kills a container for its memory": (
        [closed(30, BEYOND), *failing(30.1, REMOVED)],
        "1.6.2",
        "resource_shortage",
        "beyond physical memory limits",
    ),
    "1.5: slots are missing": (
        [*failing(30, SLOTS_1_5), *failing(340, SLOTS_1_5)],
        "1.5.1",
        "resource_shortage",
        "slots",
    ),
    "1.9: slots are missing": (
        [*failing(30, SLOTS_1_9), *failing(340, SLOTS_1_9)],
        "1.9.1",
        "resource_shortage",
        "slots",
    ),
    "1.6: a snapshot fails": (
        [
            told
            for number in (4, 5, 6)
            for told in discarded(
                10 * number, number, f"Could not complete snapshot {number} for operator enrich (1/2)."
            )
        ],
        "1.6.2",
        "checkpoint_declined",
        "synchronous part failed (3)",
    ),
    "1.5: ZooKeeper is away": (ZOOKEEPER, "1.5.1", "zookeeper_ha", "ZooKeeper"),
    "1.8: a message is too large": (
        [line(30 + 10 * each, "akka.remote.EndpointWriter", OVERSIZED, "ERROR", log4j1=True) for each in range(3)],
        "1.8.1",
        "misconfiguration",
        "framesize",
    ),
}


@pytest.mark.parametrize(("between", "version", "verdict", "said"), VERDICTS.values(), ids=VERDICTS.keys())
def test_an_old_jobmanagers_log_shows_the_cause(
    spark: SparkSession, tmp_path: Path, between: list[str], version: str, verdict: str, said: str
) -> None:
    document = diagnosed(spark, tmp_path, log=jobmanager_log(*between, version=version)).document
    assert document["verdict"]["symptom_class"] == verdict
    assert said in "\n".join(each["statement"] for each in document["findings"])


def test_a_lost_node_of_yarn_is_a_lost_task_manager_and_no_network_partition(
    spark: SparkSession, tmp_path: Path
) -> None:
    log = jobmanager_log(closed(30, "Container released on a *lost* node"), *failing(30.1, REMOVED), version="1.8.1")
    document = diagnosed(spark, tmp_path, log=log).document
    told = "\n".join(each["statement"] for each in document["findings"])
    assert f"1 TaskManager was lost at 2026-03-02 10:00:30 UTC: {CONTAINER}" in told
    assert "its host was lost" in told
    assert document["verdict"]["symptom_class"] != "network_partition"


def test_an_idle_container_that_is_given_back_is_not_lost(spark: SparkSession, tmp_path: Path) -> None:
    log = jobmanager_log(closed(30, "TaskExecutor exceeded the idle timeout."), version="1.8.1")
    document = diagnosed(spark, tmp_path, log=log).document
    assert "task_manager_loss" not in {each["symptom_class"] for each in document["findings"]}


def test_tasks_that_were_not_ready_once_are_no_decline(spark: SparkSession, tmp_path: Path) -> None:
    log = jobmanager_log(*discarded(3, 9, "Task Source: orders (1/2) was not running"), version="1.5.1")
    document = diagnosed(spark, tmp_path, log=log).document
    alarming = {each["symptom_class"] for each in document["findings"] if each["severity"] != "info"}
    assert "checkpoint_declined" not in alarming


def test_the_name_of_a_job_is_known_from_its_submission(spark: SparkSession, tmp_path: Path) -> None:
    submitted = line(
        1, "org.apache.flink.runtime.dispatcher.StandaloneDispatcher", f"Submitting job {JOB} (orders).", log4j1=True
    )
    document = diagnosed(spark, tmp_path, log=jobmanager_log(submitted, version="1.5.1")).document
    assert [job["name"] for job in document["jobs"]] == ["orders"]
