"""Logs of a JobManager that end before the end of a checkpoint, or that have refused triggers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.diagnostics.written_log import diagnosed, line

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from diagnostics.analyze import Report

JOB = "5b1c9d6e3f0a4b7c8d9e0f1a2b3c4d5e"
COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"
FAILURES = "org.apache.flink.runtime.checkpoint.CheckpointFailureManager"
GRAPH = "org.apache.flink.runtime.executiongraph.ExecutionGraph"
STARTED = "org.apache.flink.runtime.entrypoint.ClusterEntrypoint"
START = [
    line(0, GRAPH, f"Job orders ({JOB}) switched from state CREATED to RUNNING."),
    line(1, GRAPH, "Source: orders (1/1) (9f0e1d2c3b4a59687766554433221100) switched from INITIALIZING to RUNNING."),
]
NOT_ALL = f"Failed to trigger checkpoint for job {JOB} since Not all required tasks are currently running.."
PAUSE = (
    f"Failed to trigger checkpoint for job {JOB} since The minimum time between checkpoints is still pending."
    " Checkpoint will be triggered after the minimum time.."
)


def triggered(second: float, number: int) -> str:
    return line(second, COORDINATOR, f"Triggering checkpoint {number} (type=CHECKPOINT) @ 1795222000000 for job {JOB}.")


def completed(second: float, number: int) -> str:
    end = f"Completed checkpoint {number} for job {JOB} (9 bytes, checkpointDuration=900 ms, finalizationTime=1 ms)."
    return line(second, COORDINATOR, end)


def later(second: float) -> str:
    return line(second, "org.apache.flink.runtime.rest.RestServer", "Evicted a result whose time to live has expired.")


def old_trigger(second: float, state: str) -> str:
    said = f"Checkpoint triggering task Source: orders (1/2) of job {JOB} is not in state RUNNING but {state} instead."
    return line(second, COORDINATOR, f"{said} Aborting checkpoint.", log4j1=True)


def read(spark: SparkSession, folder: Path, *lines: str) -> Report:
    return diagnosed(spark, folder, **{"jobmanager.log": "\n".join(lines) + "\n"})


def rules_of(report: Report) -> dict[str, Any]:
    return {each["rule"]["id"]: each for each in report.document["findings"]}


def test_a_log_that_ends_with_a_trigger_names_the_checkpoint_and_what_would_show_its_end(
    spark: SparkSession, tmp_path: Path
) -> None:
    report = read(spark, tmp_path, *START, triggered(10, 1), later(310))
    remark = rules_of(report)["warning.open-checkpoint"]
    assert remark["severity"] == "info"
    assert "Checkpoint 1 was triggered" in remark["statement"]
    assert "the log ends 5 min later" in remark["statement"]
    assert "Flink's default timeout of 10 min" in remark["statement"]
    summary = report.document["verdict"]["summary"]
    assert "checkpoints" not in summary.partition("Nothing stands out in")[2]
    assert "hold nothing about checkpoints" not in summary


def test_a_checkpoint_that_is_open_for_longer_than_any_timeout_by_default_is_said_to_be_so(
    spark: SparkSession, tmp_path: Path
) -> None:
    report = read(spark, tmp_path, *START, triggered(10, 1), later(7_210))
    assert "longer than Flink's default timeout of 10 min" in rules_of(report)["warning.open-checkpoint"]["statement"]


def test_a_checkpoint_that_is_open_for_far_longer_than_the_others_took_is_a_finding(
    spark: SparkSession, tmp_path: Path
) -> None:
    good = [
        part for number in range(1, 6) for part in (triggered(10 * number, number), completed(10 * number + 1, number))
    ]
    found = rules_of(read(spark, tmp_path, *START, *good, triggered(60, 6), later(300)))
    assert set(found) == {"timeout.stuck"}
    assert "under way for 4 min when last seen" in found["timeout.stuck"]["statement"]
    assert "It is checkpoint 6, and the log ends at 2026-03-02 10:05:00 UTC" in found["timeout.stuck"]["statement"]


@pytest.mark.parametrize(
    "end",
    [
        [completed(61, 6), later(400)],
        [later(60.5)],
        [line(62, GRAPH, f"Job orders ({JOB}) switched from state RUNNING to CANCELLING."), later(900)],
        [line(90, STARTED, " Starting it (Version: 1.17.2, Scala: 2.12, Rev:abc, Date:2023-06-01)"), later(900)],
        [line(90, STARTED, " Starting it (Version: 1.9.1, Rev:abc, Date:01.10.2019 @ 00:00:00 UTC)"), later(900)],
    ],
    ids=["it completed", "the log was cut in its midst", "the job was stopped", "a new JobManager", "an old one"],
)
def test_a_checkpoint_is_not_open_where(spark: SparkSession, tmp_path: Path, end: list[str]) -> None:
    good = [
        part for number in range(1, 6) for part in (triggered(10 * number, number), completed(10 * number + 1, number))
    ]
    assert not rules_of(read(spark, tmp_path, *START, *good, triggered(60, 6), *end))


@pytest.mark.parametrize("reason", [NOT_ALL, PAUSE])
def test_a_log_with_refused_triggers_alone_is_not_said_to_have_nothing_about_checkpoints(
    spark: SparkSession, tmp_path: Path, reason: str
) -> None:
    report = read(spark, tmp_path, *START, line(5, FAILURES, reason), line(15, FAILURES, reason))
    remark = rules_of(report)["warning.only-refused"]
    assert "2 refused triggers and no checkpoint" in remark["statement"]
    assert "about checkpoints" not in report.document["verdict"]["summary"]
    assert "Nothing stands out" in report.document["verdict"]["summary"]


def test_a_savepoint_that_is_under_way_is_no_slow_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    good = [
        part for number in range(1, 6) for part in (triggered(10 * number, number), completed(10 * number + 1, number))
    ]
    saving = line(60, COORDINATOR, f"Triggering checkpoint 6 (type=SAVEPOINT) @ 1795222000000 for job {JOB}.")
    shown = rules_of(read(spark, tmp_path, *START, *good, saving, later(300)))
    assert set(shown) == {"warning.open-checkpoint"}
    assert shown["warning.open-checkpoint"]["statement"].startswith("Savepoint 6 was triggered")


def test_refused_triggers_that_a_start_brings_are_no_remark(spark: SparkSession, tmp_path: Path) -> None:
    good = [
        part for number in range(1, 6) for part in (triggered(10 * number, number), completed(10 * number + 1, number))
    ]
    assert not rules_of(read(spark, tmp_path, START[0], line(1, FAILURES, NOT_ALL), START[1], *good))


def test_a_task_that_waits_for_its_slot_lacks_resources_and_not_settings(spark: SparkSession, tmp_path: Path) -> None:
    refused = [old_trigger(10 * each, "SCHEDULED") for each in range(1, 31)]
    report = read(spark, tmp_path, *refused)
    assert report.document["verdict"]["symptom_class"] == "resource_shortage"
    assert "its slot" in report.document["verdict"]["summary"]


def test_a_task_that_is_deployed_for_minutes_is_no_fault_of_settings(spark: SparkSession, tmp_path: Path) -> None:
    refused = [old_trigger(10 * each, "DEPLOYING") for each in range(1, 31)]
    report = read(spark, tmp_path, *refused)
    assert report.document["verdict"]["symptom_class"] == "inconclusive"
    (finding,) = report.document["findings"]
    assert finding["rule"]["id"] == "declined.not-ready"
    assert "what Source: orders (1/2) does since it is DEPLOYING" in finding["first_step"]
