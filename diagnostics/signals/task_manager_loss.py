"""Which TaskManagers the JobManager lost, and whether their processes lived on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.cluster import cluster_of, normalised
from diagnostics.reconstruction.gc_timeline import SLICE_MS, WORST_WINDOW_MS, Timeline, timelines
from diagnostics.reconstruction.incident_log import IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.series import MetricSeries, metric_series
from diagnostics.signal import FactValue, Measured, NotMeasured, Signal, SignalDefinition, Subject

IDENTITY = re.compile(r"TaskManager with (?:id|ResourceID:?) ([^\s()]{1,200})|TaskExecutor connection ([^\s()]{1,200})")
STARTED = re.compile(r"Starting TaskManager with ResourceID:? ([^\s()]{1,200})")
"""Source: Flink's ResourceManager, JobMaster and TaskManagerRunner; matched in texts of at most 2,000 characters."""
STANDSTILL_MS = 20_000
"""How long before a loss the collections are looked at. Our choice: shorter than the default heartbeat.timeout of 50 s,
so that a standstill that costs the heartbeat fills it."""
SAME_LOSS_MS = 60_000
"""JobMaster and ResourceManager notice the same loss within this time; more is another one. Our choice."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One TaskManager lost at one time, with everything that was said of it."""

    task_manager: str
    ts_ms: int | None
    events: tuple[LogEvent, ...]

    @property
    def how(self) -> str:
        """`heartbeat timed out` or `unreachable`."""
        return "heartbeat timed out" if any("timed out" in each.message for each in self.events) else "unreachable"


def measure(evidence: Evidence) -> Measured:
    """Each lost TaskManager.

    Reads   log_record, gc_pause (whether the process went on, and how much it stood still before).
    Gives   one signal for each TaskManager that was lost.
    Empty   NotMeasured without logs; nothing when none was lost.
    """
    if not evidence.has("log_record"):
        yield NotMeasured("task_manager_loss", "jobmanager-log", "no log was given")
        return
    log, cluster = incident_log(evidence), cluster_of(evidence)
    back = _registrations(log)
    own_logs = _own_logs(log)
    by_process = {normalised(each.process): each for each in timelines(evidence)}
    for loss in losses(log):
        place = normalised(loss.task_manager)
        facts: dict[str, FactValue] = {"lost_ms": loss.ts_ms, "how": loss.how}
        facts |= _afterwards(loss, own_logs.get(place), by_process.get(place))
        again = [ts for ts in back.get(place, []) if loss.ts_ms is not None and ts > loss.ts_ms]
        facts["registered_again_ms"] = min(again, default=None)
        yield Signal(
            key="task_manager_loss",
            subject=Subject(
                job=cluster.job_of(loss.task_manager), task_manager=loss.task_manager, host=cluster.hosts.get(place)
            ),
            facts={name: value for name, value in facts.items() if value is not None},
            citations=tuple(event.cite() for event in loss.events[:4]),
            citation_count=len(loss.events),
            window=(loss.ts_ms, loss.ts_ms) if loss.ts_ms is not None else None,
        )


def measure_all(evidence: Evidence) -> Measured:
    """All losses together, and how many TaskManagers are registered at the end.

    Reads   log_record, metric_sample (numRegisteredTaskManagers).
    Gives   one signal of the case, also when none was lost.
    Empty   NotMeasured without logs and metrics.
    """
    if not (evidence.has("log_record") or evidence.has("metric_sample")):
        yield NotMeasured("task_manager_loss.all", "jobmanager-log", "neither a log nor metrics were given")
        return
    log, cluster = incident_log(evidence), cluster_of(evidence)
    lost = losses(log)
    own_logs = _own_logs(log)
    by_process = {normalised(each.process): each for each in timelines(evidence)}
    afterwards = [
        _afterwards(loss, own_logs.get(normalised(loss.task_manager)), by_process.get(normalised(loss.task_manager)))
        for loss in lost
    ]
    stamps = [loss.ts_ms for loss in lost if loss.ts_ms is not None]
    standing = [share for each in afterwards if isinstance(share := each.get("gc_ratio_before"), float)]
    facts: dict[str, FactValue] = {
        "lost": len({loss.task_manager for loss in lost}),
        "task_managers": list(dict.fromkeys(loss.task_manager for loss in lost)),
        "unreachable": sum(loss.how == "unreachable" for loss in lost),
        "lived_on": sum(each.get("lived_on") is True for each in afterwards),
        "standing_still": sum(share >= 0.5 for share in standing) if standing else None,
        "gc_ratio_before": max(standing, default=None),
        "first_ms": min(stamps, default=None),
        "last_ms": max(stamps, default=None),
    }
    facts |= _registered(metric_series(evidence), stamps)
    known = [each for each in cluster.task_managers if each]
    if known:
        facts["known"] = len(known)
    citations = [loss.events[0].cite() for loss in lost]
    citations += [
        each.cite(each.known[-1]) for each in metric_series(evidence).of("numRegisteredTaskManagers") if each.known
    ]
    yield Signal(
        key="task_manager_loss.all",
        subject=Subject(),
        facts={name: value for name, value in facts.items() if value is not None},
        citations=tuple(citations[:8]),
        citation_count=sum(len(loss.events) for loss in lost),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def losses(log: IncidentLog) -> list[Loss]:
    """The losses in time order; what several components say of one loss is one."""
    grouped: list[tuple[str, list[LogEvent]]] = []
    for event in log.of("lost"):
        name = _identity(event)
        if not name:
            continue
        for known, events in grouped:
            near = event.ts_ms is None or events[-1].ts_ms is None or event.ts_ms - events[-1].ts_ms <= SAME_LOSS_MS
            if known == name and near:
                events.append(event)
                break
        else:
            grouped.append((name, [event]))
    return [Loss(name, events[0].ts_ms, tuple(events)) for name, events in grouped]


def _identity(event: LogEvent) -> str | None:
    found = IDENTITY.search(event.message)
    return event.task_manager or ((found[1] or found[2]).rstrip(".") if found else None)


def _registrations(log: IncidentLog) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for event in log.of("registered"):
        name = _identity(event)
        if name and event.ts_ms is not None:
            found[normalised(name)].append(event.ts_ms)
    return found


def _own_logs(log: IncidentLog) -> Mapping[str, int]:
    """TaskManager -> time of the last record in its own log."""
    found: dict[str, int] = {}
    for event in log.of("started"):
        name = STARTED.search(event.message)
        last = log.last_ms.get(event.file_id)
        if name and last is not None:
            found[normalised(name[1])] = max(last, found.get(normalised(name[1]), last))
    return found


def _afterwards(loss: Loss, last_log_ms: int | None, collections: Timeline | None) -> dict[str, FactValue]:
    """Whether the process lived on, and how much of the time before it stood still for collections."""
    if loss.ts_ms is None:
        return {}
    facts: dict[str, FactValue] = {"last_log_ms": last_log_ms}
    signs = [last_log_ms > loss.ts_ms] if last_log_ms is not None else []
    if collections and collections.has_clock and collections.slices:
        before = [each.pause_ms for each in collections.slices if -STANDSTILL_MS <= each.start_ms - loss.ts_ms < 0]
        last_gc = collections.slices[-1].start_ms + SLICE_MS
        facts |= {
            "gc_ratio_before": min(sum(before) / STANDSTILL_MS, 1.0),
            "full_gcs_before": sum(0 <= loss.ts_ms - each.ts_ms <= WORST_WINDOW_MS for each in collections.for_room),
            "last_gc_ms": last_gc,
        }
        signs.append(last_gc > loss.ts_ms)
    if signs:
        facts["lived_on"] = any(signs)
    return facts


def _registered(series: MetricSeries, lost_at: Sequence[int]) -> dict[str, FactValue]:
    """Registered TaskManagers: most, and at the end."""
    points = [
        (point.ts_ms or 0, point.value)
        for each in series.of("numRegisteredTaskManagers")
        for point in each.known
        if point.value is not None
    ]
    if not points:
        return {}
    return {
        "registered_end": round(max(points)[1]),
        "registered_most": round(max(value for _, value in points)),
        "registered_end_ms": max(points)[0] or None,
        "seen_after_loss": bool(lost_at) and max(points)[0] > max(lost_at),
    }


SIGNALS = (
    SignalDefinition(
        key="task_manager_loss",
        level="task_manager",
        facts={
            "lost_ms": "when the JobManager gave it up, epoch ms",
            "how": "`heartbeat timed out` or `unreachable`",
            "lived_on": "whether its log or GC log goes on after that: stalled or cut off, not dead",
            "last_log_ms": "last record of its own log, epoch ms",
            "last_gc_ms": "last collection in its GC log, epoch ms",
            "gc_ratio_before": "part of the 20 s before in GC pauses, 0 to 1",
            "full_gcs_before": "full collections for room in the minute before",
            "registered_again_ms": "when it registered again, epoch ms",
        },
        measure=measure,
    ),
    SignalDefinition(
        key="task_manager_loss.all",
        level="case",
        facts={
            "lost": "TaskManagers lost",
            "task_managers": "their resource ids",
            "unreachable": "losses that were noticed by failing connections, not by the heartbeat",
            "lived_on": "of the lost ones, how many processes lived on",
            "standing_still": "of the lost ones, how many stood still for collections for half of the 20 s before",
            "gc_ratio_before": "largest part of the 20 s before a loss in GC pauses, 0 to 1",
            "first_ms": "first loss, epoch ms",
            "last_ms": "last loss, epoch ms",
            "known": "TaskManagers that the evidence knows",
            "registered_end": "TaskManagers registered at the end",
            "registered_end_ms": "when that was, epoch ms",
            "registered_most": "most TaskManagers registered at any time",
            "seen_after_loss": "whether the number at the end was taken after the last loss",
        },
        measure=measure_all,
    ),
)
