"""Trouble that a job still has at the end of the evidence, whatever its findings cost."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.finding import Finding
from diagnostics.diagnosis.health import Trouble
from diagnostics.evidence.subject import Subject
from diagnostics.language import say

FAILED_IN_A_ROW = 3
"""Failed checkpoints in a row, the last ones, from which a job is in trouble. Our choice: as in `failure.counted`."""


def stop_of(index: SignalIndex, job: str | None, lead: Finding | None) -> Iterator[Trouble]:
    """The trouble of a job that does not run at the end: it has failed for good, or no TaskManager is there for it."""
    if job is None or lead is None:
        return
    view = index.view(Subject(job=job), "job", reach_down=True)
    missing = view("slots.missing")
    lacks = isinstance(missing, (int, float)) and missing >= 1
    if view("restarts.final_state") == "FAILED":
        yield Trouble(say("the job has failed and does not run"), lead, is_stop=True)
    elif view("task_manager_loss.all.registered_end") == 0 and lacks:
        yield Trouble(say("no TaskManager is registered, and the job does not run"), lead, is_stop=True)


def unsaved_work_of(index: SignalIndex, job: str | None, lead: Finding | None) -> Iterator[Trouble]:
    """The trouble of a job whose last checkpoints failed: a restart loses more work with each."""
    failed = index.view(Subject(job=job), "job", reach_down=True)("checkpoint_progress.consecutive_failed")
    if isinstance(failed, int) and failed >= FAILED_IN_A_ROW:
        yield Trouble(say("its last checkpoints failed, and none has completed since"), lead)
