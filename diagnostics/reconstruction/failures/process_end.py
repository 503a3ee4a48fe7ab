"""Ends of processes: from their own logs, and from the JobManager's log about its TaskManagers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.reconstruction.failures.task_manager_lost import is_container_end

STARTED = re.compile(r"Starting TaskManager with ResourceID:? ([^\s()]{1,200})")
"""Source: Flink's TaskManagerRunner; matched in texts of at most 2,000 characters."""
BEFORE_MS, AFTER_MS = 180_000, 60_000
"""How long before and after an observation the end of a process explains it. Our choice: a heartbeat timeout of 50 s
notices the end late, and a restarted container is reported some seconds after it."""
HOW: Mapping[str, str] = {
    "oom": "OutOfMemoryError",
    "killed": "killed for its memory",
    "res.worker.terminated": "container ended",
    "k8s.pod.terminated": "container ended",
    "k8s.event.evicted": "evicted",
    "k8s.event.preempted": "preempted for another application",
    "k8s.event.node_lost": "its host was lost",
    "yarn.container.failed.v17": "container ended",
    "yarn.container.diagnostics.v17": "container ended",
    "yarn.am.failed": "container ended",
    "closed": "container ended",
    "process.signal": "terminated",
}
"""Kind or id of an event -> how the process ended; all other events are fatal errors."""
CONTAINER_ENDS: Mapping[str, tuple[str, ...]] = {
    "its host was lost": (
        "lost* node",
        "lost node",
        "NodeNotReady",
        "NodeLost",
        "Node is not ready",
        "tatus=-100",
        "tatus: -100",
    ),
    "preempted for another application": (
        "Container preempted",
        "preempted by scheduler",
        "Preempted by",
        "tatus=-102",
        "tatus: -102",
    ),
    "the disks of its host are full or broken": (
        "tatus=-101",
        "tatus: -101",
        "itCode: -101",
        "local-dirs usable space is below",
        "local-dirs are bad",
    ),
    "evicted": ("Evicted: ", "reason=Evicted"),
    "killed for its memory": (
        "tatus=-104",
        "tatus: -104",
        "itCode: -104",
        "tatus=-103",
        "tatus: -103",
        "itCode: -103",
        "beyond physical memory limits",
        "beyond virtual memory limits",
    ),
    "killed (exit code 137)": (
        "ode is 137",
        "ode: 137",
        "exit code 137",
        "exitCode=137",
        " is : 137",
        "status 137",
        "status: 137",
    ),
    "ended by Flink after a fatal error (exit code 239)": (
        "ode is 239",
        "ode: 239",
        "exitCode=239",
        "exit code 239",
        " is : 239",
    ),
    "terminated (exit code 143)": ("ode is 143", "exit code 143", "exitCode=143", " is : 143"),
}
"""How a container ended -> texts of YARN's and Kubernetes' diagnostics that show it. Source: Hadoop's SchedulerUtils
and ContainerExitStatus, Kubernetes' eviction manager and node controller, Flink's FatalExitExceptionHandler (-17)."""


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """The end of a process, or an OutOfMemoryError in it, which few processes survive.

    process       the kind of process that wrote the record
    task_manager  resource id as printed, None for a JobManager and when the record names none
    """

    ts_ms: int | None
    role: str | None
    task_manager: str | None
    how: str
    event: LogEvent

    def explains(self, ts_ms: int | None) -> bool:
        """Whether an observation at that time can be a consequence; true when one of the times is not known."""
        if ts_ms is None or self.ts_ms is None:
            return True
        return -BEFORE_MS <= self.ts_ms - ts_ms <= AFTER_MS

    def is_of(self, task_manager: str) -> bool:
        """Whether it is the end of that TaskManager, or its record names the TaskManager."""
        if self.task_manager is not None:
            return normalised(self.task_manager) == normalised(task_manager)
        return task_manager in self.event.texts


def task_manager_of_file(log: IncidentLog) -> Mapping[int, str]:
    """Log file -> resource id of the TaskManager that wrote it, from the record of its start."""
    return {each.file_id: hit[1] for each in log.of("started") if (hit := STARTED.search(each.message))}


def _how(event: LogEvent, kind: str) -> str:
    how = HOW.get(event.event or "") or HOW.get(kind) or "fatal error"
    if how != "container ended":
        return how
    return next((end for end, texts in CONTAINER_ENDS.items() if any(text in event.texts for text in texts)), how)


def process_ends(log: IncidentLog) -> list[ProcessEnd]:
    """The ends of processes in time order; those without a time come last."""
    names = task_manager_of_file(log)
    process_ends_of_log = []
    for kind in ("killed", "oom", "closed", "process_end"):
        for event in log.of(kind):
            if event.process == "client" or (kind == "closed" and not is_container_end(event)):
                continue
            how = _how(event, kind)
            own = names.get(event.file_id) if event.process == "taskmanager" else None
            process_ends_of_log.append(ProcessEnd(event.ts_ms, event.process, event.task_manager or own, how, event))
    return sorted(process_ends_of_log, key=lambda each: (each.ts_ms is None, each.ts_ms or 0, each.event.file_id))
