"""Where TaskManagers look for the JobManager, whether they reach it, and where the JobManager listens."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.reconstruction.failures.incident_log import Failure, IncidentLog, LogEvent

SOUGHT = re.compile(
    r"ResourceManager address [a-z.]{1,20}://[^\s@]{1,40}@([A-Za-z0-9_.-]{1,200}:\d{1,5})/"
    r"|[@/]([A-Za-z0-9_.-]{1,200}:6123)\b"
)
"""Address of a JobManager in a record of a TaskManager: that of its ResourceManager, else one with Flink's default of
jobmanager.rpc.port. Source: RetryingRegistration; Flink's documentation, Configuration.
"""
LISTENS = re.compile(r"[a-z.]{1,20}://flink@([A-Za-z0-9_.-]{1,200}):(\d{1,5})\b")
"""Address of Flink's RPC system in what a process logs when it listens; that of the metrics has another name."""
LOCAL = ("localhost:", "127.")
CONTAINER = re.compile(r"[0-9a-f]{12}:")
"""Begin of an address whose host is the name that Docker gives a container that has none: the first twelve digits of
its id, which differ after each start. Source: Docker's documentation, docker run, --hostname.
"""
LAST_MS = 60_000
"""A TaskManager's log ends with its search when no record follows the last attempt for longer. Our choice: six times
the pause between two attempts (cluster.registration.error-delay, 10 s).
"""
SEEKERS = ("taskmanager", None)
"""Who looks for the JobManager: a few lines of the RPC system alone do not show the process that wrote them, but of the
processes that never name the JobManager's port only TaskManagers call it.
"""
FOUND = ("joined", "task_failed")
"""Kinds of records of a TaskManager that has reached the JobManager."""


@dataclass(frozen=True, slots=True)
class SoughtJobManager:
    """The search of TaskManagers for the JobManager.

    failed    attempts of all TaskManagers that failed
    address   where the last of them looked
    lasting   failed attempts of the TaskManager that looked most often and had not reached it when its log ended; None
              where each reached it, or lost it before
    refused   whether that TaskManager was refused: nothing listens for it at the address
    is_local  whether that address is the TaskManager's own host
    is_id     whether the host in that address is the id of a container
    port      port at which the JobManager listens, where that TaskManager never reached it and tries another one
    """

    failed: int
    address: str | None = None
    lasting: int | None = None
    refused: bool | None = None
    is_local: bool | None = None
    is_id: bool | None = None
    port: int | None = None


def sought_jobmanager(log: IncidentLog, faults: Sequence[LogEvent | Failure]) -> SoughtJobManager:
    """The search that the broken connections show."""
    attempts = [
        (each, found[1] or found[2])
        for each in faults
        if isinstance(each, LogEvent) and each.process in SEEKERS and (found := SOUGHT.search(each.texts))
    ]
    if not attempts:
        return SoughtJobManager(0)
    by_file: dict[int, list[tuple[LogEvent, str]]] = defaultdict(list)
    for each, address in attempts:
        by_file[each.file_id].append((each, address))
    failed, last = len(attempts), attempts[-1][1]
    lasting = [each for file, each in by_file.items() if _is_lasting(log, file, [one for one, _ in each])]
    if not lasting:
        return SoughtJobManager(failed, last)
    longest = max(lasting, key=len)
    address = longest[-1][1]
    return SoughtJobManager(
        failed,
        address,
        len(longest),
        any("onnection refused" in each.texts for each, _ in longest),
        address.startswith(LOCAL),
        bool(CONTAINER.match(address)),
        None if _reached_once(log, longest[-1][0].file_id) else _other_port(log.of("listening"), address),
    )


def _is_lasting(log: IncidentLog, file: int, attempts: Sequence[LogEvent]) -> bool:
    """Whether a TaskManager's log ends with its attempts, and shows neither success nor that it lost the JobManager."""
    began, last = attempts[0].ts_ms, attempts[-1].ts_ms
    if any(each.file_id == file for each in log.of("peer_lost")):
        return False
    found = [each for kind in FOUND for each in log.of(kind) if each.file_id == file]
    if began is None or last is None:
        return not found
    is_found = any(each.ts_ms is not None and each.ts_ms >= began for each in found)
    return not is_found and log.last_ms.get(file, last) - last <= LAST_MS


def _reached_once(log: IncidentLog, file: int) -> bool:
    """Whether the TaskManager of a log reached the JobManager at any time."""
    return any(each.file_id == file for kind in FOUND for each in log.of(kind))


def _other_port(listening: Sequence[LogEvent], sought: str) -> int | None:
    """The port of the JobManager, where none of its ports is the one that is sought."""
    ports: Mapping[int, None] = {
        int(found[2]): None
        for each in listening
        if each.process == "jobmanager" and (found := LISTENS.search(each.texts))
    }
    return None if int(sought.rpartition(":")[2]) in ports else next(iter(ports), None)
