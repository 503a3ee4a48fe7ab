"""Flink's reasons for failed checkpoints, in words, and the kind of each failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from diagnostics.language import to_say

Kind = Literal[
    "snapshot",
    "finished tasks",
    "alignment limit",
    "finalize",
    "trigger",
    "closing",
    "not ready",
    "expired",
    "consequence",
]

REASONS: Mapping[str, tuple[str, Kind]] = {
    "Asynchronous task checkpoint failed": (to_say("asynchronous part failed"), "snapshot"),
    "could not be completed": (to_say("asynchronous part failed"), "snapshot"),
    "Could not materialize checkpoint": (to_say("asynchronous part failed"), "snapshot"),
    "sharing the ChannelState file": (to_say("a subtask that shares the channel state file failed"), "snapshot"),
    "(tasks not ready)": (to_say("tasks not ready"), "not ready"),
    "CheckpointDeclineTaskNotReadyException": (to_say("tasks not ready"), "not ready"),
    ") was not running": (to_say("tasks not ready"), "not ready"),
    "has been finished, abort the checkpoint": (to_say("tasks have finished"), "finished tasks"),
    "Not all required tasks are currently running": (to_say("tasks not ready"), "not ready"),
    "Some tasks of the job have already finished": (to_say("tasks have finished"), "finished tasks"),
    "operators partially closed": (to_say("task is closing"), "closing"),
    "(task is closing)": (to_say("task is closing"), "closing"),
    "because one input stream is finished": (to_say("an input has finished"), "finished tasks"),
    "Blocking output edge exists": (to_say("a blocking edge runs"), "not ready"),
    "Task received cancellation from one of its inputs": (to_say("cancelled by a task upstream"), "consequence"),
    "because a barrier from newer checkpoint": (to_say("overtaken by a newer checkpoint"), "consequence"),
    "Checkpoint has been subsumed": (to_say("subsumed by a newer checkpoint"), "consequence"),
    "expired before completing": (to_say("expired"), "expired"),
    "expired before triggering was complete": (to_say("expired"), "expired"),
    "Checkpoint Coordinator is suspending": (to_say("the job went down"), "consequence"),
    "CheckpointCoordinator shutdown": (to_say("the job went down"), "consequence"),
    "FailoverRegion is restarting": (to_say("the job went down"), "consequence"),
    "The job has failed": (to_say("the job went down"), "consequence"),
    "Task has failed": (to_say("the task failed"), "consequence"),
    "needed to buffer more than the configured maximum": (to_say("alignment limit exceeded"), "alignment limit"),
    "lignment timed out": (to_say("the alignment took too long"), "alignment limit"),
    "oes not support checkpointing": (to_say("a task does not support checkpoints"), "trigger"),
    "Failure to finalize checkpoint": (to_say("the JobManager could not finish it"), "finalize"),
    "Could not finalize the pending checkpoint": (to_say("the JobManager could not finish it"), "finalize"),
    "checkpoint request for unknown task": (to_say("the task was not on its TaskManager"), "not ready"),
    "Unknown task for the checkpoint to notify": (to_say("the task was not on its TaskManager"), "not ready"),
    "Trigger checkpoint failure": (to_say("could not be triggered"), "trigger"),
    "An Exception occurred while triggering the checkpoint": (to_say("could not be triggered"), "trigger"),
    "Task local checkpoint failure": (to_say("the task failed to take it"), "snapshot"),
    "Could not perform checkpoint": (to_say("synchronous part failed"), "snapshot"),
    "Could not complete snapshot": (to_say("synchronous part failed"), "snapshot"),
    "Checkpoint was declined": (to_say("synchronous part failed"), "snapshot"),
    "Failed to trigger checkpoint ": (to_say("could not be triggered"), "trigger"),
}
"""Text in a chain or message -> Flink's reason in words and its kind; the first match counts. Source: Flink's own log
statements (ckpt.reason.*, tm.ckpt.*); for Flink 1.5 to 1.8 the exceptions of
org.apache.flink.runtime.checkpoint.decline and CheckpointDeclineReason.
"""

WAITING = (
    "The minimum time between checkpoints is still pending",
    "The maximum number of concurrent checkpoints is exceeded",
    "The maximum number of queued checkpoint requests exceeded",
    "Another checkpoint request has already been queued",
    "while one was queued already",
    "Blocking output edge exists",
)
"""Texts of triggers that came too early and are repeated. Source: Flink's CheckpointFailureReason."""

STOPPED = ("eriodic checkpoint scheduler is shut down", "heckpoint coordinator is shut down")
"""Texts of triggers while the job was ending. Source: as for WAITING."""

KIND_ORDER: tuple[Kind, ...] = (
    "snapshot",
    "finalize",
    "alignment limit",
    "finished tasks",
    "trigger",
    "closing",
    "not ready",
    "expired",
    "consequence",
)
"""The most specific first: a failed snapshot precedes what only followed from it."""


OVERTAKEN = REASONS["because a barrier from newer checkpoint"][0]
"""Of a checkpoint whose task went over to a newer one."""
NOT_TRIGGERED = REASONS["Failed to trigger checkpoint "]
"""Of a trigger that failed with an exception."""
LAST_FAILURE: Mapping[str, tuple[str, Kind]] = {
    "CheckpointCoordinator$CheckpointCanceller.run": REASONS["expired before completing"],
    "CheckpointCoordinator.receiveDeclineMessage": (to_say("a task could not take or store its snapshot"), "snapshot"),
    "CheckpointCoordinator.completePendingCheckpoint": REASONS["Failure to finalize checkpoint"],
    "CheckpointCoordinator.onTriggerFailure": NOT_TRIGGERED,
}
"""Frame of the exception that fails a job because of its checkpoints -> why the last of them failed. Source: who calls
Flink's CheckpointFailureManager, which counts only checkpoints that expired, were declined, or met an I/O error.
"""
OTHER: tuple[str, Kind] = (to_say("a reason that is not known"), "snapshot")
"""Of a task's decline whose reason no text above names: other releases have others."""


def last_failure_of(frames: str) -> tuple[str, Kind] | None:
    """Why the last checkpoint failed of a job that failed because of them, from the frames of that exception."""
    return next((meaning for frame, meaning in LAST_FAILURE.items() if frame in frames), None)


def reason_of(text: str) -> tuple[str, Kind] | None:
    """Flink's reason in words, and its kind, from a message and its exception chain; None when none matches."""
    return next((meaning for told, meaning in REASONS.items() if told in text), None)
