"""Flink's reasons for checkpoints that failed, in the words of each version."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.decline_reasons import STOPPED, WAITING, reason_of

DECLINE = "org.apache.flink.runtime.checkpoint.decline"
EXCEPTION = "org.apache.flink.runtime.checkpoint.CheckpointException"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # Flink 1.5 to 1.8
        (f"{DECLINE}.CheckpointDeclineTaskNotReadyException: Task Source: a (1/2) was not running", "not ready"),
        ("Discarding checkpoint 4 of job a because: Task Source: a (1/2) was not running", "not ready"),
        (
            f"{DECLINE}.CheckpointDeclineTaskNotCheckpointingException: Task 'a'does not support checkpointing",
            "trigger",
        ),
        (
            f"{DECLINE}.CheckpointDeclineSubsumedException: Checkpoint was canceled because a barrier from newer"
            " checkpoint 18 was received.",
            "consequence",
        ),
        (
            f"{DECLINE}.CheckpointDeclineOnCancellationBarrierException: Task received cancellation from one of its"
            " inputs",
            "consequence",
        ),
        (
            f"{DECLINE}.AlignmentLimitExceededException: The checkpoint alignment phase needed to buffer more than the"
            " configured maximum (1048576 bytes).",
            "alignment limit",
        ),
        (
            f"{DECLINE}.InputEndOfStreamException: Checkpoint was declined because one input stream is finished",
            "finished tasks",
        ),
        ("The checkpoint expired before triggering was complete", "expired"),
        ("Failed to trigger checkpoint for job a (3 consecutive failed attempts so far).", "trigger"),
        # Flink 1.9 to 2.3
        (f"{EXCEPTION}: Task Name a (1/2) Failure reason: Checkpoint was declined (tasks not ready)", "not ready"),
        (f"{EXCEPTION}: Task does not support checkpointing", "trigger"),
        (
            f"{EXCEPTION}: Max buffered bytes: 1048576 Failure reason: The checkpoint alignment phase needed to buffer"
            " more than the configured maximum bytes",
            "alignment limit",
        ),
        (f"{EXCEPTION}: Barrier alignment timed out", "alignment limit"),
        (f"{EXCEPTION}: Unknown task for the checkpoint to notify.", "not ready"),
        (f"{EXCEPTION}: Asynchronous task checkpoint failed.", "snapshot"),
        (f"{EXCEPTION}: Checkpoint was declined.", "snapshot"),
        (f"{EXCEPTION}: Checkpoint was declined (task is closing)", "closing"),
        (f"{EXCEPTION}: Failure to finalize checkpoint.", "finalize"),
        (f"{EXCEPTION}: Trigger checkpoint failure.", "trigger"),
        (f"{EXCEPTION}: Checkpoint has been subsumed.", "consequence"),
        (f"{EXCEPTION}: FailoverRegion is restarting.", "consequence"),
        (f"{EXCEPTION}: Task has failed.", "consequence"),
    ],
)
def test_each_reason_has_its_kind(text: str, kind: str) -> None:
    reason = reason_of(text)
    assert reason is not None
    assert reason[1] == kind


@pytest.mark.parametrize("text", ["", "Checkpoint 4 completed", "The operator was not running fast enough"])
def test_what_names_no_reason_has_none(text: str) -> None:
    assert reason_of(text) is None


def test_triggers_that_wait_are_distinguished_from_those_of_a_job_that_ends() -> None:
    text = "The minimum time between checkpoints is still pending. Checkpoint will be triggered after the minimum time."
    assert any(each in text for each in WAITING)
    assert not any(each in text for each in STOPPED)
    assert any(each in "Periodic checkpoint scheduler is shut down." for each in STOPPED)
