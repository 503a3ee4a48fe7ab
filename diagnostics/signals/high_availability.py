"""Lost connections to the coordination service (ZooKeeper, Kubernetes) and their consequences."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

from diagnostics.aggregators import config_options
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.onset import CALM_MS, END_FACTS
from diagnostics.arithmetic.quantiles import known, shown_only
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.flink_values import duration_ms, truth
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults
from diagnostics.reconstruction.failures.connection_breaks import breaks, moments
from diagnostics.reconstruction.failures.coordination_outage import Outage, outages, pause_ratio_before
from diagnostics.reconstruction.failures.coordination_server import limits, server_facts
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.failures.jobmanager_starts import jobmanager_restarts, jobmanager_starts, restored_from
from diagnostics.reconstruction.failures.leader_changes import is_settled_change, leader_facts
from diagnostics.reconstruction.failures.process_end import task_manager_of_file
from diagnostics.reconstruction.gc.timeline import timelines
from diagnostics.reconstruction.job.clusters import clusters_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition
from diagnostics.wording.phrase import duration

SHOWN = 12
FLINK_PROCESSES = ("jobmanager", "taskmanager")
"""Processes that the service coordinates; a client connects too, and loses nothing with it."""
COORDINATION = (
    "KeeperErrorCode",
    "KeeperException",
    "curator",
    "ZooKeeper",
    "ConfigMap",
    "LeaderElection",
    "leader election",
    "Leadership lost",
)
"""Texts of an error caused by the coordination service. Source: Flink's own log statements zk.*, k8sha.*."""
OPTIONS: Mapping[str, str] = {
    "high-availability.zookeeper.quorum": "servers",
    "high-availability.zookeeper.client.session-timeout": "session_timeout_ms",
    "high-availability.zookeeper.client.tolerate-suspended-connections": "tolerates_suspended",
    "high-availability.zookeeper.client.max-retry-attempts": "retry_attempts",
    "high-availability.zookeeper.client.retry-wait": "retry_wait_ms",
    "high-availability.kubernetes.leader-election.renew-deadline": "renew_deadline_ms",
}
"""Option -> fact. Source: Flink documentation, Configuration."""
CHECKPOINT_FAILED = "complete checkpoint"
"""Text of CheckpointFailureManager for a checkpoint that could not be finalized, in lower case."""


def measure(evidence: Evidence) -> Measured:
    """Losses of the coordination service, over all processes.

    Reads   log_record, config_option (high-availability.*), gc_pause, checkpoint.
    Gives   one signal of the case, also without losses; without Flink's own logs only when other files report losses.
    Empty   NotMeasured without logs.
    """
    if not evidence.has("log_record"):
        yield NotMeasured("high_availability", "jobmanager-log", "no log was given")
        return
    log = incident_log(evidence)
    ha_outages, clusters = outages(log), clusters_of(evidence)
    options, option_lines = _options(evidence)
    signs = _signs(log)
    if signs["session_timeout_ms"] is not None:
        options = options | {"session_timeout_ms": signs["session_timeout_ms"]}
    ended = [each for each in _fatal(log) if _is_of_service(each, ha_outages)]
    names = task_manager_of_file(log)
    managers, masters = _ended(log, ended, "taskmanager"), _ended(log, ended, "jobmanager")
    facts: dict[str, FactValue] = {
        "service": _service(log),
        "signs": log.count("coordination_lost"),
        "outages": len(ha_outages),
        **signs,
        **_extent(log, ha_outages),
        **(leadership := _leadership(log, ha_outages)),
        "ended_ms": None if leadership["leadership_gone"] else _ended_ms(evidence, log, ha_outages),
        **leader_facts(log),
        **_failures(evidence, log),
        "jobmanagers_ended": len(masters),
        "jobmanagers_failed": len(_ended(log, _fatal(log), "jobmanager")),
        "task_managers_ended": len({each.file_id for each in managers}),
        "task_managers_ended_names": list(
            dict.fromkeys(names[each.file_id] for each in managers if each.file_id in names)
        ),
        **jobmanager_starts(log, clusters),
        "restored_from": restored_from(log),
        **(server := server_facts(log, ha_outages)),
        **limits(ha_outages, options, server.get("server_session_limit_ms")),
        "pause_ratio_before": pause_ratio_before(timelines(evidence), ha_outages),
        **options,
    }
    signs_shown = [each for outage in ha_outages for each in outage.signs[:3]]
    shown = [*signs_shown[:4], *jobmanager_restarts(log, clusters)[:2], *signs_shown[4:], *masters[:2], *managers[:2]]
    shown += [each for each in log.of("leadership") if "granted" not in (each.event or "")][:1]
    shown += log.of("coordination_server")[:2]
    yield Signal(
        key="high_availability",
        subject=Subject(),
        facts=shown_only({name: value for name, value in facts.items() if value != []}, evidence.has_logs()),
        citations=tuple(dict.fromkeys([*(each.cite() for each in shown), *option_lines]))[:SHOWN],
        citation_count=log.count("coordination_lost") + len(ended),
        window=(ha_outages[0].first_ms, ha_outages[-1].last_ms) if ha_outages else None,
    )


def _failures(evidence: Evidence, log: IncidentLog) -> dict[str, FactValue]:
    """Failures and errors thrown by the high-availability services; tasks that end because their leader went are none
    where the logs show how that went on.
    """
    failed = [each for each in blamed_faults(evidence) if each.origin.id == "high_availability"]
    failed = [each for each in failed if not is_settled_change(each.said, log)]
    if not failed:
        return {"failures": 0}
    first = failed[0]
    return {
        "failures": len(failed),
        "failure_text": first.said,
        "failure_remedy": repair_of(first, evidence),
        "failures_reported_by": first.reported_by,
    }


def _service(log: IncidentLog) -> str | None:
    """The coordination service that the events name; None when there are only leadership changes."""
    told = [each.event or each.texts for kind in ("coordination_lost", "coordination_back") for each in log.of(kind)]
    if any(text.startswith("zk.") or "Keeper" in text for text in told):
        return "ZooKeeper"
    return "Kubernetes" if any(text.startswith("k8s") for text in told) else None


def _signs(log: IncidentLog) -> dict[str, FactValue]:
    """Counts of each kind of sign, over all processes."""
    lost = log.of("coordination_lost")
    silences = [each.duration_ms for each in lost if each.event == "zk.client.timeout" and each.duration_ms is not None]
    negotiated = [each.duration_ms for each in log.of("coordination_back") if each.duration_ms is not None]
    return {
        **breaks(lost),
        "session_timeouts": len(silences),
        "silent_ms": max(silences, default=None),
        "sessions_expired": sum((each.event or "").endswith((".expired", ".session_expired")) for each in lost),
        "gave_up": len({each.file_id for each in lost if each.event == "zk.curator.bg_gaveup"}),
        "connection_loss": sum("KeeperErrorCode = ConnectionLoss" in each.texts for each in lost),
        "checkpoint_failures": sum(CHECKPOINT_FAILED in each.texts.lower() for each in lost),
        "lock_failures": sum((each.event or "").startswith("k8s") for each in lost),
        "session_timeout_ms": max(negotiated, default=None),
    }


def _extent(log: IncidentLog, ha_outages: Sequence[Outage]) -> dict[str, FactValue]:
    """Number of processes that lost the service, and the highest number at the same time."""
    if not ha_outages:
        return {}
    lost_by = frozenset[int]().union(*(outage.files for outage in ha_outages))
    signs = [each for outage in ha_outages for each in outage.signs]
    roles = {each.file_id: each.process for each in signs if each.file_id in lost_by}
    found_none = frozenset[int]().union(*(outage.never_connected for outage in ha_outages)) - lost_by
    either = [*log.of("coordination_back"), *log.of("coordination_lost")]
    before_the_end = (each for each in either if (each.ts_ms or 0) <= ha_outages[-1].last_ms)
    could = {each.file_id for each in before_the_end if each.process in FLINK_PROCESSES}
    connected = (could | roles.keys()) - found_none
    reconnected = [
        each.ts_ms
        for each in log.of("coordination_back")
        if each.ts_ms is not None and each.event == "zk.curator.state" and each.ts_ms > ha_outages[0].first_ms
    ]
    return {
        "first_ms": ha_outages[0].began_ms,
        "last_ms": ha_outages[-1].last_ms,
        "longest_ms": max(each.lasted_ms for each in ha_outages),
        "answered_ms": ha_outages[-1].answered_ms,
        "outage_spans": [_span(each) for each in ha_outages[:SHOWN]],
        "silent_spans": [_span(each) for each in ha_outages[:SHOWN] if _is_silent(each)],
        "gone_spans": [_span(each) for each in ha_outages[:SHOWN] if _ends_with_a_start(each, log)],
        "processes": len(roles),
        "jobmanager_logs": sum(role == "jobmanager" for role in roles.values()),
        "taskmanager_logs": sum(role == "taskmanager" for role in roles.values()),
        # The log of one process does not show whether it lost the service alone.
        "processes_together": max(len(each.files) for each in ha_outages) if len(connected) > 1 else None,
        "processes_connected": len(connected),
        "processes_never_connected": len(found_none),
        "back_ms": max(reconnected, default=None),
    }


def _ended_ms(evidence: Evidence, log: IncidentLog, ha_outages: Sequence[Outage]) -> int | None:
    """When every job had completed a checkpoint again after the last outage: leadership, TaskManagers and storage were
    back. None while one has not, and where the calm after it is no longer than a calm between two outages.
    """
    histories = checkpoint_histories(evidence).values()
    if not ha_outages or not histories:
        return None
    completed = [known(each.ended_ms for each in history.select_statuses("completed")) for history in histories]
    after = [[ended for ended in of_job if ended > ha_outages[-1].last_ms] for of_job in completed]
    if not all(after):
        return None
    end_ms = round(max(map(min, after)))
    pauses = [later.first_ms - earlier.last_ms for earlier, later in pairwise(ha_outages)]
    calm_ms = max(chain.from_iterable(after)) - end_ms
    return end_ms if calm_ms > max([CALM_MS, *pauses]) else None


def _is_silent(outage: Outage) -> bool:
    """Whether a client waited on an open connection for an answer; one that is refused does not wait."""
    return any(each.event == "zk.client.timeout" for each in outage.signs)


def _ends_with_a_start(outage: Outage, log: IncidentLog) -> bool:
    """Whether a server was started in the outage, so that its process had been gone."""
    until = outage.answered_ms or outage.last_ms
    starts = [each.ts_ms for each in log.of("coordination_server") if each.event == "zk.server.start"]
    return any(each is not None and outage.began_ms < each <= until for each in starts)


def _span(outage: Outage) -> str:
    """Begin and end, as `2026-11-21 01:26:09 - 01:26:41 UTC (32 s)`, and `(≥ 32 s)` while no answer is known."""
    end_ms = outage.began_ms + outage.lasted_ms
    first, last = (dt.datetime.fromtimestamp(each / 1000, dt.UTC) for each in (outage.began_ms, end_ms))
    until = f"{last:%H:%M:%S}" if last.date() == first.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    least = "≥ " if outage.answered_ms is None else ""
    return f"{first:%Y-%m-%d %H:%M:%S} - {until} UTC ({least}{duration(outage.lasted_ms)})"


def _leadership(log: IncidentLog, ha_outages: Sequence[Outage]) -> dict[str, FactValue]:
    """Leaderships lost and granted again, and the jobs suspended for it."""
    revoked = [each for each in log.of("leadership") if "granted" not in (each.event or "")]
    granted = [each for each in log.of("leadership") if "granted" in (each.event or "")]
    suspended = [each for each in log.of("job_state") if each.state_to == "SUSPENDED"]
    restarted = [
        each
        for each in log.of("job_state")
        if each.state_to == "RESTARTING" and any(outage.covers(each.ts_ms) for outage in ha_outages)
    ]
    return {
        "leadership_lost": moments(revoked),
        "leadership_granted": moments(granted),
        "first_revoked_ms": min((each.ts_ms for each in revoked if each.ts_ms is not None), default=None),
        "leadership_gone": _is_gone(log, revoked, granted),
        "jobs_suspended": len(suspended),
        "restarts_then": len(restarted),
    }


def _is_gone(log: IncidentLog, revoked: Sequence[LogEvent], granted: Sequence[LogEvent]) -> bool | None:
    """Whether a process lost its leadership, which nobody was granted afterwards, and did not shut down; None when no
    leadership was lost.
    """
    if not revoked:
        return None
    last_ms = max(each.ts_ms or 0 for each in revoked)
    shut_down = {each.file_id for each in [*log.of("shut_down"), *log.of("process_end")]}
    is_granted = any((each.ts_ms or 0) >= last_ms for each in granted)
    return not is_granted and all(each.file_id not in shut_down for each in revoked)


def _fatal(log: IncidentLog) -> list[LogEvent]:
    return [
        each
        for each in log.of("process_end")
        if each.event in ("res.jm.entry.fatal", "res.tm.runner.fatal", "res.tm.fatal", "res.tm.fatal.v18")
    ]


def _is_of_service(event: LogEvent, ha_outages: Sequence[Outage]) -> bool:
    """Whether the service caused the end: the error names it, or the end came during an outage without an
    OutOfMemoryError.
    """
    told = f"{event.texts} {event.exception_class} {event.root_cause_class}"
    if any(text in told for text in COORDINATION):
        return True
    return "OutOfMemoryError" not in told and any(outage.covers(event.ts_ms) for outage in ha_outages)


def _ended(log: IncidentLog, fatal: Iterable[LogEvent], role: str) -> list[LogEvent]:
    """One event per end of a process of that role."""
    ends: list[LogEvent] = []
    for each in fatal:
        last = next((one for one in reversed(ends) if one.file_id == each.file_id), None)
        starts = [one.ts_ms or 0 for one in log.of("process_start") if one.file_id == each.file_id]
        since = any((last.ts_ms or 0) < start <= (each.ts_ms or 0) for start in starts) if last else True
        if each.process == role and since:
            ends.append(each)
    return ends


@read_once
def _options(evidence: Evidence) -> tuple[dict[str, FactValue], tuple[Citation, ...]]:
    """The options of OPTIONS as facts, with citations."""
    facts: dict[str, FactValue] = {}
    lines: dict[str, Citation] = {}
    for row in named_rows(evidence.answer(config_options.AGGREGATOR)):
        if row.key not in OPTIONS:
            continue
        fact = OPTIONS[row.key]
        value = _value(fact, row.value)
        if value is not None:
            facts[fact] = value
            text = f"{row.key}: {row.value}"
            lines.setdefault(fact, Citation.of(row, "config", text, name=row.key, value=row.value))
    return facts, tuple(lines.values())


def _value(fact: str, text: str | None) -> FactValue:
    if fact == "servers":
        return len([each for each in (text or "").split(",") if each.strip()]) or None
    if fact == "retry_attempts":
        return int(text) if text and text.strip().isdecimal() else None
    return truth(text) if fact == "tolerates_suspended" else duration_ms(text)


SIGNALS = (
    SignalDefinition(
        key="high_availability",
        level="case",
        facts={
            "service": "high availability service; `ZooKeeper` or `Kubernetes`",
            "signs": "log records about trouble with the high availability service",
            "outages": "outages of the high availability service",
            "suspended": "SUSPENDED connections over all processes",
            "short_breaks": "SUSPENDED connections beyond the LOST ones: breaks that did not cost the session",
            "lost": "LOST connections over all processes",
            "session_timeouts": "sessions in which nothing was heard from the server",
            "silent_ms": "longest time without an answer after which a client closed its connection, ms",
            "gave_up": "processes whose retries at the store of high availability were used up",
            "sessions_expired": "sessions that expired",
            "connection_loss": "ConnectionLoss errors of ZooKeeper",
            "checkpoint_failures": "checkpoints that failed with an error of the high availability service",
            "lock_failures": "failures of the Kubernetes lock or its ConfigMap",
            "session_timeout_ms": "session timeout, ms: negotiated, else configured",
            "first_ms": "begin of the first outage: the last answer before its first sign, else that sign, epoch ms",
            "last_ms": "last sign, epoch ms",
            **END_FACTS,
            "answered_ms": "first answer of the service after the last sign of the last outage, epoch ms",
            "longest_ms": "longest outage, ms: until the service answered again, as far as the evidence shows it",
            "silent_spans": "outages in which connections stayed open and nothing was answered",
            "gone_spans": "outages that ended with the start of a server",
            "outage_spans": "begin and end of each outage, and the time between them; ≥ while no answer is known",
            "processes": "Flink processes that lost their connection in an outage",
            "jobmanager_logs": "JobManager processes that noticed",
            "taskmanager_logs": "TaskManager processes that noticed",
            "processes_together": "most processes that noticed the same outage",
            "processes_connected": "JobManagers and TaskManagers that were connected before the last outage was over",
            "processes_never_connected": "processes that started during an outage and found no server",
            "back_ms": "last reconnection after the first sign, epoch ms",
            "failures": "failures and errors thrown by the high-availability services",
            "failure_text": "class and message of the first of them",
            "failure_remedy": "known repair of the first of them, by its message",
            "failures_reported_by": "who reports the first of them; failure, process, client, error or passed",
            "leader_left_ms": "when a TaskManager first lost the leader of its job, by its own log, epoch ms",
            "leader_registered_ms": "when all TaskManagers that lost it were registered at a leader again, epoch ms",
            "leader_absent_ms": "time without a leader until a TaskManager's log ends, ms",
            "leadership_lost": "times that a JobManager lost its leadership",
            "leadership_granted": "how often a JobManager was granted leadership",
            "first_revoked_ms": "when leadership was lost first, epoch ms",
            "leadership_gone": "whether a leadership was lost that nobody was granted afterwards, without a shutdown",
            "jobs_suspended": "times that a job was suspended",
            "restarts_then": "restarts of jobs during an outage",
            "jobmanagers_ended": "JobManager processes that ended with a fatal error of the service",
            "jobmanagers_failed": "JobManager processes that ended with any fatal error",
            "jobmanager_starts": "starts of JobManager processes",
            "jobmanager_restarts": "starts of JobManager processes after another one had ended",
            "jobmanager_first_restart_ms": "first of these starts, epoch ms",
            "jobmanager_last_start_ms": "last start of a JobManager process, epoch ms",
            "task_managers_ended": "TaskManager processes that ended with a fatal error of the service",
            "task_managers_ended_names": "their resource ids",
            "restored_from": "checkpoints that jobs were restored from, in order",
            "server_starts": "starts that the ZooKeeper servers' own logs tell of",
            "server_started_again_ms": "last start of a ZooKeeper server after the first sign, epoch ms",
            "server_expired": "sessions that the ZooKeeper servers gave up",
            "server_fsync_ms": "longest wait of a ZooKeeper server for its disk, ms",
            "server_session_limit_ms": "longest session timeout that the ZooKeeper servers grant, from their logs, ms",
            "session_limit_ms": "longest session timeout that the servers grant, ms: as their logs tell, else 40 s",
            "session_timeout_needed_ms": "session timeout that outlasts each outage, at most what servers grant, ms",
            "outages_beyond_limit": "outages that no session outlasts, because servers grant none so long",
            "retry_attempts": "max-retry-attempts of Curator in the configuration",
            "retry_wait_ms": "retry-wait of Curator in the configuration, ms",
            "retry_wait_needed_ms": "retry-wait that lets the retries outlast the longest outage, if it is shorter, ms",
            "pause_ratio_before": "largest share of the 20 s before an outage that a JVM spent in GC pauses, 0 to 1",
            "servers": "ZooKeeper servers in the configuration",
            "tolerates_suspended": "whether suspended connections are tolerated",
            "renew_deadline_ms": "time within which the Kubernetes lock must be renewed, ms",
        },
        measure=measure,
    ),
)
