"""TaskManagers that the JobManager lost, and whether each process ended, stood still or lived on disconnected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnostics.arithmetic.quantiles import shown_only
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.failures.process_end import ProcessEnd, process_ends, task_manager_of_file
from diagnostics.reconstruction.failures.task_manager_lost import SAME_LOSS_MS, Loss, identity_of, losses
from diagnostics.reconstruction.gc.pauses import SLICE_MS
from diagnostics.reconstruction.gc.timeline import (
    WORST_WINDOW_MS,
    Timeline,
    collector_series,
    timelines,
)
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.clusters import clusters_of
from diagnostics.reconstruction.job.jobmanager_gauge import Gauge, gauge_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

STANDSTILL_MS = 20_000
"""Time before a loss in which collections are examined. Our choice: shorter than the default heartbeat.timeout of 50 s,
so that a pause that costs the heartbeat fills it.
"""
STOOD_STILL_RATIO = 0.5
"""From this share of STANDSTILL_MS in pauses on, the process stood still. Our choice."""
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Traces:
    """Evidence about the TaskManager processes, by normalised resource id.

    last_log_ms  last record of its own log
    noticed_ms   when its own log reported the loss of the JobManager or the ResourceManager
    back_ms      when it registered at the JobManager
    """

    last_log_ms: Mapping[str, int]
    noticed_ms: Mapping[str, Sequence[int]]
    back_ms: Mapping[str, Sequence[int]]
    collections: Mapping[str, Timeline]
    timelines: Sequence[Timeline]
    ends: Sequence[ProcessEnd]
    series: MetricSeries


def measure(evidence: Evidence) -> Measured:
    """Each lost TaskManager.

    Reads   log_record, failure; gc_pause and metric_sample (whether the process went on, share of time in pauses).
    Gives   one signal per lost TaskManager; none when none was lost.
    Empty   NotMeasured without logs and exceptions.
    """
    if not (evidence.has("log_record") or evidence.has("failure")):
        yield NotMeasured("task_manager_loss", "jobmanager-log", "no log and no exceptions were given")
        return
    cluster = cluster_of(evidence)
    for loss, facts in _lost(evidence):
        place = normalised(loss.task_manager)
        yield Signal(
            key="task_manager_loss",
            subject=Subject(
                job=cluster.job_of(loss.task_manager), task_manager=loss.task_manager, host=_host(loss, cluster, place)
            ),
            facts=facts,
            citations=tuple(each.cite() for each in loss.records[:4]),
            citation_count=len(loss.records),
            window=(loss.ts_ms, loss.ts_ms) if loss.ts_ms is not None else None,
        )


def measure_all(evidence: Evidence) -> Measured:
    """All losses of the case, and the number of TaskManagers registered at the end.

    Reads   as `measure`, and numRegisteredTaskManagers (0 is read, not missing), numRunningJobs.
    Gives   one signal of the case, also when none was lost; where files are of several clusters, also one for each job.
    Empty   NotMeasured without logs, exceptions and metrics.
    """
    if not any(evidence.has(table) for table in ("log_record", "failure", "metric_sample")):
        yield NotMeasured("task_manager_loss.all", "jobmanager-log", "no log, exception or metric was given")
        return
    cluster, clusters = cluster_of(evidence), clusters_of(evidence)
    lost = _lost(evidence)
    yield _all(evidence, None, lost)
    if clusters.are_several:
        for job in cluster.job_names:
            own = [each for each in lost if not all(clusters.are_apart(job, one.file_id) for one in each[0].records)]
            yield _all(evidence, job, own)
    if lost and not any("lived_on" in each for _, each in lost):
        yield NotMeasured("task_manager_loss.all", "taskmanager-log", "no file shows whether the lost process lived on")
    if lost and not _numbers(lost, "gc_ratio_before"):
        yield NotMeasured("task_manager_loss.all", "gc-log", "no file shows whether the lost process stood still")


def _all(evidence: Evidence, job: str | None, lost: Sequence[tuple[Loss, dict[str, FactValue]]]) -> Signal:
    """The losses of a job's cluster, or of all files."""
    clusters = clusters_of(evidence)
    registered = gauge_of(evidence, "numRegisteredTaskManagers", job) if job or not clusters.are_several else None
    stamps = [loss.ts_ms for loss, _ in lost if loss.ts_ms is not None]
    fates = [each["lived_on"] for _, each in lost if "lived_on" in each]
    has_own_logs = any("last_log_ms" in each for _, each in lost)
    shares = _numbers(lost, "gc_ratio_before")
    both = _numbers(lost, "noticed_apart_ms")
    back = _numbers(lost, "registered_again_ms")
    full = _numbers(lost, "full_gcs_before")
    known = sum(not clusters.is_of_another(job, each) for each in cluster_of(evidence).task_managers if each)
    looked = evidence.has_logs() or evidence.has("failure")
    facts: dict[str, FactValue] = {
        "lost": len({loss.task_manager for loss, _ in lost}),
        "task_managers": list(dict.fromkeys(loss.task_manager for loss, _ in lost)),
        "on_yarn": any((loss.task_manager or "").startswith("container_") for loss, _ in lost) or None,
        "unreachable": sum(loss.how == "unreachable" for loss, _ in lost),
        "container_ends": sum(loss.how == "container ended" for loss, _ in lost),
        "lived_on": fates.count(True) if fates or not lost else None,
        "log_ends": fates.count(False) if fates or not lost else None,
        "ended": sum("ended" in each for _, each in lost),
        "ended_how": list(dict.fromkeys(str(each["ended"]) for _, each in lost if "ended" in each)) or None,
        "standing_still": sum(share >= STOOD_STILL_RATIO for share in shares) if shares else None,
        "gc_ratio_before": max(shares, default=None),
        "any_pause_ratio_before": max(_numbers(lost, "any_pause_ratio_before"), default=None),
        "full_gcs_before": round(sum(full)) if full else None,
        "both_sides": len(both) if has_own_logs or not lost else None,
        "noticed_apart_ms": min(both, default=None),
        "registered_again": len(back),
        "registered_again_ms": max(back, default=None),
        "away_ms": _away_ms(evidence, lost),
        "first_ms": min(stamps, default=None),
        "last_ms": max(stamps, default=None),
        **_without_jobmanager(incident_log(evidence)),
        "known": known or None,
        "all_lost": len({loss.task_manager for loss, _ in lost}) >= known if known > 1 and lost else None,
    }
    read = _registered(registered, gauge_of(evidence, "numRunningJobs", job), stamps) if registered else {}
    citations = [loss.records[0].cite() for loss, _ in lost]
    citations += registered.citations if registered else ()
    return Signal(
        key="task_manager_loss.all",
        subject=Subject(job=job),
        facts=shown_only(facts, looked) | known_facts(read),
        citations=tuple(citations[:SHOWN]),
        citation_count=sum(len(loss.records) for loss, _ in lost),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


@read_once
def _lost(evidence: Evidence) -> list[tuple[Loss, dict[str, FactValue]]]:
    """Every loss with its facts."""
    log = incident_log(evidence)
    lost = losses(log)
    if not lost:
        return []
    names = task_manager_of_file(log)
    traces = Traces(
        last_log_ms={
            normalised(name): log.last_ms[file] for file, name in sorted(names.items()) if file in log.last_ms
        },
        noticed_ms=_times(log.of("peer_lost"), names),
        back_ms=_times(log.of("registered"), {}),
        collections={normalised(each.process): each for each in timelines(evidence)},
        timelines=timelines(evidence),
        ends=process_ends(log),
        series=metric_series(evidence),
    )
    return [(loss, _facts(loss, traces)) for loss in lost]


def _away_ms(evidence: Evidence, lost: Sequence[tuple[Loss, Mapping[str, FactValue]]]) -> float | None:
    """The longest time without a heartbeat: its timeout before the loss, and what passed until it registered again."""
    timeout = settings_of(stated_options(evidence), None)[0].get("heartbeat_timeout_ms")
    if not isinstance(timeout, (int, float)):
        return None
    silent = [facts for _, facts in lost if facts["how"] == "heartbeat timed out"]
    times = [
        back - gone + timeout
        for facts in silent
        if isinstance(gone := facts.get("lost_ms"), (int, float))
        and isinstance(back := facts.get("registered_again_ms"), (int, float))
    ]
    return max(times, default=None)


def _numbers(lost: Sequence[tuple[Loss, Mapping[str, FactValue]]], fact: str) -> list[float]:
    return [value for _, facts in lost if isinstance(value := facts.get(fact), (int, float))]


def _host(loss: Loss, cluster: Cluster, place: str) -> str | None:
    """The host from REST, else the address in a resource id of the form `address:port-suffix`."""
    address, separator, _ = loss.task_manager.rpartition(":")
    return cluster.hosts.get(place) or (address if separator else None)


def _facts(loss: Loss, traces: Traces) -> dict[str, FactValue]:
    place = normalised(loss.task_manager)
    end = next((each for each in traces.ends if each.is_of(loss.task_manager) and each.explains(loss.ts_ms)), None)
    facts: dict[str, FactValue] = {"lost_ms": loss.ts_ms, "how": loss.how, "ended": end.how if end else None}
    if loss.ts_ms is not None:
        lost_ms = loss.ts_ms
        apart = [abs(ts - lost_ms) for ts in traces.noticed_ms.get(place, ()) if abs(ts - lost_ms) <= SAME_LOSS_MS]
        again = min((ts for ts in traces.back_ms.get(place, ()) if ts > lost_ms), default=None)
        facts |= {"noticed_apart_ms": min(apart, default=None), "registered_again_ms": again}
        facts |= _afterwards(lost_ms, traces.last_log_ms.get(place), traces.collections.get(place), again)
        if "gc_ratio_before" not in facts:
            facts["gc_ratio_before"] = _reported_pauses(traces.series, place, lost_ms)
        facts["any_pause_ratio_before"] = _any_pauses(traces, lost_ms)
    return known_facts(facts)


def _times(events: Sequence[LogEvent], names: Mapping[int, str]) -> Mapping[str, list[int]]:
    """TaskManager -> times of its events; the TaskManager is the writer of the file, else the one the message names."""
    found: dict[str, list[int]] = defaultdict(list)
    for event in events:
        name = names.get(event.file_id) or identity_of(event)
        if name and event.ts_ms is not None:
            found[normalised(name)].append(event.ts_ms)
    return found


def _afterwards(
    lost_ms: int, last_log_ms: int | None, collections: Timeline | None, registered_again_ms: int | None
) -> dict[str, FactValue]:
    """Whether the process lived on, and its share of time in collections before the loss.

    A resource id is new with each start, so a second registration with it is the same process.
    """
    facts: dict[str, FactValue] = {"last_log_ms": last_log_ms}
    signs = [last_log_ms > lost_ms] if last_log_ms is not None else []
    if registered_again_ms is not None:
        signs.append(True)
    if collections and collections.has_clock and collections.slices:
        last_gc = collections.slices[-1].start_ms + SLICE_MS
        facts |= {
            "gc_ratio_before": _pauses(collections, lost_ms),
            "full_gcs_before": sum(0 <= lost_ms - each.ts_ms <= WORST_WINDOW_MS for each in collections.for_room),
            "last_gc_ms": last_gc,
        }
        signs.append(last_gc > lost_ms)
    if signs:
        facts["lived_on"] = any(signs)
    return facts


def _any_pauses(traces: Traces, lost_ms: int) -> float | None:
    """Largest share of the time before a loss that any JVM spent in pauses.

    A GC log does not name its process, and a JobManager that is paused loses its TaskManagers too.
    """
    shares = [_pauses(each, lost_ms) for each in traces.timelines if each.has_clock and _covers(each, lost_ms)]
    places = {normalised(each.task_manager) for each in collector_series(traces.series, "Time")}
    shares += [share for each in places if (share := _reported_pauses(traces.series, each, lost_ms)) is not None]
    return max(shares, default=None)


def _covers(timeline: Timeline, lost_ms: int) -> bool:
    return bool(timeline.slices) and timeline.slices[0].start_ms <= lost_ms


def _pauses(timeline: Timeline, lost_ms: int) -> float:
    before = [each.pause_ms for each in timeline.slices if -STANDSTILL_MS <= each.start_ms - lost_ms < 0]
    return min(sum(before) / STANDSTILL_MS, 1.0)


def _reported_pauses(series: MetricSeries, place: str, lost_ms: int) -> float | None:
    """Share of the time before a loss in GC pauses, from the collectors' metrics.

    Needs a sample older than STANDSTILL_MS and one within it.
    """
    share = 0.0
    seen = False
    for each in collector_series(series, "Time"):
        if normalised(each.task_manager) != place:
            continue
        known = [
            (point.ts_ms, point.value) for point in each.known if point.ts_ms is not None and point.value is not None
        ]
        before = [pair for pair in known if -WORST_WINDOW_MS <= pair[0] - lost_ms <= -STANDSTILL_MS]
        within = [pair for pair in known if -STANDSTILL_MS < pair[0] - lost_ms <= 0]
        if before and within and within[-1][0] > before[-1][0]:
            seen = True
            share += max(within[-1][1] - before[-1][1], 0.0) / (within[-1][0] - before[-1][0])
    return min(share, 1.0) if seen else None


def _without_jobmanager(log: IncidentLog) -> dict[str, FactValue]:
    """Losses of the JobManager or the ResourceManager in the TaskManagers' own logs."""
    noticed = log.of("peer_lost")
    stamps = [each.ts_ms for each in noticed if each.ts_ms is not None]
    silent = {each.file_id for each in noticed if " timed out" in each.message}
    joined = [(each.file_id, each.ts_ms) for each in log.of("joined") if each.ts_ms is not None]
    back = [
        min((ts for file_id, ts in joined if file_id == each.file_id and ts >= each.ts_ms), default=each.ts_ms - 1)
        - each.ts_ms
        for each in noticed
        if each.ts_ms is not None and " timed out" in each.message
    ]
    return {
        "without_jobmanager": len({each.file_id for each in noticed}),
        "without_jobmanager_silent": len(silent),
        "without_jobmanager_ms": min(stamps, default=None),
        "without_jobmanager_back_ms": min((each for each in back if each >= 0), default=None),
    }


def _registered(gauge: Gauge, running: Gauge | None, lost_at: Sequence[int]) -> dict[str, FactValue]:
    """Registered TaskManagers: the highest number, and the number at the end."""
    end_ms = gauge.levels[-1][0]
    return {
        "registered_end": gauge.newest,
        "running_jobs": running.newest if running else None,
        "registered_most": gauge.most,
        "gone": gauge.most - gauge.newest,
        "gone_ms": gone_ms(gauge.levels, lost_at),
        "registered_end_ms": end_ms or None,
        "seen_after_loss": bool(lost_at) and end_ms > max(lost_at),
    }


def gone_ms(points: Sequence[tuple[int, float]], lost_at: Sequence[int]) -> int | None:
    """Since when as many as before are no longer registered: the loss that the JobManager noticed since the last such
    sample, else the first sample with fewer. None while as many are there, and without times.
    """
    most = max(value for _, value in points)
    full = max(ts_ms for ts_ms, value in points if value == most)
    fewer = min((ts_ms for ts_ms, _ in points if ts_ms > full), default=None)
    if not full or fewer is None:
        return None
    return min((each for each in lost_at if full <= each <= fewer), default=fewer)


SIGNALS = (
    SignalDefinition(
        key="task_manager_loss",
        level="task_manager",
        facts={
            "lost_ms": "when the JobManager gave it up, epoch ms",
            "how": "`heartbeat timed out`, `container ended` or `unreachable`",
            "lived_on": "whether its log or GC log goes on, or it registered again: stalled or cut off, not dead",
            "ended": "how its process ended, if known: OutOfMemoryError, killed, container ended, fatal error",
            "noticed_apart_ms": "time between this loss and its own loss of the JobManager or ResourceManager, ms",
            "last_log_ms": "last record of its own log, epoch ms",
            "last_gc_ms": "last collection in its GC log, epoch ms",
            "gc_ratio_before": "part of the 20 s before in GC pauses, 0 to 1",
            "any_pause_ratio_before": "largest part of the 20 s before that any JVM spent in GC pauses, 0 to 1",
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
            "on_yarn": "whether one of them ran in a container of YARN, by its id",
            "unreachable": "losses that were noticed by failing connections, not by the heartbeat",
            "container_ends": "losses that YARN or Kubernetes reported, because the container ended",
            "lived_on": "lost TaskManagers whose process lived on",
            "log_ends": "lost TaskManagers whose own logs end with the loss",
            "ended": "lost TaskManagers whose end a file shows",
            "ended_how": "how they ended",
            "both_sides": "lost TaskManagers that lost the JobManager or ResourceManager too, by their own logs",
            "noticed_apart_ms": "least time between the losses that both sides noticed, ms",
            "registered_again": "lost TaskManagers that registered again",
            "registered_again_ms": "time of the last registration after a loss, epoch ms",
            "away_ms": "longest time without a heartbeat of a lost TaskManager until it registered again, ms",
            "any_pause_ratio_before": "largest part of the 20 s before a loss that any JVM spent in GC pauses, 0 to 1",
            "full_gcs_before": "full collections for room in the minute before the losses",
            "all_lost": "whether all TaskManagers that are known, and more than one, were lost",
            "standing_still": "lost TaskManagers that were paused by collections for half of the 20 s before",
            "gc_ratio_before": "largest part of the 20 s before a loss in GC pauses, 0 to 1",
            "first_ms": "first loss, epoch ms",
            "last_ms": "last loss, epoch ms",
            "without_jobmanager": "TaskManagers whose own logs say that they lost the JobManager or ResourceManager",
            "without_jobmanager_silent": "TaskManagers whose heartbeat with the JobManager or ResourceManager timed "
            "out; nothing refused the connection",
            "without_jobmanager_ms": "when the first of them did, epoch ms",
            "without_jobmanager_back_ms": "least time from such a timeout until it registered there again, ms",
            "known": "TaskManagers that the evidence knows",
            "registered_end": "TaskManagers registered at the end",
            "running_jobs": "jobs that the JobManager counts as running at the end",
            "registered_end_ms": "when that was, epoch ms",
            "registered_most": "most TaskManagers registered at any time",
            "gone": "TaskManagers fewer at the end than at most",
            "gone_ms": "since when as many as before are no longer registered, epoch ms",
            "seen_after_loss": "whether the number at the end was taken after the last loss",
        },
        measure=measure_all,
    ),
)
