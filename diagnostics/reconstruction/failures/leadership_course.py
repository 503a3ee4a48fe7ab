"""The connection of each process to the coordination service over time, and who led when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent

Connection = Literal["connected", "suspended", "lost"]

LOST_EVENTS = (".expired", ".session_expired", ".session_inject", ".lost", ".lost.v117", ".lost.multi")
"""Ends of the ids of events after which a session, and with it a leadership, is gone."""
SUSPENDED_EVENTS = ("zk.client.", "zk.leader.", "zk.retrieval.", "zk.jobgraph.", "k8s")
"""Beginnings of the ids of events that report a connection that is interrupted; others are failed operations."""
CONNECTIONS: Mapping[str, Connection] = {
    "CONNECTED": "connected",
    "RECONNECTED": "connected",
    "READ_ONLY": "suspended",
    "SUSPENDED": "suspended",
    "LOST": "lost",
}
"""Curator's states. Source: Apache Curator, ConnectionState."""
SAME_END_MS = 60_000
"""Records of an end within this time after another one report the same end. Our choice."""
CHECKPOINT_FAILED = "complete checkpoint"
"""Text of CheckpointFailureManager for a checkpoint that could not be finalized, in lower case."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A connection from one time to another, epoch ms; `event` began it."""

    state: Connection
    from_ms: int
    to_ms: int
    event: LogEvent


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the sequence: the first record of a process that says it."""

    what: Literal["suspended", "lost", "connected", "granted", "revoked", "checkpoint failed", "process ended"]
    event: LogEvent


@dataclass(slots=True)
class ProcessCourse:
    """The course of one process (one log file).

    leads  times, epoch ms, between which a component of it led
    """

    file_id: int
    role: str | None
    stretches: list[Stretch] = field(default_factory=list)
    leads: list[tuple[int, int]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def leadership_courses(log: IncidentLog) -> list[ProcessCourse]:
    """The course of each process that knows the coordination service, the earliest first.

    Empty when no process lost the service, regained it or had its leadership revoked: a leadership that is granted once
    at the start is no course.
    """
    leadership = [each for each in log.of("leadership") if (each.event or "").startswith("ha.")]
    if not log.count("coordination_lost") and not any(_is_revoked(each) for each in leadership):
        return []
    by_file: dict[int, list[LogEvent]] = defaultdict(list)
    for each in (*log.of("coordination_lost"), *log.of("coordination_back"), *leadership, *log.of("process_end")):
        if each.ts_ms is not None and each.process != "client":
            by_file[each.file_id].append(each)
    courses = [_course(file_id, events, log.last_ms.get(file_id)) for file_id, events in by_file.items()]
    known = [each for each in courses if each.stretches or each.leads]
    return sorted(known, key=lambda each: (each.role != "jobmanager", each.steps[0].event.ts_ms or 0, each.file_id))


def _course(file_id: int, events: Iterable[LogEvent], last_ms: int | None) -> ProcessCourse:
    ordered = sorted(events, key=lambda each: (each.ts_ms or 0, each.line or 0))
    course = ProcessCourse(file_id, next((each.process for each in ordered if each.process), None))
    end = max(last_ms or 0, ordered[-1].ts_ms or 0)
    course.steps = list(_steps(ordered))
    course.stretches = _stretches(course.steps, end)
    course.leads = _leads(course.steps, end)
    return course


def _steps(ordered: Sequence[LogEvent]) -> Iterable[Step]:
    """The records that change something: repeated reports of the same state are left out."""
    state: str | None = None
    leads = False
    ended_ms: int | None = None
    for event in ordered:
        if event.kind == "process_end":
            if ended_ms is None or (event.ts_ms or 0) - ended_ms > SAME_END_MS:
                yield Step("process ended", event)
            ended_ms, state, leads = event.ts_ms, None, False
            continue
        if event.kind == "leadership":
            if leads != (not _is_revoked(event)):
                leads = not leads
                yield Step("granted" if leads else "revoked", event)
            continue
        if CHECKPOINT_FAILED in event.texts.lower():
            yield Step("checkpoint failed", event)
        found = _connection(event)
        if found is not None and found != state and not (state == "lost" and found == "suspended"):
            state = found
            yield Step(found, event)


def _connection(event: LogEvent) -> Connection | None:
    """The connection that a record reports; None for a failed operation, which says nothing about it."""
    if event.event == "zk.curator.state":
        return CONNECTIONS.get(event.state_to or "")
    if event.kind == "coordination_back":
        return "connected"
    name = event.event or ""
    if name.endswith(LOST_EVENTS):
        return "lost"
    return (
        "suspended" if name.startswith(("zk.client.", "zk.leader.", "zk.retrieval.", "zk.jobgraph.", "k8s")) else None
    )


def _is_revoked(event: LogEvent) -> bool:
    return "revoked" in (event.event or "")


def _stretches(steps: Sequence[Step], end_ms: int) -> list[Stretch]:
    changes = [each for each in steps if each.what in ("connected", "suspended", "lost", "process ended")]
    moments = [*(each.event.ts_ms or 0 for each in changes), end_ms]
    return [
        Stretch(change.what, begin, max(end, begin), change.event)
        for change, (begin, end) in zip(changes, pairwise(moments), strict=True)
        if change.what in ("connected", "suspended", "lost")
    ]


def _leads(steps: Sequence[Step], end_ms: int) -> list[tuple[int, int]]:
    leads: list[tuple[int, int]] = []
    since: int | None = None
    for each in steps:
        ts_ms = each.event.ts_ms or 0
        if each.what == "granted":
            since = ts_ms
        elif each.what in ("revoked", "process ended") and since is not None:
            leads.append((since, ts_ms))
            since = None
    return leads if since is None else [*leads, (since, max(end_ms, since))]
