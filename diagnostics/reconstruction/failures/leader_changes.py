"""Leaders of jobs that TaskManagers lost, and whether they registered at one again."""

from __future__ import annotations

from dataclasses import dataclass

from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.failures.incident_log import IncidentLog

LASTS_MS = 60_000
"""A log that goes on this long without a leader shows that none came. Our choice: a standby leads within seconds, a pod
that is started again mostly within a minute.
"""
LOST_LEADER = "lost leadership"
"""What the tasks of a TaskManager fail with when their job's leader goes. Source: Flink's TaskExecutor."""


@dataclass(frozen=True, slots=True)
class LeaderChange:
    """What the logs of TaskManagers show of the leader of their jobs.

    first_ms       when the first one lost its leader, epoch ms
    registered_ms  when the last of them was registered at a leader again, epoch ms; None while one is not
    absent_ms      how long the log of one without a leader goes on, ms
    """

    first_ms: int
    registered_ms: int | None
    absent_ms: int

    @property
    def is_settled(self) -> bool:
        """Whether the logs show how it went on: a leader came, or none for a while."""
        return self.registered_ms is not None or self.absent_ms >= LASTS_MS


def leader_change(log: IncidentLog) -> LeaderChange | None:
    """The loss of leaders by TaskManagers' own logs; None where none of them lost one."""
    lost: dict[tuple[int, str | None], int] = {}
    registered: dict[tuple[int, str | None], int] = {}
    times = [each.ts_ms for each in log.of("leader_lost") if each.ts_ms is not None]
    for kind, latest in (("leader_lost", lost), ("leader_found", registered)):
        for each in log.of(kind):
            if each.ts_ms is not None:
                latest[each.file_id, each.job_id] = each.ts_ms
    if not lost:
        return None
    without = [(place, ts_ms) for place, ts_ms in lost.items() if registered.get(place, 0) < ts_ms]
    absent = [log.last_ms.get(file_id, ts_ms) - ts_ms for (file_id, _), ts_ms in without]
    registered_ms = None if without else max(registered[place] for place in lost)
    return LeaderChange(min(times), registered_ms, max(absent, default=0))


def leader_facts(log: IncidentLog) -> dict[str, FactValue]:
    """When TaskManagers lost their leader, and when they registered at one or for how long they had none."""
    change = leader_change(log)
    if change is None:
        return {}
    gone = {"leader_absent_ms": change.absent_ms} if change.registered_ms is None else {}
    return {"leader_left_ms": change.first_ms, "leader_registered_ms": change.registered_ms, **gone}


def is_settled_change(said: str, log: IncidentLog) -> bool:
    """Whether a failure says that its leader went, where the logs show how it went on."""
    if LOST_LEADER not in said:
        return False
    change = leader_change(log)
    return change is not None and change.is_settled
