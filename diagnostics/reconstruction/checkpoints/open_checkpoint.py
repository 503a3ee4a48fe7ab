"""The checkpoint whose trigger is in a JobManager's log, and whose end is not."""

from __future__ import annotations

from dataclasses import dataclass

from diagnostics.arithmetic.quantiles import highest, known
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History
from diagnostics.reconstruction.checkpoints.running_tasks import DOWN
from diagnostics.reconstruction.failures.incident_log import IncidentLog, incident_log


@dataclass(frozen=True, slots=True)
class OpenCheckpoint:
    """A checkpoint or savepoint under way where its log ends: its trigger and the log's last record, epoch ms."""

    number: int
    is_savepoint: bool
    from_ms: int
    until_ms: int

    @property
    def open_ms(self) -> int:
        """How long it had been under way."""
        return self.until_ms - self.from_ms


def open_checkpoint(history: History, log: IncidentLog) -> OpenCheckpoint | None:
    """The oldest checkpoint or savepoint under way that only the log knows.

    None where it ended with the job or its JobManager: no record of the checkpoint reports that.
    """
    for checkpoint in history.checkpoints:
        from_ms = checkpoint.triggered_ms
        if checkpoint.status != "in_progress" or checkpoint.seen_by_rest or from_ms is None:
            continue
        files = {citation.file_id for citation in checkpoint.citations}
        ends = [log.last_ms[each] for each in files if each in log.last_ms]
        until_ms = max((end for end in ends if end >= from_ms), default=None)
        if until_ms is None or _ended(checkpoint, from_ms, log):
            return None
        return OpenCheckpoint(checkpoint.number, checkpoint.is_savepoint, from_ms, until_ms)
    return None


def _ended(checkpoint: Checkpoint, from_ms: int, log: IncidentLog) -> bool:
    went_down = (
        each.ts_ms for each in log.of("job_state") if each.state_to in DOWN and each.job_id in (checkpoint.job_id, None)
    )
    started = (each.ts_ms for each in log.of("process_start") if each.process == "jobmanager")
    return any(ts_ms is not None and ts_ms >= from_ms for ts_ms in (*went_down, *started))


def running_ms(history: History, evidence: Evidence) -> float | None:
    """How long the oldest checkpoint, without savepoints, had taken when a file was written that would show its end."""
    unended = open_checkpoint(history, incident_log(evidence))
    return highest(
        known((history.running_ms, float(unended.open_ms) if unended and not unended.is_savepoint else None))
    )
