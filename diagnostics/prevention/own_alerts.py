"""The alert that would have detected a case's root cause, by its class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diagnostics.arithmetic.balance import HOT_MULTIPLE, hot_multiple
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.prevention.alert import (
    BACK_PRESSURE_MS,
    FULL_MS_PER_S,
    MINUTE,
    Alert,
    Condition,
    WatchedJob,
    by_job,
    duration,
    for_these_settings,
    grown,
    has_fallen,
    has_grown,
    has_increased,
    largest_of,
    means_of,
    selected,
    steps_of_time,
    steps_over,
)
from diagnostics.prevention.event_time_alerts import event_time_alerts
from diagnostics.prevention.series import JOB, PROCESS, REGISTERED, RUNNING_TIME, TASK, CaseSeries, Labels, label_value
from diagnostics.wording import phrase

SLOW_SHARE = 0.5
"""A checkpoint that needs half of its timeout has too little margin: Flink documentation, Metrics."""
BUSY_SHARE = 0.5
"""A checkpoint that needs half of its interval leaves the job too little time: `conf.minpause` of
vocabulary/sources.
"""

FULL_HEAP = 0.8
"""A heap that stays above four fifths is nearly full. Our choice: below it collections do not follow closely."""

HOT_BUSY_MS_PER_S = 800
"""Busy time from which a subtask with most records is at its limit: `skew.busy` of vocabulary/sources, per mille."""

STARTS_TOO = to_say(
    "Flink counts triggers that it refuses while tasks start as failed, so that a start of the job fires it too."
)
BUSY_OF_HOT = ("hot_busy_ratio", "hot_mean_busy_ratio")
"""Facts of a finding on skew. With one of them busy time was measured."""


def own_alerts(finding: Mapping[str, Any], job: WatchedJob) -> list[Alert]:
    """The alerts that would have detected the cause; none where no metric of Flink shows it."""
    if finding["symptom_class"] == "out_of_order_events":
        return event_time_alerts(finding, job)
    make = OWN_ALERTS.get(finding["symptom_class"])
    alert = make(finding, job) if make else None
    return [alert] if alert else []


def _task_of(finding: Mapping[str, Any]) -> str | None:
    """The task of the finding as a label value."""
    task = finding["subject"].get("vertex")
    return label_value(task) if task else None


def _slow_checkpoint(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    metric, bound = f"{JOB}lastCheckpointDuration", round(SLOW_SHARE * job.timeout_ms)
    return Alert(
        "FlinkCheckpointNearTimeout",
        f"{by_job(metric, job)} > {bound}",
        0,
        "warning",
        say("A checkpoint of {job_name} took more than half of its timeout"),
        for_these_settings(
            say(
                "Half of the timeout of {timeout}. In this case: {title}.",
                timeout=phrase.duration(job.timeout_ms),
                title=finding["title"],
            ),
            job,
        ),
        (metric,),
        lambda series: steps_over(series, metric, bound, ("job_name",)),
    )


def _skewed(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    """The bound is that of the rules, for as many subtasks as the task has: two can hardly have twice the mean. Where
    busy time was measured it counts, too: of a few records at night one subtask receives all, which harms nobody.
    """
    metric, busy, by = f"{TASK}numRecordsInPerSecond", f"{TASK}busyTimeMsPerSecond", ("job_name", "task_name")
    parallelism, task = finding["facts"].get("parallelism"), _task_of(finding)
    bound = hot_multiple(parallelism) if isinstance(parallelism, int) else HOT_MULTIPLE
    rates, grouped = selected(metric, job, task), ", ".join(by)
    needs_busy = any(finding["facts"].get(each) is not None for each in BUSY_OF_HOT)
    is_busy = f" and max by ({grouped}) ({selected(busy, job, task)}) >= {HOT_BUSY_MS_PER_S}" if needs_busy else ""

    def condition(series: CaseSeries) -> Condition:
        largest, means = largest_of(series, metric, by), means_of(series, metric, by)
        at_work = largest_of(series, busy, by) if needs_busy else {}
        return {
            labels: [
                bool(high is not None and mean and high / mean >= bound)
                and (not needs_busy or (work is not None and work >= HOT_BUSY_MS_PER_S))
                for high, mean, work in zip(
                    values, means[labels], at_work.get(labels, [None] * len(values)), strict=True
                )
            ]
            for labels, values in largest.items()
            if task is None or ("task_name", task) in labels
        }

    return Alert(
        "FlinkSkewedTask",
        f"max by ({grouped}) ({rates}) / avg by ({grouped}) ({rates}) >= {bound:g}{is_busy}",
        BACK_PRESSURE_MS,
        "warning",
        say("One subtask of {{task_name}} in {{job_name}} receives {bound:g} times the mean or more", bound=bound),
        say("The bound of the rules on skew. In this case: {title}.", title=finding["title"]),
        (metric, busy) if needs_busy else (metric,),
        condition,
    )


def _busy(finding: Mapping[str, Any], job: WatchedJob) -> Alert | None:
    name = _task_of(finding)
    if not name:
        return None
    metric = f"{TASK}busyTimeMsPerSecond"

    def condition(series: CaseSeries) -> Condition:
        return {
            labels: holds
            for labels, holds in steps_over(series, metric, FULL_MS_PER_S, ("job_name", "task_name")).items()
            if ("task_name", name) in labels
        }

    return Alert(
        "FlinkTaskWithoutReserve",
        f"max by (job_name, task_name) ({selected(metric, job, name)}) > {FULL_MS_PER_S}",
        BACK_PRESSURE_MS,
        "warning",
        say("{task_name} of {job_name} is busy nearly all of the time"),
        say("Busy for over nine tenths of the time. In this case: {title}.", title=finding["title"]),
        (metric,),
        condition,
    )


def _restarts(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    """By `increase`, which needs no sample as old as the window: a job that fails for good is soon gone."""
    metric, window = f"{JOB}numRestarts", 10 * MINUTE
    return Alert(
        "FlinkJobRestarted",
        f"max by (job_name) (increase({selected(metric, job)}[{duration(window)}])) > 0",
        0,
        "critical",
        say("{job_name} was restarted"),
        say("In a steady state no job restarts. In this case: {title}.", title=finding["title"]),
        (metric,),
        lambda series: has_increased(series, metric, window),
    )


def _recovered(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    """By the running time, which begins again with each recovery: a new JobManager counts restarts from 0."""
    window = 10 * MINUTE
    return Alert(
        "FlinkJobRecovered",
        f"max by (job_name) (resets({selected(RUNNING_TIME, job)}[{duration(window)}])) > 0",
        0,
        "critical",
        say("{job_name} was restarted, or recovered by a new JobManager"),
        say(
            "In a steady state the running time of a job only grows; the count of restarts does not see a new "
            "JobManager, which begins it at 0. In this case: {title}.",
            title=finding["title"],
        ),
        (RUNNING_TIME,),
        lambda series: has_fallen(series, RUNNING_TIME, window),
    )


def _heap(finding: Mapping[str, Any], job: WatchedJob) -> Alert | None:
    """A heap that collections free falls below the bound again and again: it has to stay above it."""
    if finding["facts"].get("resource") not in ("heap", None):
        return None
    used, most = f"{PROCESS}Status_JVM_Memory_Heap_Used", f"{PROCESS}Status_JVM_Memory_Heap_Max"
    tasks = f"{TASK}busyTimeMsPerSecond"

    def condition(series: CaseSeries) -> Condition:
        sizes = {each.labels: each.values for each in series.of(most)}
        on_it: dict[Labels, list[Sequence[float | None]]] = {}
        for each in series.of(tasks):
            on_it.setdefault(tuple(label for label in each.labels if label[0] == "tm_id"), []).append(each.values)
        return {
            each.labels: [
                bool(value is not None and size and value / size > FULL_HEAP and set(of_tasks) != {None})
                for value, size, *of_tasks in zip(each.values, sizes[each.labels], *on_it[each.labels], strict=True)
            ]
            for each in series.of(used)
            if each.labels in sizes and each.labels in on_it
        }

    return Alert(
        "FlinkHeapNearlyFull",
        f"{used} / {most} > {FULL_HEAP} and on (tm_id) {selected(tasks, job)}",
        BACK_PRESSURE_MS,
        "warning",
        say("The heap of a TaskManager of {job} stays nearly full", job=job.name or say("a job")),
        say(
            "More than four fifths of the heap, which collections do not give back meanwhile. In this case: {title}.",
            title=finding["title"],
        ),
        (used, most, tasks),
        condition,
    )


def _failed(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    """A decline costs a checkpoint at once, long before two timeouts have passed."""
    window = steps_of_time(2 * job.interval_ms)
    return _grown(
        job,
        "FlinkCheckpointFailed",
        f"{JOB}numberOfFailedCheckpoints",
        window,
        "warning",
        say("A checkpoint of {job_name} failed"),
        for_these_settings(
            joined_sentences(
                [
                    say(
                        "One within {within} (two intervals, in whole scrapes of 15 s) is enough here. In this "
                        "case: {title}.",
                        within=phrase.duration(window),
                        title=finding["title"],
                    ),
                    *([say(STARTS_TOO)] if job.start_ms else []),
                ]
            ),
            job,
        ),
    )


def _grown(job: WatchedJob, name: str, metric: str, window: int, severity: str, summary: str, why: str) -> Alert:
    """It fires at once when a count of a job has grown within the window."""
    return Alert(
        name,
        f"{grown(metric, job, duration(window))} > 0",
        0,
        severity,
        summary,
        why,
        (metric,),
        lambda series: has_grown(series, metric, window),
    )


def _misconfigured(finding: Mapping[str, Any], job: WatchedJob) -> Alert | None:
    """What the wrong setting does to the metrics; None for one that they do not show."""
    make = OF_SETTINGS.get(finding.get("rule", {}).get("id"))
    return make(finding, job) if make else None


def _without_pause(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    metric, bound = f"{JOB}lastCheckpointDuration", round(BUSY_SHARE * job.interval_ms)
    return Alert(
        "FlinkCheckpointsWithoutPause",
        f"{by_job(metric, job)} > {bound}",
        BACK_PRESSURE_MS,
        "warning",
        say("A checkpoint of {job_name} is under way more than half of the time"),
        for_these_settings(
            say(
                "Half of the interval of {interval}. In this case: {title}.",
                interval=phrase.duration(job.interval_ms),
                title=finding["title"],
            ),
            job,
        ),
        (metric,),
        lambda series: steps_over(series, metric, bound, ("job_name",)),
    )


def _unregistered(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    return Alert(
        "FlinkNoTaskManager",
        f"{REGISTERED} == 0",
        BACK_PRESSURE_MS,
        "critical",
        say("No TaskManager is registered with the JobManager"),
        say(
            "Five minutes are longer than a start takes. In this case: {title}. Flink has this metric for the "
            "cluster only.",
            title=finding["title"],
        ),
        (REGISTERED,),
        lambda series: {each.labels: [value == 0 for value in each.values] for each in series.of(REGISTERED)},
    )


Own = Callable[[Mapping[str, Any], WatchedJob], Alert | None]

OF_SETTINGS: Mapping[str | None, Own] = {
    "conf.interval": _without_pause,
    "conf.timeout": _failed,
    "conf.frame-size": _failed,
    "conf.memory-storage": _failed,
    "conf.state-over-limit": _failed,
    "conf.bind-host": _unregistered,
    "conf.one-name": _restarts,
    "conf.heartbeat": _restarts,
}
"""Rule of a misconfiguration -> the alert on that setting's effect on Flink's metrics."""

OWN_ALERTS: Mapping[str, Own] = {
    "rocksdb_slow_upload": _slow_checkpoint,
    "data_skew": _skewed,
    "slow_sink": _busy,
    "slow_dimension_join": _busy,
    "cpu_hotspot": _busy,
    "resource_shortage": _heap,
    "network_partition": _restarts,
    "zookeeper_ha": _recovered,
    "user_code": _restarts,
    "restore_failure": _restarts,
    "exactly_once_kafka": _restarts,
    "checkpoint_declined": _failed,
    "misconfiguration": _misconfigured,
}
"""Symptom class -> the alert on its cause's effect on Flink's metrics."""
