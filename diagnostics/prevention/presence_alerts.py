"""Alerts on what is not there any more: the job itself, and TaskManagers of its cluster.

The other alerts read series of a job that runs; a job that failed for good has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.language import joined_sentences, say, to_say
from diagnostics.prevention.alert import MINUTE, Alert, Condition, WatchedJob, by_job, selected
from diagnostics.prevention.case_series import final_state
from diagnostics.prevention.series import REGISTERED, RUNNING_TIME, TASK, CaseSeries
from diagnostics.vocabulary.settings import Version, version_of

NOT_RUNNING_MS = 2 * MINUTE
"""A restart takes less: the longest pause of Flink's default restart strategy is one minute. Source: Flink
documentation, Configuration, restart-strategy.exponential-delay.max-backoff.
"""
RUNNING_TIME_SINCE: Version = (1, 15)
"""Source: Flink documentation, Metrics."""
WHY_NOT_RUNNING = to_say(
    "A job that failed for good has no series any more, so that no other alert sees it. Silence this one while "
    "you deploy."
)
ALWAYS_FIRES = to_say("Flink has the metric since 1.15: with an older one it always fires.")
MISSING_MS = MINUTE
"""Longer than a TaskManager whose connection broke for a moment takes to register again. Our choice."""


def presence_alerts(signals: Sequence[Mapping[str, Any]], job_id: str | None, job: WatchedJob) -> Iterator[Alert]:
    """The alert that the job does not run, unless it is one that ends by itself or has no known name, and where the
    case lost TaskManagers, or ends without slots for the job because some are gone, that some are missing.
    """
    lacks_slots = any(
        (signal.get("facts") or {}).get("missing")
        for signal in signals
        if signal["key"] == "slots" and (signal.get("subject") or {}).get("job") in (job_id, None)
    )
    if job.name and final_state(signals, job_id) != "FINISHED":
        yield _not_running(job, job.name, _reports_running_time(signals))
    for signal in signals:
        facts = signal.get("facts") or {}
        if signal["key"] != "task_manager_loss.all" or not facts.get("registered_most"):
            continue
        if facts.get("lost") or (facts.get("gone") and lacks_slots):
            yield _missing(facts["registered_most"], job)


def _reports_running_time(signals: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the version of Flink is known to have the metric."""
    facts = (each.get("facts") or {} for each in signals if each["key"] == "job_overview")
    version = next((version_of(each["flink_version"]) for each in facts if each.get("flink_version")), None)
    return version is not None and version >= RUNNING_TIME_SINCE


def _not_running(job: WatchedJob, name: str, is_reported: bool) -> Alert:
    def condition(series: CaseSeries) -> Condition:
        running = [each.values for each in series.of(RUNNING_TIME)]
        return {(("job_name", name),): [not any(values) for values in zip(*running, strict=True)]}

    return Alert(
        "FlinkJobNotRunning",
        f"absent({selected(RUNNING_TIME, job)}) or {by_job(RUNNING_TIME, job)} == 0",
        NOT_RUNNING_MS,
        "critical",
        say("{job_name} does not run"),
        joined_sentences([say(WHY_NOT_RUNNING), *([] if is_reported else [say(ALWAYS_FIRES)])]),
        (RUNNING_TIME,),
        condition,
    )


def _missing(registered: int, job: WatchedJob) -> Alert:
    """Not where fewer were wanted: a job that was given fewer TaskManagers runs on them, and its tasks have metrics."""
    of_tasks = f"{TASK}backPressuredTimeMsPerSecond"

    def condition(series: CaseSeries) -> Condition:
        running = [any(value is not None for value in step) for step in zip(*_values(series, of_tasks), strict=True)]
        return {
            each.labels: [
                value is not None and value < registered and not runs
                for value, runs in zip(each.values, running, strict=True)
            ]
            for each in series.of(REGISTERED)
        }

    return Alert(
        "FlinkTaskManagersMissing",
        f"{REGISTERED} < {registered} unless on () {selected(of_tasks, job)}",
        MISSING_MS,
        "critical",
        say(
            "Fewer TaskManagers than {registered} are registered, and no task of {job} runs",
            registered=registered,
            job=job.name or say("a job"),
        ),
        say(
            "In this case {registered} were registered before the loss. Where fewer are wanted and the job runs on "
            "them, it does not fire; change the number all the same. Flink has this metric for the cluster only.",
            registered=registered,
        ),
        (REGISTERED, of_tasks),
        condition,
    )


def _values(series: CaseSeries, metric: str) -> list[Sequence[float | None]]:
    return [each.values for each in series.of(metric)]
