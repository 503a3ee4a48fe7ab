"""How long a job needed to run again after a failure: from the end of RUNNING until all subtasks run.

What no checkpoint holds is lost for as long as no source reads. A source that runs while tasks behind it still start
reads on: what it has read waits in the buffers, and is processed once they run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from statistics import median

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.incident_log import LogEvent, incident_log
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.job.task_start import TaskStart, task_starts
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

STATES = re.compile(r"switched from state ([A-Z]{3,20}) to ([A-Z]{3,20})")
"""Source: Flink's own log statement about a job's state (ExecutionGraph)."""
RESTORED = re.compile(r"from [A-Za-z ]{1,40} \d{1,12} @ (\d{12,14}) for ")
"""Trigger time of the restored checkpoint. Source: Flink's own log statements (jm.ckpt.restore_from)."""
MOST_LISTED = 50
"""Recoveries whose duration is listed, the last ones. Our choice: enough for a median with its noise."""
SHOWN = 8
READING = ("source", "whole job")
"""Positions of a task that reads what comes from outside."""
SAME_START_MS = 60_000
"""State is restored at most this long after the job is logged as RUNNING, and subtasks begin to restore at most this
long before. Our choice: clocks of hosts."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """One recovery, epoch ms.

    scheduled_ms  when the job was RUNNING again; its subtasks may still restore their state
    running_ms    when the last of its subtasks ran, or `scheduled_ms` where no file shows them
    reading_ms    when the last subtask of its sources ran, or `running_ms` where no file shows them
    """

    failed_ms: int
    scheduled_ms: int
    running_ms: int
    reading_ms: int
    citations: tuple[Citation, ...]

    @property
    def took_ms(self) -> int:
        return self.running_ms - self.failed_ms

    @property
    def unread_ms(self) -> int:
        """How long no source read, or not all of them did."""
        return self.reading_ms - self.failed_ms


def measure(evidence: Evidence) -> Measured:
    """The recoveries of each job.

    Reads   log_record: state changes of jobs and of tasks, restores; vertex and edge, for which tasks are sources.
    Gives   one signal for each job that ran again after a restart.
    Units   milliseconds.
    Empty   NotMeasured when no log shows the states of a job.
    """
    changes: dict[str | None, list[LogEvent]] = defaultdict(list)
    for event in incident_log(evidence).of("job_state"):
        if event.ts_ms is not None and STATES.search(event.message):
            changes[event.job_id].append(event)
    starts = task_starts(evidence)
    restores = incident_log(evidence).of("restored")
    measured = {
        job: recoveries
        for job, events in changes.items()
        if (recoveries := list(_recoveries(job, events, starts, _sources(evidence, job, starts))))
    }
    if not changes:
        yield NotMeasured("recovery", "jobmanager-log", "no JobManager's log shows the states of a job")
    for job in sorted(measured, key=repr):
        own = [each for each in restores if each.job_id in (job, None)]
        yield _signal(job, measured[job], _undone(measured[job], own))


def _sources(evidence: Evidence, job: str | None, starts: Sequence[TaskStart]) -> frozenset[str]:
    """The names of the tasks that read what comes from outside."""
    logged = {each.vertex: each.vertex for each in starts if each.job_id in (job, None)}
    graph = job_graph(cluster_of(evidence), job)
    graph = graph if graph.edges_known else job_graph(Cluster(), job, logged)
    return frozenset(graph.name(each) for each in graph.names if graph.position(each) in READING)


def _recoveries(
    job: str | None, events: Sequence[LogEvent], starts: Sequence[TaskStart], sources: Collection[str]
) -> Iterator[Recovery]:
    failed: LogEvent | None = None
    ordered = sorted(events, key=lambda event: (event.ts_ms or 0, event.line or 0))
    for event, later in pairwise([*ordered, None]):
        if event is None or event.ts_ms is None:
            continue
        state_from, state_to = _states(event)
        if state_from == "RUNNING" and state_to in ("RESTARTING", "FAILING"):
            failed = event
        elif state_to == "RUNNING" and failed is not None and failed.ts_ms is not None:
            until = later.ts_ms if later is not None else None
            started = _starts_of(job, starts, event.ts_ms, until)
            running = started[-1] if started else None
            reading = next((each for each in reversed(started) if each.vertex in sources), running)
            yield Recovery(
                failed.ts_ms,
                event.ts_ms,
                running.running_ms if running else event.ts_ms,
                reading.running_ms if reading else event.ts_ms,
                (failed.cite(), event.cite(), *((running.citation,) if running else ())),
            )
            failed = None
        elif state_to in ("FAILED", "CANCELED", "FINISHED"):
            failed = None


def _states(event: LogEvent) -> tuple[str, str]:
    states = STATES.search(event.message)
    return (states[1], states[2]) if states else ("", "")


def _starts_of(
    job: str | None, starts: Sequence[TaskStart], since_ms: int, until_ms: int | None
) -> Sequence[TaskStart]:
    """The subtasks of this recovery in the order in which they began to run."""
    own = [
        each
        for each in starts
        if each.job_id in (job, None)
        and since_ms <= each.running_ms
        and (until_ms is None or each.running_ms < until_ms)
        and each.running_ms - each.took_ms >= since_ms - SAME_START_MS
    ]
    first_attempts: Mapping[tuple[str, int], TaskStart] = {
        (each.vertex, each.subtask): each for each in sorted(own, key=lambda each: -each.running_ms)
    }
    return sorted(first_attempts.values(), key=lambda each: each.running_ms)


def _undone(recoveries: Sequence[Recovery], restores: Sequence[LogEvent]) -> dict[str, FactValue]:
    """The time that no state holds, where sources are not read again: from the trigger of each restored checkpoint
    until the sources read again. Times that overlap count once.
    """
    spans = []
    for recovery, following in zip_longest(recoveries, recoveries[1:]):
        until = max(recovery.running_ms, recovery.scheduled_ms + SAME_START_MS)
        if following is not None:
            until = min(until, following.failed_ms - 1)
        taken = [
            int(trigger[1])
            for each in restores
            if (trigger := RESTORED.search(each.message))
            and each.ts_ms is not None
            and recovery.failed_ms <= each.ts_ms <= until
        ]
        spans += [(taken[-1], recovery.reading_ms)] if taken and taken[-1] <= recovery.failed_ms else []
    if not spans:
        return {}
    total, reached = 0, 0
    for begin, end in sorted(spans):
        total += max(end - max(begin, reached), 0)
        reached = max(reached, end)
    return {"undone_ms": float(total), "undone_from_ms": min(spans)[0], "undone_to_ms": reached}


def _signal(job: str | None, recoveries: Sequence[Recovery], undone: Mapping[str, FactValue]) -> Signal:
    took = [each.took_ms for each in recoveries]
    restored = [each.running_ms - each.scheduled_ms for each in recoveries]
    facts: dict[str, FactValue] = {
        "recoveries": len(recoveries),
        "durations_ms": [float(each) for each in took[-MOST_LISTED:]],
        "median_ms": median(took),
        "longest_ms": max(took),
        "unread_longest_ms": max(each.unread_ms for each in recoveries),
        "restore_median_ms": median(restored) if any(restored) else None,
        **undone,
    }
    longest = sorted(recoveries, key=lambda each: -each.took_ms)
    citations = [citation for each in longest for citation in each.citations]
    return Signal(
        "recovery",
        Subject(job=job),
        known_facts(facts),
        tuple(dict.fromkeys(citations))[:SHOWN],
        citation_count=len(citations),
        window=(min(each.failed_ms for each in recoveries), max(each.running_ms for each in recoveries)),
    )


FACTS = {
    "recoveries": "how often the job ran again after a restart",
    "durations_ms": "how long the last of them took, from the end of RUNNING until all subtasks ran",
    "median_ms": "median of these durations",
    "longest_ms": "longest of these durations",
    "unread_longest_ms": "longest time in which a source did not read: from the end of RUNNING until all sources ran",
    "restore_median_ms": "median time from the job's RUNNING until the last subtask ran: restoring its state",
    "undone_ms": "time from the triggers of the restored checkpoints until the sources read again, each moment once",
    "undone_from_ms": "trigger of the earliest restored checkpoint, epoch ms",
    "undone_to_ms": "when the sources read again after the last recovery from a checkpoint, epoch ms",
}

SIGNALS = (SignalDefinition("recovery", "job", FACTS, measure),)
