"""Number and rate of each job's restarts, and its final state."""

from __future__ import annotations

import itertools
import re
import textwrap
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

from diagnostics.aggregators import jobs
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.history import History, Status, checkpoint_histories
from diagnostics.reconstruction.checkpoints.running_tasks import running_tasks_ms
from diagnostics.reconstruction.failures.fault import SAME_MS, Fault, by_job, faults_in
from diagnostics.reconstruction.failures.incident_log import Failure, IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.failures.outages import outages_at_end
from diagnostics.reconstruction.failures.restart_bound import strategy_facts
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Point, Series, increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import STATE_OF_JOB, cited_text

STATES = re.compile(r"switched from state ([A-Z]{3,20}) to ([A-Z]{3,20})")
SUPPRESSED = "Recovery is suppressed by"
"""Text of the failure with which a strategy ends a job. Source: Flink's ExecutionFailureHandler."""
FAILING = ("RESTARTING", "FAILING", "FAILED")
FAULT_BEFORE_MS = 60_000
"""A failure this close to a restart is its cause. Our choice: longer than cancelling tasks takes."""
TOLD_TO_END, SHUTTING_DOWN = "process.signal", "The TaskExecutor is shutting down"
"""Event of a TaskManager ended by a signal, and the failure text of its tasks. Source: Flink's own log statements
(process.signal), Flink's TaskExecutor.
"""
TRIGGERED: tuple[Status, ...] = ("completed", "in_progress", "expired", "declined")
"""Statuses of checkpoints that have begun."""
STEADY_MS = 1_800_000
"""Time without a restart after which the restarts before it are no longer counted, where only a counter shows them: a
job that has run for months has restarted before. Our choice: half an hour, as the rule for a healthy job asks.
"""
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Transition:
    """One state change of the job."""

    ts_ms: int | None
    state_from: str
    state_to: str
    event: LogEvent


def measure(evidence: Evidence) -> Measured:
    """Restarts of each job, from state changes in the JobManager's log, else from metrics and REST.

    Reads   log_record, failure, job, subtask (attempts), metric_sample (numRestarts, uptime, downtime,
            restartingTime), the histories of checkpoints,
            and as `running_tasks_ms`.
    Gives   one signal per job, also without restarts.
    Empty   NotMeasured without a job's states; additionally NotMeasured beside the signal for failures that no
            TaskManager's log explains.
    """
    log = incident_log(evidence)
    changes = _changes(log)
    faults = by_job(faults_in(evidence))
    latest = _latest(evidence)
    counted, outages = _counted(metric_series(evidence)), outages_at_end(metric_series(evidence))
    histories = checkpoint_histories(evidence)
    job_ids = sorted({*changes, *latest, *counted, *outages}, key=repr)
    if not job_ids:
        yield NotMeasured("restarts", "jobmanager-log", "no JobManager log, job or metric shows the states of a job")
        return
    for job in job_ids:
        facts = _facts(changes.get(job, []), latest.get(job), counted.get(job))
        facts |= _runs_again(facts, histories.get(job))
        facts |= _steady(changes.get(job, []), latest.get(job), log.last_ms, facts)
        if facts["restarts"]:
            facts["tasks_run"] = _tasks_run(facts, counted.get(job), running_tasks_ms(evidence).get(job))
        facts |= _first_fault(faults.get(job, []), changes.get(job, []), facts)
        facts |= _for_faults(job, changes.get(job, []), faults.get(job, []), log)
        reports: list[LogEvent | Failure] = [*_about(job, log.of("failure")), *_about(job, log.failures)]
        ends = [each.texts for each in reports if SUPPRESSED in each.texts]
        facts["gave_up"] = bool(ends) and facts.get("final_state") == "FAILED"
        facts["registered_after_ms"] = _registered_after_ms(facts, log)
        strategies = [*(each.message for each in _about(job, log.of("strategy"))), *ends]
        facts |= strategy_facts(strategies, facts.get("interval_ms"))
        citations = [change.event.cite() for change in changes.get(job, []) if change.state_to in FAILING]
        citations += [change.event.cite() for change in changes.get(job, [])[-1:]]
        if not citations and job in latest:
            citations.append(_state_citation(latest[job]))
        if not changes.get(job) and job in counted:
            citations.append(counted[job].citation)
        if job in outages:
            facts["down_ms"] = outages[job].lasted_ms
            citations.append(outages[job].citation)
        yield Signal(
            key="restarts",
            subject=Subject(job=job),
            facts=known_facts(facts),
            citations=tuple(dict.fromkeys(citations))[:SHOWN],
            citation_count=len(changes.get(job, [])) or len(citations),
        )
    if faults and "taskmanager" not in log.processes:
        yield NotMeasured("restarts", "taskmanager-log", "no TaskManager's log shows what failed there first")


Reported = TypeVar("Reported", LogEvent, Failure)


def _about(job: str | None, reported: Sequence[Reported]) -> list[Reported]:
    """Events and failures of a job, and those of no job: one log holds all jobs of a session cluster."""
    return [each for each in reported if job is None or each.job_id in (job, None)]


def _registered_after_ms(facts: Mapping[str, FactValue], log: IncidentLog) -> int | None:
    """How long after a job was given up a TaskManager registered first."""
    ended_ms = facts.get("final_ms")
    if not facts["gave_up"] or not isinstance(ended_ms, int):
        return None
    since = (event.ts_ms - ended_ms for event in log.of("registered") if event.ts_ms is not None)
    return min((after_ms for after_ms in since if after_ms >= 0), default=None)


def _changes(log: IncidentLog) -> Mapping[str | None, list[Transition]]:
    found: dict[str | None, list[Transition]] = defaultdict(list)
    for event in log.of("job_state"):
        states = STATES.search(event.message)
        if states:
            found[event.job_id].append(Transition(event.ts_ms, states[1], states[2], event))
    return found


def _latest(evidence: Evidence) -> Mapping[str | None, Any]:
    """Job -> its newest row of REST."""
    rows = sorted(named_rows(evidence.answer(jobs.AGGREGATOR)), key=lambda row: row.ts_ms or 0)
    return {row.job_id: row for row in rows if row.state is not None}


@dataclass(frozen=True, slots=True)
class Counted:
    """Restarts that the metric counts; the counter restarts with the JobManager.

    stamps     times of the samples that show an increase, in order
    steady     times of the last samples, in order, in which it did not change
    uptime_ms  how long the job had run without interruption at its last sample
    """

    restarts: int
    stamps: Sequence[int]
    steady: Sequence[int]
    uptime_ms: float | None
    citation: Citation

    @property
    def steady_ms(self) -> int | None:
        """How long it was unchanged up to its last sample."""
        sampled = self.steady[-1] - self.steady[0] if len(self.steady) > 1 else None
        return round(max(self.uptime_ms, sampled or 0)) if self.uptime_ms is not None else sampled


def _counted(series: MetricSeries) -> Mapping[str | None, Counted]:
    """Job -> its restarts by the metric: those that its samples show, and those before the first one where the job had
    not run for long since.
    """
    uptimes = {each.job_id: each.known for each in series.of("uptime") if each.known}
    restarts_by_job: dict[str | None, Counted] = {}
    for metric in ("fullRestarts", "numRestarts"):
        for counter in series.of(metric):
            if counter.known:
                restarts_by_job[counter.job_id] = _counted_by(counter, uptimes.get(counter.job_id, ()))
    return restarts_by_job


def _counted_by(counter: Series, uptimes: Sequence[Point]) -> Counted:
    uptime = [point.value if (point.value or 0.0) > 0 else None for point in uptimes]
    first_ms, last_ms = (uptime[0], uptime[-1]) if uptime else (None, None)
    before = (counter.known[0].value or 0.0) - counter.counted_before
    calm_ms = (first_ms or 0.0) + _first_calm_ms(counter.known)
    restarts = round(increase(counter.points) + (before if calm_ms < STEADY_MS else 0.0))
    place = counter.cite(counter.known[-1])
    return Counted(restarts, _grown_at(counter.known), _steady_at(counter.known), last_ms, place)


def _grown_at(points: Sequence[Point]) -> list[int]:
    """The times of the samples that count more than the one before, in order."""
    pairs = itertools.pairwise(points)
    return [after.ts_ms for before, after in pairs if after.ts_ms and (after.value or 0.0) > (before.value or 0.0)]


def _first_calm_ms(points: Sequence[Point]) -> int:
    """How long the counter stayed at its first value."""
    stamps = [
        point.ts_ms
        for point in itertools.takewhile(lambda point: point.value == points[0].value, points)
        if point.ts_ms is not None
    ]
    return stamps[-1] - stamps[0] if stamps else 0


def _steady_at(points: Sequence[Point]) -> list[int]:
    """The times of the last samples with the same value, in order."""
    same = itertools.takewhile(lambda point: point.value == points[-1].value, reversed(points))
    return sorted(point.ts_ms for point in same if point.ts_ms is not None)


def _facts(changes: Sequence[Transition], latest: Any, counted: Counted | None) -> dict[str, FactValue]:
    restarting = [change for change in changes if change.state_to == "RESTARTING"]
    running_again = [change for change in changes if (change.state_from, change.state_to) == ("RESTARTING", "RUNNING")]
    restarts = len(restarting) if changes or counted is None else counted.restarts
    facts: dict[str, FactValue] = {"restarts": restarts, "running_again": len(running_again)}
    if not changes and counted is not None:
        facts["steady_ms"] = counted.steady_ms
        if restarts and counted.stamps:
            facts |= {"first_ms": counted.stamps[0], "last_ms": counted.stamps[-1]}
    if changes:
        facts |= {"final_state": changes[-1].state_to, "final_ms": changes[-1].ts_ms}
        facts["states"] = list(dict.fromkeys(change.state_to for change in changes))
    newer = latest is not None and (not changes or (latest.ts_ms or 0) > (changes[-1].ts_ms or 0))
    if newer and latest.state != facts.get("final_state"):
        facts |= {"final_state": latest.state, "final_ms": latest.end_ms or latest.ts_ms}
    stamps = [change.ts_ms for change in restarting if change.ts_ms is not None]
    if stamps:
        facts |= {"first_ms": min(stamps), "last_ms": max(stamps)}
    gaps = [after - before for before, after in itertools.pairwise(stamps)]
    if gaps:
        facts |= {"interval_ms": median(gaps), "restarts_per_hour": len(stamps) * 3_600_000 / max(sum(gaps), 1)}
    return facts


def _runs_again(facts: Mapping[str, FactValue], history: History | None) -> dict[str, FactValue]:
    """A job that was RESTARTING and has triggered a checkpoint since is RUNNING: Flink triggers none before all tasks
    run.
    """
    since_ms = facts.get("final_ms")
    if facts.get("final_state") != "RESTARTING" or not isinstance(since_ms, int) or history is None:
        return {}
    triggered = [each.triggered_ms or 0 for each in history.select_statuses(*TRIGGERED)]
    latest = max(triggered, default=0)
    return {"final_state": "RUNNING", "final_ms": latest} if latest > since_ms else {}


def _steady(
    changes: Sequence[Transition], latest: Any, last_ms: Mapping[int, int], facts: Mapping[str, FactValue]
) -> dict[str, FactValue]:
    """How long a running job has not restarted, up to the last REST answer or the end of the log with its states."""
    last = facts.get("last_ms")
    if not changes or not isinstance(last, int) or facts.get("final_state") != "RUNNING":
        return {}
    seen = [latest.ts_ms] if latest is not None and latest.state == "RUNNING" and latest.ts_ms else []
    seen += [last_ms[changes[-1].event.file_id]] if changes[-1].event.file_id in last_ms else []
    until = max(seen, default=last)
    return {"steady_ms": until - last} if until > last else {}


def _tasks_run(facts: Mapping[str, FactValue], counted: Counted | None, running_ms: int | None) -> bool | None:
    """Whether a task was seen running after the last restart; unknown without a time of the restart.

    A job is RUNNING from the moment at which it asks for slots.
    """
    last = facts.get("last_ms")
    since_ms = last if isinstance(last, int) else counted.steady[0] if counted and counted.steady else None
    return None if since_ms is None else running_ms is not None and running_ms > since_ms


def _for_faults(
    job: str | None, changes: Sequence[Transition], faults: Sequence[Fault], log: IncidentLog
) -> dict[str, FactValue]:
    """Restarts after a failure, and restarts after a TaskManager was asked to end; rescaling causes restarts too.

    Empty without state changes.
    """
    if not changes:
        return {}
    ended = [each for each in log.of("process_end") if each.event == TOLD_TO_END and each.process != "jobmanager"]
    ends = sorted(each.ts_ms for each in ended if each.ts_ms is not None)
    exceeded = sorted(each.ts_ms for each in _about(job, log.of("tolerance_exceeded")) if each.ts_ms is not None)
    stamps = [each.ts_ms for each in faults if each.ts_ms is not None]
    restarting = [each for each in changes if each.state_to == "RESTARTING"]
    ordered = [_is_ordered(each, faults, stamps, ends) for each in restarting]
    asked = [
        _is_for_fault(each, stamps, exceeded) and not is_ordered
        for each, is_ordered in zip(restarting, ordered, strict=True)
    ]
    for_checkpoints = [each for each in restarting if each.ts_ms and _first_near(exceeded, each.ts_ms) is not None]
    return {"for_faults": sum(asked), "for_ended": sum(ordered), "for_checkpoints": len(for_checkpoints)}


def _is_for_fault(change: Transition, stamps: Sequence[int], exceeded: Sequence[int]) -> bool:
    """Whether a failure, or an exceeded number of tolerable failed checkpoints, caused the restart."""
    if change.event.exception_class or change.state_from == "FAILING" or change.ts_ms is None:
        return True
    return _first_near(stamps, change.ts_ms) is not None or _first_near(exceeded, change.ts_ms) is not None


def _is_ordered(change: Transition, faults: Sequence[Fault], stamps: Sequence[int], ends: Sequence[int]) -> bool:
    """Whether the first failure came from a TaskManager ended by a signal, as in a deployment or a drained node.

    stamps  the times of the faults, which are in time order with those without a time at the end
    """
    first = None if change.ts_ms is None else _first_near(stamps, change.ts_ms)
    if first is None or SHUTTING_DOWN not in faults[first].message:
        return False
    return _first_near(ends, stamps[first]) is not None


def _first_near(stamps: Sequence[int], ts_ms: int) -> int | None:
    """Index of the first of ascending times within FAULT_BEFORE_MS of a moment; None without one."""
    first = bisect_left(stamps, ts_ms - FAULT_BEFORE_MS)
    return first if first < len(stamps) and stamps[first] <= ts_ms + FAULT_BEFORE_MS else None


def _first_fault(
    found: Sequence[Fault], changes: Sequence[Transition], facts: Mapping[str, FactValue]
) -> dict[str, FactValue]:
    """The first fault that can have caused one of the changes: none that came after the last of them."""
    ended_ms = facts.get("final_ms") if facts.get("final_state") == "FAILED" else None
    last = next((each for each in reversed(changes) if each.state_to in FAILING and each.ts_ms is not None), None)
    first = next((each for each in found if ended_ms is not None or _comes_before(each, last)), None)
    if first is None:
        return {}
    return {"first_fault": _whole_sentences(first.said), "first_fault_ms": first.ts_ms}


def _comes_before(fault: Fault, change: Transition | None) -> bool:
    """Whether a fault was not later than a change of the job's state; the clocks of two files may differ."""
    if change is None or change.ts_ms is None or fault.ts_ms is None:
        return True
    is_same_file = fault.citation.file_id == change.event.file_id
    return fault.ts_ms <= change.ts_ms + (SAME_MS if is_same_file else FAULT_BEFORE_MS)


MOST_CHARACTERS = 200
"""Characters of a failure's message in a sentence. Our choice: two lines."""


def _whole_sentences(text: str) -> str:
    """The text, or its sentences that fit, else its words that fit."""
    if len(text) <= MOST_CHARACTERS:
        return text
    return text[:MOST_CHARACTERS].rpartition(". ")[0] or textwrap.shorten(text, MOST_CHARACTERS, placeholder=" …")


def _state_citation(row: Any) -> Citation:
    return Citation.of(row, "rest", cited_text(STATE_OF_JOB, state=row.state), name="state", value=row.state)


SIGNALS = (
    SignalDefinition(
        key="restarts",
        level="job",
        facts={
            "restarts": "number of restarts of the job",
            "for_faults": "restarts after a failure, without those of a rescaled job; absent if no file shows it",
            "for_checkpoints": "restarts because more checkpoints had failed than are tolerated",
            "for_ended": "restarts because a TaskManager was terminated, as a deployment or a drained node does",
            "running_again": "how often it ran again afterwards",
            "final_state": "last known state of the job",
            "final_ms": "when that was known, epoch ms",
            "states": "the states it was in, in order of their first time",
            "first_ms": "first restart, epoch ms",
            "last_ms": "last restart, epoch ms",
            "interval_ms": "median time from one restart to the next, ms",
            "restarts_per_hour": "rate between the first and the last restart, 1/h",
            "steady_ms": "time without another restart since the last one, ms",
            "down_ms": "time for which the job has not run at the last sample of its metrics, ms; absent while it runs",
            "tasks_run": "whether a file shows that a task has run since the last restart",
            "gave_up": "whether the restart strategy gave up and the job failed for good",
            "registered_after_ms": "time from the end of the job until a TaskManager registered, ms",
            "strategy": "the restart strategy's class",
            "attempts_allowed": "restarts it allows",
            "gives_up_after_ms": "time from a first failure until the strategy ends the job, at the pace of these, ms",
            "first_fault": "class and message of the first failure's root cause, of those not after the last restart",
            "first_fault_ms": "when that happened, epoch ms",
        },
        measure=measure,
    ),
)
