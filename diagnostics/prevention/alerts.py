"""Alert rules for Prometheus from one case: those for every job, forecasts, and one for the case's own cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from diagnostics.language import say
from diagnostics.notation.flink_values import duration_ms
from diagnostics.prevention.alert import (
    BACK_PRESSURE_MS,
    HIGH_MS_PER_S,
    MINUTE,
    Alert,
    Condition,
    WatchedJob,
    by_job,
    counted_of,
    duration,
    for_these_settings,
    grown,
    has_stood_still,
    selected,
    steps_of_time,
    steps_over,
)
from diagnostics.prevention.forecasts import forecast_alerts
from diagnostics.prevention.own_alerts import own_alerts
from diagnostics.prevention.presence_alerts import presence_alerts
from diagnostics.prevention.series import JOB, STEP_MS, TASK, CaseSeries, Labels, label_value
from diagnostics.wording import phrase

LEAST_SILENCE_MS, SILENT_INTERVALS = 10 * MINUTE, 3
"""Three intervals without a completed checkpoint are not chance; below ten minutes there is no alert. Our choice."""
PAST_MS = 5_000
"""The range begins between two samples, so that it holds the one at the beginning of the window whether that counts
(Prometheus 2) or not (Prometheus 3)."""
USUAL_INTERVAL_MS, USUAL_TIMEOUT_MS = 3 * MINUTE, 10 * MINUTE
"""Defaults when the evidence does not state them; the timeout is Flink's default, the interval a usual one."""
FORGETS = "at most once"
"""What `delivery_guarantee.source` is for a source that cannot be read again."""
FACTS_OF_JOB = {
    "checkpoint_progress": ("interval_ms", "timeout_ms"),
    "settings": ("interval_ms", "timeout_ms"),
    "checkpoint_declines": ("slowest_start_ms",),
    "late_records": ("dropped_before_ratio", "dropped_since_ratio"),
}
"""Signal -> its facts that bounds are made of; the first signal that has one states it."""


PLANNED = {"execution.checkpointing.interval": "interval_ms", "execution.checkpointing.timeout": "timeout_ms"}
"""Options that bounds are made of."""


def alerts_for(
    document: Mapping[str, Any],
    signals: Sequence[Mapping[str, Any]],
    job_id: str | None,
    planned: Mapping[str, str] | None = None,
) -> list[Alert]:
    """The alerts of one job of a case: for every job, for what it foresees, and last for its own cause when metrics can
    show it.

    planned  None for the job of the evidence; for the job after its plan, option -> value that is in force instead
             of the measured one. What the job lost before is no measure then: the plan ends it.
    """
    job = _watched_job(document, signals, job_id)
    if planned is not None:
        settings = {PLANNED[key]: ms for key, value in planned.items() if key in PLANNED and (ms := _ms(value))}
        job = replace(
            job,
            interval_ms=settings.get("interval_ms", job.interval_ms),
            timeout_ms=settings.get("timeout_ms", job.timeout_ms),
            late_before=None,
            late_since=None,
            assumes=job.assumes and not settings,
        )
    shared = [_failed_in_a_row(job), _back_pressure(job), _no_checkpoint(job)]
    shared += presence_alerts(signals, job_id, job)
    shared += forecast_alerts(signals, job_id, job)
    return [*shared, *_own_alerts(document, job_id, job)]


def _ms(value: str) -> int:
    """A duration of a configuration; 0 for none."""
    return round(duration_ms(value) or 0)


def _watched_job(document: Mapping[str, Any], signals: Sequence[Mapping[str, Any]], job_id: str | None) -> WatchedJob:
    """Name, interval and timeout (ms) of the job, from the evidence or else the defaults."""
    name = next((each["name"] for each in document["jobs"] if each["job_id"] == job_id and each["name"]), None)
    settings: dict[str, float] = {}
    forgets = False
    for signal in signals:
        if (signal.get("subject") or {}).get("job") in (job_id, None):
            forgets |= (signal.get("facts") or {}).get("source") == FORGETS and signal["key"] == "delivery_guarantee"
            for fact in FACTS_OF_JOB.get(signal["key"], ()):
                value = (signal.get("facts") or {}).get(fact)
                if isinstance(value, (int, float)):
                    settings.setdefault(fact, value)
    return WatchedJob(
        name=label_value(name) if name else None,
        interval_ms=int(settings.get("interval_ms", USUAL_INTERVAL_MS)),
        timeout_ms=int(settings.get("timeout_ms", USUAL_TIMEOUT_MS)),
        start_ms=int(settings.get("slowest_start_ms", 0)),
        late_before=settings.get("dropped_before_ratio"),
        late_since=settings.get("dropped_since_ratio"),
        forgets=forgets,
        assumes=not {"interval_ms", "timeout_ms"} & settings.keys(),
    )


def _failed_in_a_row(job: WatchedJob) -> Alert:
    """Two failures and no completion within two intervals, for those that fail at once, or two timeouts.

    Flink counts triggers that it refuses while tasks start as failed too: a restart alone must not fire it.
    """
    at_once, late = 2 * job.interval_ms + job.start_ms, 2 * max(job.interval_ms, job.timeout_ms) + job.start_ms
    windows = sorted({steps_of_time(at_once), steps_of_time(late)})
    failed, completed = f"{JOB}numberOfFailedCheckpoints", f"{JOB}numberOfCompletedCheckpoints"

    def expr(ago: str) -> str:
        return f"(({grown(failed, job, ago)} >= 2) unless ({grown(completed, job, ago)} > 0))"

    def condition(series: CaseSeries) -> Condition:
        held_by_labels: dict[Labels, list[bool]] = {}
        for window in windows:
            successes = counted_of(series, completed, window)
            for labels, grows in counted_of(series, failed, window).items():
                goods = successes.get(labels, [None] * series.steps)
                held = held_by_labels.setdefault(labels, [False] * series.steps)
                for step, (bad, good) in enumerate(zip(grows, goods, strict=True)):
                    held[step] |= bool(bad is not None and bad >= 2 and not (good is not None and good > 0))
        return held_by_labels

    within = phrase.enumeration([phrase.duration(window) for window in windows], last="or")
    return Alert(
        "FlinkCheckpointsFailInARow",
        " or ".join(expr(duration(window)) for window in windows),
        0,
        "critical",
        say("Two or more checkpoints of {job_name} failed in a row"),
        for_these_settings(
            say(
                "Two failed and none completed within {within}: two intervals, or two timeouts, each with the "
                "{start} that tasks took to start, because Flink counts triggers that it refuses meanwhile as failed; "
                "rounded up to whole steps of {step}.",
                within=within,
                start=phrase.duration(job.start_ms),
                step=phrase.duration(STEP_MS),
            )
            if job.start_ms
            else say(
                "Two failed and none completed within {within}: two intervals, or two timeouts, rounded up to whole "
                "steps of {step}.",
                within=within,
                step=phrase.duration(STEP_MS),
            ),
            job,
        ),
        (failed, completed),
        condition,
    )


def _no_checkpoint(job: WatchedJob) -> Alert:
    """By `increase`, which sees that the count of a new JobManager begins at 0. A job that is younger than the window,
    or gone, is left alone.
    """
    window = steps_of_time(max(LEAST_SILENCE_MS, SILENT_INTERVALS * job.interval_ms))
    completed, ago = f"{JOB}numberOfCompletedCheckpoints", duration(window)
    course = f"{selected(completed, job)}[{(window + PAST_MS) // 1000}s]"
    return Alert(
        "FlinkNoCompletedCheckpoint",
        f"max by (job_name) (increase({course})) == 0 and {by_job(completed, job)} and {by_job(completed, job, ago)}",
        0,
        "critical",
        say("{{job_name}} completed no checkpoint for {ago}", ago=phrase.duration(window)),
        for_these_settings(
            say(
                "After a failure the records since the last completed checkpoint are lost, because the source keeps no "
                "position. The alert looks back over three intervals, and ten minutes at least."
            )
            if job.forgets
            else say(
                "After a failure the work since the last completed checkpoint is repeated. The alert looks back over "
                "three intervals, and ten minutes at least."
            ),
            job,
        ),
        (completed,),
        lambda series: has_stood_still(series, completed, window),
    )


def _back_pressure(job: WatchedJob) -> Alert:
    metric = f"{TASK}backPressuredTimeMsPerSecond"
    return Alert(
        "FlinkBackPressure",
        f"max by (job_name, task_name) ({selected(metric, job)}) > {HIGH_MS_PER_S}",
        BACK_PRESSURE_MS,
        "warning",
        say("{task_name} of {job_name} is back-pressured more than half of the time"),
        say("HIGH in Flink's words, for so long that a burst does not wake anybody."),
        (metric,),
        lambda series: steps_over(series, metric, HIGH_MS_PER_S, ("job_name", "task_name")),
    )


def _onset_ms(finding: Mapping[str, Any]) -> float | None:
    """When a finding of a document began, epoch ms; None where that is not known."""
    began = (finding.get("onset") or {}).get("ts")
    return datetime.fromisoformat(began).timestamp() * 1000 if began else None


def _own_alerts(document: Mapping[str, Any], job_id: str | None, job: WatchedJob) -> list[Alert]:
    """The alerts that would have detected this case's root cause; none when no metric of Flink shows it."""
    roots = [each for each in document["findings"] if each["role"] == "root_cause"]
    of_the_job = [each for each in roots if each["subject"].get("job") in (job_id, None)]
    for finding in of_the_job:
        if own := own_alerts(finding, job):
            return [replace(each, of_cause=True, since_ms=_onset_ms(finding)) for each in own]
    return []
