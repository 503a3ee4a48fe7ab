"""Starts of JobManager processes, which of them followed the end of another one, and what jobs were restored from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.reconstruction.job.clusters import Clusters

CHECKPOINT = re.compile(r" from (?:latest valid checkpoint: )?(?:Completed)?Checkpoint (\d{1,18})\b")
"""The failed checkpoint in a message of CheckpointCoordinator; matched in texts of at most 2,000 characters."""


def jobmanager_starts(log: IncidentLog, clusters: Clusters) -> dict[str, FactValue]:
    """Starts of JobManager processes, and how many of them followed the end of another."""
    starts, again = _starts(log), jobmanager_restarts(log, clusters)
    if not starts:
        return {}
    return {
        "jobmanager_starts": len(starts),
        "jobmanager_restarts": len(again),
        "jobmanager_first_restart_ms": min((each.ts_ms or 0 for each in again), default=None),
        "jobmanager_last_start_ms": max(each.ts_ms or 0 for each in starts),
    }


def jobmanager_restarts(log: IncidentLog, clusters: Clusters) -> Sequence[LogEvent]:
    """The starts of JobManager processes that followed the end of another one, unless that is of another cluster."""
    starts = _starts(log)
    ends = {file: log.last_ms.get(file) for file in {each.file_id for each in starts}}
    return [
        each
        for each in starts
        if _replaces(each, [one for one in starts if not clusters.logs_are_apart(one.file_id, each.file_id)], ends)
    ]


def _starts(log: IncidentLog) -> list[LogEvent]:
    return [each for each in log.of("process_start") if each.process == "jobmanager" and each.ts_ms is not None]


def _replaces(start: LogEvent, starts: Sequence[LogEvent], ends: Mapping[int, int | None]) -> bool:
    """Whether another JobManager had ended before: its log stops earlier, or the same log holds an earlier start."""
    began = start.ts_ms or 0
    return any(
        (ends.get(each.file_id) or began) < began or each.file_id == start.file_id
        for each in starts
        if (each.ts_ms or 0) < began
    )


def restored_from(log: IncidentLog) -> list[int]:
    """The checkpoints from which jobs were restored, each once."""
    ids = (int(hit[1]) for each in log.of("restored") if (hit := CHECKPOINT.search(each.message)))
    return list(dict.fromkeys(ids))
