"""Records of the JobManager's CheckpointCoordinator about checkpoints and failed triggers."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, event_records_aggregator

MOST_RECORDS = 100_000
"""Records kept, the latest. Our choice: about 60 MB."""

MOST_CHARACTERS = 400
"""Characters kept of a message. Our choice: what a citation shows."""

TRIGGERED = ("jm.ckpt.trigger", "jm.ckpt.trigger.v110")
COMPLETED = ("jm.ckpt.completed", "jm.ckpt.completed.v113")
EXPIRED = ("jm.ckpt.expired",)
DECLINED = ("jm.ckpt.decline",)
FAILED = ("jm.ckpt.failed", "jm.ckpt.discarding.v110", "jm.ckpt.trigger_failed.v114")
LATE = ("jm.ckpt.late_ack",)
NOT_STARTED = (
    "jm.ckpt.preflight_failed",
    "jm.ckpt.queued.v110",
    "jm.ckpt.trigger_failed.since.v113",
    "jm.ckpt.trigger_failed.because.v114",
    "jm.ckpt.task_not_executed",
    "jm.ckpt.ack_task_not_executed",
    "jm.ckpt.task_not_running",
)
EVENTS = TRIGGERED + COMPLETED + EXPIRED + DECLINED + FAILED + LATE + NOT_STARTED

AGGREGATOR = event_records_aggregator(
    "checkpoint_records",
    (
        *("ts_ms", "event", "job_id", "checkpoint_id", "duration_ms", "size_bytes"),
        *("reason", "exception_message", "root_cause_message"),
    ),
    events=EVENTS,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
    order=(("ts_ms", "descending"), *CITATION_ORDER),
)
