"""Checkpoints that expired, or that failed the job, are followed up by a runbook although their cause is not known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.diagnostics.symptoms.judged import judged
from tests.diagnostics.written_log import diagnosed

EXPIRED = "org.apache.flink.runtime.checkpoint.CheckpointException: Checkpoint expired before completing."
THRESHOLD = "org.apache.flink.util.FlinkRuntimeException: Exceeded checkpoint tolerable failure threshold."
MANAGER = "org.apache.flink.runtime.checkpoint.CheckpointFailureManager"
COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"


def first_of(document: dict[str, Any]) -> dict[str, Any]:
    finding: dict[str, Any] = document["findings"][0]
    return finding


def threshold_from(method: str) -> str:
    frames = [f"{MANAGER}.checkFailureAgainstCounter(CheckpointFailureManager.java:206)", f"{method}(X.java:1)"]
    return "\n".join([THRESHOLD, *(f"\tat {each}" for each in frames)]) + "\n"


def test_a_pasted_expiry_counts_as_a_failure_beside_the_failed_job(spark: SparkSession, tmp_path: Path) -> None:
    finding = first_of(diagnosed(spark, tmp_path, paste=f"{EXPIRED}\n{THRESHOLD}\n").document)

    assert finding["rule"]["id"] == "timeout.expired-unnamed"
    assert finding["runbook"] == "slow-checkpoints"
    assert "hold none of their failures" not in finding["statement"]


@pytest.mark.parametrize(
    ("method", "rule", "words"),
    [
        (f"{COORDINATOR}$CheckpointCanceller.run", "timeout.expired-unnamed", "within their timeout"),
        (f"{COORDINATOR}.receiveDeclineMessage", "failure.threshold", "a task declined the last one"),
        (f"{COORDINATOR}.completePendingCheckpoint", "failure.threshold", "could not finish the last one"),
        (f"{COORDINATOR}.onTriggerFailure", "failure.threshold", "could not be triggered"),
    ],
)
def test_the_frames_of_the_failed_job_tell_how_its_last_checkpoint_failed(
    spark: SparkSession, tmp_path: Path, method: str, rule: str, words: str
) -> None:
    finding = first_of(diagnosed(spark, tmp_path, paste=threshold_from(method)).document)

    assert finding["rule"]["id"] == rule
    assert words in finding["statement"]


def test_an_expiry_with_a_number_is_not_counted_twice(spark: SparkSession, tmp_path: Path) -> None:
    failed = "Failed to trigger or complete checkpoint 7 for job 0a0b0c0d0e0f00010203040506070809. (0 consecutive"
    record = f"2024-03-05 10:10:01,140 WARN  {MANAGER} [] - {failed} failed attempts so far)"

    document = diagnosed(spark, tmp_path, log=f"{record}\n{EXPIRED}\n").document

    rules = [each["rule"]["id"] for each in document["findings"]]
    assert "timeout.expired" in rules
    assert "timeout.expired-unnamed" not in rules


def test_a_consequence_that_a_cause_explains_has_no_runbook_of_its_own() -> None:
    declined = {"failures": 4, "completed_after": 0, "origin": "disk_full", "exception": "IOException", "causes": 1}
    document = judged(
        checkpoint_declines={**declined, "thresholds": 1, "said": "IOException: No space left on device"},
        checkpoint_progress={"completed": 0, "failed": 4, "consecutive_failed": 4, "triggered": 4},
    )

    explained = [each for each in document["findings"] if each["caused_by"] is not None]
    assert explained
    assert all(each["runbook"] is None for each in explained if each["role"] == "consequence")


def test_how_many_subtasks_had_acknowledged_an_expired_checkpoint_is_said(spark: SparkSession, tmp_path: Path) -> None:
    failed = {"@class": "failed", "id": 25, "status": "FAILED", "trigger_timestamp": 1709632801100}
    failed |= {"end_to_end_duration": 600012, "num_subtasks": 16, "num_acknowledged_subtasks": 14}
    failed |= {"failure_timestamp": 1709633401112, "failure_message": "Checkpoint expired before completing."}
    counts = {"restored": 0, "total": 25, "in_progress": 0, "completed": 20, "failed": 5}
    answer = json.dumps({"counts": counts, "latest": {"failed": failed}, "history": []})

    document = diagnosed(spark, tmp_path, rest=answer).document

    assert "14 of 16 subtasks had acknowledged" in first_of(document)["statement"]


@pytest.mark.parametrize(("expired", "verdict"), [(0, "checkpoint_declined"), (2, "inconclusive")])
def test_one_failure_without_its_exception_does_not_explain_those_that_expired(expired: int, verdict: str) -> None:
    declines = {"failures": 1, "ids": [3], "reasons": ["asynchronous part failed (1)"], "completed_after": 0}
    document = judged(checkpoint_declines=declines, checkpoint_progress={"failed": 1 + expired, "expired": expired})

    assert document["verdict"]["symptom_class"] == verdict
