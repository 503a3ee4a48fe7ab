"""Breaks of the connection to ZooKeeper, by the states that Curator and Flink's components report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from diagnostics.reconstruction.failures.incident_log import LogEvent

SUSPENDED = ("zk.leader.suspended", "zk.retrieval.suspended", "zk.jobgraph.suspended")
LOST = ("zk.leader.lost", "zk.retrieval.lost", "zk.jobgraph.lost")
"""Events of Flink's components that report Curator's states. Source: Flink's own log statements zk.*."""
SAME_MOMENT_MS = 10_000
"""Components of one JobManager lose or gain their leadership within this time. Our choice."""


def breaks(lost: Sequence[LogEvent]) -> dict[str, int]:
    """How often the connection was SUSPENDED and LOST, and how often the first did not become the second."""
    suspended = moments(each for each in lost if _is_state(each, "SUSPENDED", SUSPENDED))
    ended = moments(each for each in lost if _is_state(each, "LOST", LOST))
    return {"suspended": suspended, "lost": ended, "short_breaks": max(suspended - ended, 0)}


def _is_state(event: LogEvent, state: str, events: tuple[str, ...]) -> bool:
    """Whether a record reports that connection state, from Curator or from Flink's drivers."""
    return event.state_to == state or (event.event or "").startswith(events)


def moments(events: Iterable[LogEvent]) -> int:
    """Number of events; those of one process within SAME_MOMENT_MS count once."""
    last: dict[int, int] = {}
    count = 0
    for each in events:
        if each.ts_ms is None or each.ts_ms - last.get(each.file_id, -SAME_MOMENT_MS) >= SAME_MOMENT_MS:
            count += 1
            last[each.file_id] = each.ts_ms or 0
    return count
