"""Lost TaskManagers and when they were lost, from the JobManager's log and REST answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from diagnostics.reconstruction.failures.incident_log import Failure, IncidentLog, LogEvent

IDENTITY = re.compile(r"TaskManager with (?:id|ResourceID:?) ([^\s()]{1,200})|TaskExecutor connection ([^\s()]{1,200})")
LOST = re.compile(
    r"TaskManager with id ([^\s()]{1,200})(?:\([^)]{0,200}\))? {1,2}(?:timed out|is no longer reachable)"
    r"|TaskManager was lost/killed: ([^\s()]{1,200})"
    r"|The assigned slot ([^\s()]{1,200})_\d{1,6} was removed"
)
"""Source: Flink's ResourceManager and JobMaster, up to 1.9 also SimpleSlot; the SlotManager, whose slots are called
<resource id>_<number>; matched in texts of at most 2,000 characters."""
CONTAINER_END = re.compile(
    r"Container (?:\[pid=|killed|released on a \*?lost|preempted|exited|expired)|containerID=|xit (?:code|status)"
    r"|Pod terminated|exitCode=|OOMKilled"
)
"""Texts of YARN and Kubernetes about an ended container, as the reason of a closed connection. Source:
Hadoop's ContainerExitStatus and SchedulerUtils, Flink's KubernetesPod."""
EXIT = re.compile(r"[Ee]xit ?(?:[Cc]ode|[Ss]tatus)[\s:=]{0,3}(?:is[\s:=]{0,3})?(-?\d{1,4})")
PLANNED = {"0", "143", "-105", "-107"}
"""Exit codes of a worker that Flink or its platform ends on purpose: a normal end, SIGTERM, and those that YARN gives
for a container that its application released or that outlived it. Source: Hadoop's ContainerExitStatus."""
SAME_LOSS_MS = 60_000
"""JobMaster and ResourceManager notice the same loss within this time. Our choice."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss of one TaskManager, with all records about it."""

    task_manager: str
    ts_ms: int | None
    records: tuple[LogEvent | Failure, ...]

    @property
    def how(self) -> str:
        """`heartbeat timed out`, `container ended` or `unreachable`."""
        if any("timed out" in each.texts for each in self.records):
            return "heartbeat timed out"
        ended = any(
            isinstance(each, LogEvent) and (is_container_end(each) or is_failed_worker(each)) for each in self.records
        )
        return "container ended" if ended else "unreachable"


def losses(log: IncidentLog) -> list[Loss]:
    """The losses in time order; records of several components about the same loss are merged."""
    grouped: list[tuple[str, list[LogEvent | Failure]]] = []
    records: list[tuple[str, LogEvent | Failure]] = [
        (name, event) for event in log.of("lost") if (name := identity_of(event))
    ]
    records += [(name, event) for event in log.of("closed") if is_container_end(event) and (name := identity_of(event))]
    records += [
        (name, event) for event in log.of("process_end") if is_failed_worker(event) and (name := identity_of(event))
    ]
    failed: list[LogEvent | Failure] = [event for event in log.of("failure") if event.process != "taskmanager"]
    failed += log.failures
    records += [((hit[1] or hit[2] or hit[3]).rstrip("."), each) for each in failed if (hit := LOST.search(each.texts))]
    for name, record in sorted(records, key=lambda pair: (pair[1].ts_ms is None, pair[1].ts_ms or 0)):
        for known, events in grouped:
            near = record.ts_ms is None or events[-1].ts_ms is None or record.ts_ms - events[-1].ts_ms <= SAME_LOSS_MS
            if known == name and near:
                events.append(record)
                break
        else:
            grouped.append((name, [record]))
    return [Loss(name, events[0].ts_ms, tuple(events)) for name, events in grouped]


def is_container_end(event: LogEvent) -> bool:
    """Whether the ResourceManager closed a connection because the TaskManager's container ended."""
    return event.kind == "closed" and CONTAINER_END.search(event.message) is not None


def is_failed_worker(event: LogEvent) -> bool:
    """Whether the ResourceManager reports that a worker ended, with an exit code that nobody planned."""
    return event.event == "res.worker.terminated" and bool(set(EXIT.findall(event.texts)) - PLANNED)


def identity_of(event: LogEvent) -> str | None:
    """The resource id of the TaskManager that a record names."""
    found = IDENTITY.search(event.message)
    return event.task_manager or ((found[1] or found[2]).rstrip(".") if found else None)
