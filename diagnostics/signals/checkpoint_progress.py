"""Outcomes of a job's checkpoints: completed, expired and failed ones, durations, and distance to the timeout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from diagnostics.arithmetic.onset import END_FACTS, ONSET_FACTS, end_facts, ended_ms, onset, onset_facts
from diagnostics.arithmetic.quantiles import highest, known, lowest, middle, quantile, ratio
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.checkpoints.counted_course import CountedCourse, counted_course
from diagnostics.reconstruction.checkpoints.failure_deadline import gives_up_ms
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History, checkpoint_histories
from diagnostics.reconstruction.checkpoints.interval import RECENT
from diagnostics.reconstruction.checkpoints.located import Located, last_paths, located_checkpoints
from diagnostics.reconstruction.checkpoints.open_checkpoint import running_ms
from diagnostics.reconstruction.checkpoints.running_tasks import went_down_ms
from diagnostics.reconstruction.checkpoints.timeout import lasted_ms, proposed_timeout_ms, timeout_in_effect
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

MOST_LISTED = 12
"""How many ids and durations a list holds, the last ones. Our choice: keeps a sentence readable."""
BEFORE_EXPIRY = 8
"""How many completed checkpoints before the first expiry are listed. Our choice."""
MOST_COUNTED = 1_000
"""How many of the last outcomes that counters show are looked at for failures in a row. Our choice."""
COMPARED = 3
"""How many checkpoints at the beginning and at the end are compared for growth. Our choice."""
COUNTERS = ("numberOfCompletedCheckpoints", "numberOfFailedCheckpoints")


def measure(evidence: Evidence) -> Measured:
    """Outcomes and durations of each job's checkpoints.

    Reads   checkpoint (REST), log_record (the coordinator's events), metric_sample (counts of a job), config_option,
            and as `went_down_ms`.
    Gives   one signal per job that has a checkpoint or a count of checkpoints; savepoints are left out.
    Units   milliseconds; bytes.
    Empty   NotMeasured when REST, the JobManager's log and metrics all lack checkpoints.
    """
    histories = checkpoint_histories(evidence)
    series = metric_series(evidence)
    counted = {each.job_id for name in COUNTERS for each in series.of(name)}
    only_job = only_one(cluster_of(evidence).job_names)
    jobs = sorted({*histories, *(job_id or only_job for job_id in counted)}, key=str)
    measured = 0
    for job_id in jobs:
        history = histories.get(job_id, History(job_id))
        facts, citations = _facts_of(evidence, history, series, job_id, only_job)
        if facts:
            measured += 1
            yield _signal(job_id, history, facts, citations)
    if not measured:
        yield NotMeasured(
            "checkpoint_progress", "checkpoint-history", "neither REST nor the JobManager's log shows checkpoints"
        )


def _facts_of(
    evidence: Evidence, history: History, series: MetricSeries, job_id: str | None, only_job: str | None
) -> tuple[dict[str, FactValue], list[Citation]]:
    options = stated_options(evidence)
    stated, places = settings_of(options, job_id)
    counted = counted_course(series, job_id, only_job)
    if not history.checkpoints and not history.not_started and counted is None:
        return {}, []
    down_ms = went_down_ms(evidence).get(job_id)
    facts: dict[str, FactValue] = {**_course(history, down_ms), **_counted(history, counted)}
    facts |= last_paths(history, located_checkpoints(evidence).get(job_id, Located()))
    facts |= known_facts({"running_ms": running_ms(history, evidence)})
    facts |= timeout_in_effect(history, stated.get("timeout_ms"), is_default="timeout_ms" not in places)
    facts |= _against_settings(history, facts, stated)
    if down_ms is None and isinstance(tolerated := stated.get("tolerable_failed"), int):
        facts["gives_up_ms"] = gives_up_ms(history, tolerated)
    citations = [places[name] for name in ("timeout_ms", "interval_ms") if name in places]
    return facts, [*_citations_of(history), *citations, *(counted.citations if counted else ())]


def _signal(
    job_id: str | None, history: History, facts: Mapping[str, FactValue], citations: Sequence[Citation]
) -> Signal:
    stamps = [stamp for each in history.checkpoints for stamp in (each.triggered_ms, each.ended_ms) if stamp]
    return Signal(
        "checkpoint_progress",
        Subject(job=job_id),
        known_facts(facts),
        tuple(dict.fromkeys(citations)),
        citation_count=len(citations),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _course(history: History, down_ms: int | None) -> dict[str, FactValue]:
    """Facts from the listed checkpoints. `down_ms` is when the job went down, if no task has run since."""
    if not history.checkpoints:
        return {}
    completed = history.select_statuses("completed")
    expired = history.select_statuses("expired")
    failed = history.select_statuses("expired", "declined", "failed")
    first_failure = failed[0].number if failed else None
    before = [each for each in completed if first_failure is None or each.number < first_failure]
    durations = known(each.duration_ms for each in completed)
    facts: dict[str, FactValue] = {
        "triggered": len([each for each in history.checkpoints if not each.is_savepoint]),
        "completed": len(completed),
        "completed_ids": _ids(completed),
        "failed": len(failed),
        "failed_ids": _ids(failed),
        **_last_failed(failed),
        "expired": len(expired),
        "expired_ids": _ids(expired),
        "declined": len(history.select_statuses("declined")),
        "declined_ids": _ids(history.select_statuses("declined")),
        "aborted": len(history.select_statuses("aborted")),
        "in_progress": len(history.select_statuses("in_progress")),
        "completed_before_failure": len(before) if failed else None,
        "completed_after_failure": len([each for each in completed if failed and each.number > failed[-1].number])
        if failed
        else None,
        "durations_ms": [
            _rounded(each.duration_ms) for each in before[-BEFORE_EXPIRY:] if each.duration_ms is not None
        ],
        "duration_ids": [each.number for each in before[-BEFORE_EXPIRY:] if each.duration_ms is not None],
        "first_duration_ms": durations[0] if durations else None,
        "last_duration_ms": durations[-1] if durations else None,
        "max_duration_ms": highest(durations),
        "min_duration_ms": lowest(durations),
        "median_duration_ms": middle(durations),
        "p95_duration_ms": quantile(durations, 0.95),
        "success_ratio": ratio(len(completed), len(completed) + len(failed)),
        "last_durations_ms": [_rounded(value) for value in durations[-RECENT:]],
        "slowest_id": max(completed, key=lambda each: (each.duration_ms or 0, each.number)).number
        if completed
        else None,
        "growth_ratio": _growth([each.duration_ms for each in before]),
        "unaligned_count": len([each for each in completed if each.unaligned]),
    }
    outcomes = history.failing_course()
    facts |= onset_facts(onset(outcomes)) | end_facts(ended_ms(outcomes))
    facts |= _sizes(history, completed) | _recent(history.outcomes())
    last_completed = completed[-1].ended_ms if completed else None
    if history.observed_until_ms and last_completed:
        facts["since_last_completed_ms"] = max(history.observed_until_ms - last_completed, 0)
        facts["last_begun_ms"] = completed[-1].start_ms
        facts |= _work_since(completed[-1].start_ms or last_completed, history.observed_until_ms, down_ms)
    return facts


def _work_since(trigger_ms: int, until_ms: int, down_ms: int | None) -> dict[str, FactValue]:
    """The work that a restart repeats: up to the last look, or up to when the job went down before it."""
    worked_ms = until_ms if down_ms is None else max(min(down_ms, until_ms), trigger_ms)
    facts: dict[str, FactValue] = {"goes_back_ms": max(worked_ms - trigger_ms, 0)}
    if until_ms > worked_ms:
        facts |= {"not_run_ms": until_ms - worked_ms, "down_since_ms": worked_ms}
    return facts


def _last_failed(failed: Sequence[Checkpoint]) -> dict[str, FactValue]:
    """How many subtasks had acknowledged the last failed checkpoint, where a file states it."""
    last = next((each for each in reversed(failed) if each.acknowledged is not None and each.subtasks), None)
    if last is None:
        return {}
    return {
        "last_failed_id": last.number,
        "last_failed_acknowledged": last.acknowledged,
        "last_failed_subtasks": last.subtasks,
    }


def _ids(checkpoints: Sequence[Checkpoint]) -> list[int]:
    return [each.number for each in checkpoints[-MOST_LISTED:]]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value)


def _growth(durations: Sequence[float | None]) -> float | None:
    """Median duration of the last checkpoints over that of the first ones; None with fewer than COMPARED."""
    values = known(durations)
    if len(values) < COMPARED:
        return None
    part = max(1, min(COMPARED, len(values) // 2))
    return ratio(median(values[-part:]), median(values[:part]))


def _sizes(history: History, completed: Sequence[Checkpoint]) -> dict[str, FactValue]:
    written = known(each.checkpointed_bytes for each in completed)
    state = known(each.state_bytes for each in completed)
    all_state = known(each.state_bytes for each in history.checkpoints if not each.is_savepoint)
    persisted = known(each.persisted_bytes for each in completed)
    return {
        "first_checkpointed_bytes": written[0] if written else None,
        "last_checkpointed_bytes": written[-1] if written else None,
        "max_checkpointed_bytes": highest(written),
        "min_checkpointed_bytes": lowest(written),
        "first_state_bytes": state[0] if state else None,
        "last_state_bytes": state[-1] if state else None,
        "max_state_bytes": highest(all_state),
        "max_completed_state_bytes": highest(state),
        "max_persisted_bytes": highest(persisted),
    }


def _recent(outcomes: Sequence[bool]) -> dict[str, FactValue]:
    """The last outcomes, of checkpoints in their order: whether each failed."""
    last = outcomes[-RECENT:]
    consecutive = next((index for index, is_failure in enumerate(reversed(outcomes)) if not is_failure), len(outcomes))
    return {"consecutive_failed": consecutive, "recent_failed": sum(last), "recent_count": len(last)}


def _counted(history: History, counted: CountedCourse | None) -> dict[str, FactValue]:
    """Facts that only counters have: totals beyond a short history, and triggers that started no checkpoint."""
    not_ready = sum(each.count for each in history.not_started if each.not_ready)
    facts: dict[str, FactValue] = {
        "not_started": sum(each.count for each in history.not_started),
        "not_ready": not_ready,
        "not_started_reason": history.not_started[0].reason[:200] if history.not_started else None,
    }
    if counted is None:
        return facts
    listed = {each.number for each in history.checkpoints if not each.is_savepoint}
    completed = len(history.select_statuses("completed"))
    failed = len(history.select_statuses("expired", "declined", "failed", "aborted"))
    facts["counted_completed"] = max(counted.completed, completed)
    facts["counted_failed"] = max(counted.failed, failed)
    facts["failed_before_first"] = max(0, counted.failed - failed) if listed and min(listed) == 1 else None
    refused = sum(each.count for each in history.not_started)
    return facts if listed else {**facts, **_course_by_counters(counted, refused)}


def _course_by_counters(counted: CountedCourse, refused: int) -> dict[str, FactValue]:
    """Facts when no file lists the checkpoints. Counters do not distinguish expiry from other failures.

    refused  triggers that the log reports as refused; Flink counts them as failures, but no checkpoint began
    """
    failed = max(0, counted.failed - refused)
    durations = [ms for _, ms in counted.durations_ms]
    fell_ms = next((each.ts_ms for each in counted.outcomes if each.is_failure), None)
    before = [ms for ts_ms, ms in counted.durations_ms if fell_ms is None or ts_ms is None or ts_ms <= fell_ms]
    last = counted.last_outcomes(MOST_COUNTED)
    course = [(each.ts_ms, each.is_failure) for each in counted.outcomes]
    completed_ms = max((each.ts_ms for each in counted.outcomes if not each.is_failure), default=None)
    facts: dict[str, FactValue] = {
        "by_counters": True,
        "completed": counted.completed,
        "failed": failed,
        "completed_before_failure": counted.completed_before_failure if failed else None,
        "completed_after_failure": counted.completed_after_failure if failed else None,
        "durations_ms": [_rounded(ms) for ms in before[-BEFORE_EXPIRY:]] or None,
        "first_duration_ms": durations[0] if durations else None,
        "last_duration_ms": durations[-1] if durations else None,
        "last_durations_ms": [_rounded(ms) for ms in durations[-RECENT:]] or None,
        "max_duration_ms": highest(durations),
        "min_duration_ms": lowest(durations),
        "median_duration_ms": middle(durations),
        "p95_duration_ms": quantile(durations, 0.95),
        "success_ratio": ratio(counted.completed, counted.completed + failed),
        "growth_ratio": _growth(before),
        "running_ms": counted.running_ms,
        "first_state_bytes": counted.full_bytes[0] if counted.full_bytes else None,
        "last_state_bytes": counted.full_bytes[-1] if counted.full_bytes else None,
        "max_state_bytes": highest(counted.full_bytes),
        "max_checkpointed_bytes": highest(counted.bytes),
        "observed_ms": counted.last_ms - counted.first_ms if counted.last_ms and counted.first_ms else None,
    }
    if completed_ms is not None and counted.last_ms is not None:
        facts["since_last_completed_ms"] = counted.last_ms - completed_ms
        facts["goes_back_ms"] = counted.last_ms - completed_ms + round(durations[-1]) if durations else None
    if not refused and (last or not failed):
        facts |= _recent(last)
        facts |= onset_facts(onset(course)) | end_facts(ended_ms(course))
    return facts


def _against_settings(
    history: History, facts: Mapping[str, FactValue], stated: Mapping[str, FactValue]
) -> dict[str, FactValue]:
    """Durations as shares of timeout and interval, and the share of time with a checkpoint in progress.

    One that expired took at least its timeout, so that the last ones never seem short while they expire.
    """
    longest, timeout = _numeric(facts.get("max_duration_ms")), _numeric(facts.get("timeout_ms"))
    running = _numeric(facts.get("running_ms"))
    interval = _numeric(stated.get("interval_ms")) or history.usual_interval_ms
    listed = [lasted_ms(each, timeout) for each in history.select_statuses("completed", "expired")[-RECENT:]]
    last = facts.get("last_durations_ms")
    recent = known(listed or (map(_numeric, last) if isinstance(last, list) else []))
    return {
        "interval_ms": interval,
        "min_pause_ms": stated.get("min_pause_ms"),
        "max_duration_to_timeout_ratio": ratio(longest, timeout),
        "recent_duration_to_timeout_ratio": ratio(highest(recent), timeout),
        "running_to_timeout_ratio": ratio(running, timeout),
        "running_to_usual_ratio": ratio(running, _numeric(facts.get("median_duration_ms"))),
        "median_duration_to_interval_ratio": ratio(_numeric(facts.get("median_duration_ms")), interval),
        "max_duration_to_interval_ratio": ratio(longest, interval),
        "proposed_timeout_ms": proposed_timeout_ms(history, timeout),
        "proposed_min_pause_ms": -(-longest // 2000) * 1000.0 if longest is not None else None,
    }


def _numeric(value: FactValue) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _citations_of(history: History) -> list[Citation]:
    """Failures first, then what is under way, the slowest and the last completed one, then triggers that failed."""
    failed = history.select_statuses("expired", "declined", "failed")
    completed = sorted(history.select_statuses("completed"), key=lambda each: -(each.duration_ms or 0))
    chosen = [*failed[:4], *failed[-1:], *history.select_statuses("in_progress")[:1], *completed[:3]]
    chosen += history.select_statuses("completed")[-1:]
    found = [each.citations[0] for each in chosen if each.citations]
    found += [citation for each in chosen[:4] for citation in each.citations[1:]]
    return [*found, *(each.citation for each in history.not_started[:1])]


FACTS = {
    **ONSET_FACTS,
    **END_FACTS,
    "triggered": "checkpoints seen, without savepoints",
    "completed": "completed checkpoints",
    "completed_ids": "the last completed ones",
    "last_path": "path of the last completed checkpoint",
    "last_savepoint_path": "path of the last savepoint that completed, or that the job was started from",
    "last_begun_ms": "begin of the last completed checkpoint, epoch ms",
    "gives_up_ms": "time at which failures in a row exceed those that are tolerated, at their pace, epoch ms",
    "failed": "failed checkpoints; expired, declined or failed otherwise, without those that a restart aborted",
    "failed_ids": "which failed",
    "last_failed_id": "the last failed one of which a file states the acknowledgements",
    "last_failed_acknowledged": "subtasks that had acknowledged it",
    "last_failed_subtasks": "subtasks that it needed",
    "expired": "expired checkpoints",
    "expired_ids": "which expired",
    "declined": "how many a task declined",
    "declined_ids": "which were declined",
    "aborted": "how many ended because the job went down",
    "in_progress": "how many were under way at the end",
    "running_ms": "time that the oldest checkpoint under way had taken",
    "completed_before_failure": "checkpoints completed before the first failure",
    "completed_after_failure": "checkpoints completed after the last failure",
    "durations_ms": "end to end durations of the last completed checkpoints before the first failure",
    "duration_ids": "their numbers",
    "first_duration_ms": "duration of the first completed checkpoint",
    "last_duration_ms": "duration of the last completed checkpoint",
    "last_durations_ms": "durations of the last completed checkpoints",
    "max_duration_ms": "longest duration of a completed checkpoint",
    "min_duration_ms": "shortest duration of a completed checkpoint",
    "p95_duration_ms": "95th percentile of the durations of the completed ones",
    "success_ratio": "completed checkpoints as a share of those that completed or failed",
    "median_duration_ms": "median duration of the completed checkpoints",
    "slowest_id": "the completed checkpoint that took longest",
    "growth_ratio": "checkpoint durations at the end over those at the beginning, up to the first failure",
    "unaligned_count": "completed checkpoints that were unaligned",
    "first_checkpointed_bytes": "bytes that the first completed checkpoint wrote",
    "last_checkpointed_bytes": "bytes that the last completed checkpoint wrote",
    "max_checkpointed_bytes": "most bytes that a completed checkpoint wrote",
    "min_checkpointed_bytes": "fewest bytes that a completed checkpoint wrote",
    "first_state_bytes": "full state size in the first completed checkpoint",
    "last_state_bytes": "full state size in the last completed checkpoint",
    "max_state_bytes": "largest full state size of any checkpoint",
    "max_completed_state_bytes": "largest full state size of a completed checkpoint",
    "max_persisted_bytes": "most in-flight data that a completed checkpoint persisted",
    "consecutive_failed": "failures since the last completed checkpoint",
    "recent_failed": "failures among the last ended checkpoints",
    "recent_count": "number of last ended checkpoints that are counted",
    "since_last_completed_ms": "time from the last completed checkpoint to the last look at the checkpoints",
    "goes_back_ms": "time from the trigger of that checkpoint, whose state a restart restores, to the same look, or to "
    "when the job went down if no task has run since",
    "not_run_ms": "time from when the job went down to that look, if no task has run since",
    "down_since_ms": "when the job went down, if no task has run since, epoch ms",
    "not_started": "triggers that did not become a checkpoint",
    "not_ready": "of those, how many came while not all tasks ran",
    "not_started_reason": "why the first of them did not",
    "by_counters": "true when no file lists the checkpoints, so that their course is that of the JobManager's metrics",
    "observed_ms": "how long these metrics were sampled",
    "counted_completed": "completed checkpoints as counted by the JobManager",
    "counted_failed": "failed checkpoints as counted by the JobManager",
    "failed_before_first": "failures counted by the JobManager that never became a checkpoint (before all tasks ran)",
    "timeout_ms": "checkpoint timeout in effect",
    "timeout_from": "source of the checkpoint timeout: configuration, expiry or default",
    "interval_ms": "checkpoint interval",
    "min_pause_ms": "least pause between checkpoints",
    "max_duration_to_timeout_ratio": "longest completed duration over the checkpoint timeout",
    "recent_duration_to_timeout_ratio": "longest duration of the last checkpoints that completed or expired "
    "over the checkpoint timeout",
    "running_to_usual_ratio": "time of a checkpoint that is under way over what completed ones usually take",
    "running_to_timeout_ratio": "age of the checkpoint in progress over the checkpoint timeout",
    "median_duration_to_interval_ratio": "median checkpoint duration over the checkpoint interval",
    "max_duration_to_interval_ratio": "longest duration as a part of the interval",
    "proposed_min_pause_ms": "half of the longest duration, in whole seconds (rules-of-thumb.csv conf.interval)",
    "proposed_timeout_ms": "twice the longest duration seen, with late acknowledgements, in whole minutes",
}

SIGNALS = (SignalDefinition("checkpoint_progress", "job", FACTS, measure),)
