"""Starts of JobManager processes, and which of them followed the end of another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent


def jobmanager_starts(log: IncidentLog) -> dict[str, FactValue]:
    """Starts of JobManager processes, and how many of them followed the end of another."""
    starts, again = _starts(log), jobmanager_restarts(log)
    if not starts:
        return {}
    return {
        "jobmanager_starts": len(starts),
        "jobmanager_restarts": len(again),
        "jobmanager_first_restart_ms": min((each.ts_ms or 0 for each in again), default=None),
        "jobmanager_last_start_ms": max(each.ts_ms or 0 for each in starts),
    }


def jobmanager_restarts(log: IncidentLog) -> Sequence[LogEvent]:
    """The starts of JobManager processes that followed the end of another one."""
    starts = _starts(log)
    ends = {file: log.last_ms.get(file) for file in {each.file_id for each in starts}}
    return [each for each in starts if _replaces(each, starts, ends)]


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
