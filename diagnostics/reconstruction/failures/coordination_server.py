"""What the ZooKeeper servers' own logs state, and the settings with which clients would have outlasted an outage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.failures.coordination_outage import Outage
from diagnostics.reconstruction.failures.incident_log import IncidentLog

USUAL_LARGEST_SESSION_MS = 40_000
"""The longest session timeout that a server grants, 20 ticks of 2 s. Source: ZooKeeper Administrator's Guide,
maxSessionTimeout and tickTime."""
USUAL_RETRIES, USUAL_WAIT_MS = 3, 5_000
"""Source: Flink documentation, high-availability.zookeeper.client.max-retry-attempts and retry-wait."""
HEAD_ROOM = 1.25
"""How much longer than the longest outage a session shall live. Our choice."""


def server_facts(log: IncidentLog, ha_outages: Sequence[Outage]) -> dict[str, FactValue]:
    """Facts from the ZooKeeper servers' own logs, when uploaded."""
    server_events = log.of("coordination_server")
    if not server_events:
        return {}
    starts = [each for each in server_events if each.event == "zk.server.start" and each.ts_ms is not None]
    fsync = [
        each.duration_ms for each in server_events if each.event == "zk.server.fsync" and each.duration_ms is not None
    ]
    again = [
        each.ts_ms for each in starts if ha_outages and each.ts_ms is not None and each.ts_ms > ha_outages[0].first_ms
    ]
    return {
        "server_starts": len(starts),
        "server_started_again_ms": max(again, default=None),
        "server_session_limit_ms": max((each.duration_ms for each in starts if each.duration_ms), default=None),
        "server_expired": sum(each.event == "zk.server.expired" for each in server_events),
        "server_fsync_ms": max(fsync, default=None),
    }


def limits(ha_outages: Sequence[Outage], options: Mapping[str, FactValue], granted: FactValue) -> dict[str, FactValue]:
    """The settings that would have outlasted the longest outage, within what servers grant; where nothing
    shows how long an outage lasted, the longest session timeout.

    options  `session_timeout_ms`, `retry_attempts` and `retry_wait_ms`, as negotiated or configured
    granted  the longest session timeout that the servers grant, ms, as their logs state; else USUAL_LARGEST_SESSION_MS
    Gives    `session_limit_ms`, `session_timeout_needed_ms`, `outages_beyond_limit`, `retry_wait_needed_ms`. The wait
             and not the count: each wait may be twice as long as the one before it, so that 22 retries last for weeks
             (Curator's ExponentialBackoffRetry, getSleepTimeMs).
    """
    if not ha_outages:
        return {}
    session = _number(options.get("session_timeout_ms"), 0)
    limit = _number(granted, USUAL_LARGEST_SESSION_MS)
    longest = max(each.lasted_ms for each in ha_outages)
    is_over = all(each.answered_ms is not None for each in ha_outages)
    enough = min(math.ceil(HEAD_ROOM * longest / 1000) * 1000, limit) if is_over else limit
    wait = math.ceil(longest / _number(options.get("retry_attempts"), USUAL_RETRIES) / 1000) * 1000
    is_short = wait > _number(options.get("retry_wait_ms"), USUAL_WAIT_MS)
    return {
        "session_limit_ms": limit,
        "session_timeout_needed_ms": enough if 0 < session < enough else None,
        "outages_beyond_limit": sum(each.lasted_ms >= limit for each in ha_outages),
        "retry_wait_needed_ms": wait if is_short else None,
    }


def _number(value: FactValue, usual: int) -> int:
    return round(value) if isinstance(value, int | float) and value > 0 else usual
