"""Alert rules for Prometheus from one case: three that every job should have, and the case's own.

Each alert says its PromQL and, in Python, the same condition on the steps of a series, so that the unit test for
promtool states what the alert does on this very incident, and promtool checks that both agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.prevention.series import JOB, STEP_MS, TASK, CaseSeries, Labels, Series, label_value

MINUTE = 60_000
BACK_PRESSURE_MS = 5 * MINUTE
"""Back pressure that lasts longer is no burst: reference/source-document-rows.csv S088."""
HIGH_MS_PER_S = 500
"""Flink's own bound between LOW and HIGH back pressure."""
FULL_MS_PER_S = 900
"""A subtask that works nine tenths of the time has no reserve; the bound of the rules on busy tasks."""
LEAST_SILENCE_MS, SILENT_INTERVALS = 10 * MINUTE, 3
"""Three intervals without a completed checkpoint are no chance, under ten minutes no alert. Our choice."""
USUAL_INTERVAL_MS, USUAL_TIMEOUT_MS = 3 * MINUTE, 10 * MINUTE
"""Where the evidence does not tell them; the timeout is Flink's default, the interval a usual one."""
SLOW_SHARE = 0.5
"""A checkpoint that needs half of its timeout has too little room: reference/metrics.csv, lastCheckpointDuration."""
SKEW = 2.0
"""A subtask with twice the mean: the bound of the shipped rules on skew."""

Condition = Mapping[Labels, Sequence[bool]]


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert rule.

    for_ms     how long the condition has to hold
    summary    a sentence; `{job_name}` and `{task_name}` stand for labels
    why        why it exists and where its bound comes from
    needs      metrics of the expression
    condition  which label sets meet the expression at which step of a case's series
    """

    name: str
    expr: str
    for_ms: int
    severity: str
    summary: str
    why: str
    needs: tuple[str, ...]
    condition: Callable[[CaseSeries], Condition]

    def firing(self, series: CaseSeries) -> dict[Labels, int]:
        """For each label set the first step at which the alert fires."""
        steps = self.for_ms // STEP_MS
        found: dict[Labels, int] = {}
        for labels, holds in self.condition(series).items():
            since: int | None = None
            for step, met in enumerate(holds):
                since = (step if since is None else since) if met else None
                if since is not None and step - since >= steps:
                    found[labels] = step
                    break
        return found

    def is_covered_by(self, series: CaseSeries) -> bool:
        """Whether the case holds all its series, so that a test of it means something."""
        return all(series.of(metric) for metric in self.needs)


def alerts_for(document: Mapping[str, Any], signals: Sequence[Mapping[str, Any]], job_id: str | None) -> list[Alert]:
    """The alerts of one job of a case, its own last where its class has one that metrics can see."""
    interval, timeout = _checkpointing(signals, job_id)
    shared = [_failed_in_a_row(interval, timeout), _back_pressure(), _no_checkpoint(interval)]
    own = _own_alert(document, job_id, timeout)
    return [*shared, own] if own else shared


def _checkpointing(signals: Sequence[Mapping[str, Any]], job_id: str | None) -> tuple[int, int]:
    """Interval and timeout of the job in ms, where the evidence tells them, else the usual ones."""
    told: dict[str, float] = {}
    for signal in signals:
        if (signal.get("subject") or {}).get("job") in (job_id, None):
            for name in ("interval_ms", "timeout_ms"):
                value = (signal.get("facts") or {}).get(name)
                if signal["key"] in ("checkpoint_progress", "settings") and isinstance(value, (int, float)):
                    told.setdefault(name, value)
    return int(told.get("interval_ms", USUAL_INTERVAL_MS)), int(told.get("timeout_ms", USUAL_TIMEOUT_MS))


def duration(ms: float) -> str:
    """Whole steps of time as Prometheus writes them: 90 s as `1m30s`."""
    seconds = math.ceil(ms / STEP_MS) * STEP_MS // 1000
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}m{rest}s" if minutes and rest else f"{minutes}m" if minutes else f"{rest}s"


def _failed_in_a_row(interval: int, timeout: int) -> Alert:
    """Two failures and no completion within two intervals, for those that fail at once, or two timeouts."""
    windows = sorted({_steps_of_time(2 * interval), _steps_of_time(2 * max(interval, timeout))})
    failed, completed = f"{JOB}numberOfFailedCheckpoints", f"{JOB}numberOfCompletedCheckpoints"

    def expr(ago: str) -> str:
        failures = f"{_by_job(failed)} - {_by_job(failed, ago)} >= 2"
        return f"(({failures}) unless ({_by_job(completed)} - {_by_job(completed, ago)} > 0))"

    def condition(series: CaseSeries) -> Condition:
        found: dict[Labels, list[bool]] = {}
        for window in windows:
            successes = _grown(series, completed, window)
            for labels, grows in _grown(series, failed, window).items():
                goods = successes.get(labels, [None] * series.steps)
                held = found.setdefault(labels, [False] * series.steps)
                for step, (grown, good) in enumerate(zip(grows, goods, strict=True)):
                    held[step] |= bool(grown is not None and grown >= 2 and not (good is not None and good > 0))
        return found

    told = " or ".join(duration(window) for window in windows)
    return Alert(
        "FlinkCheckpointsFailInARow",
        " or ".join(expr(duration(window)) for window in windows),
        0,
        "critical",
        "Two or more checkpoints of {job_name} failed in a row",
        f"Two failed and none completed within {told}: two intervals, or two timeouts.",
        (failed, completed),
        condition,
    )


def _no_checkpoint(interval: int) -> Alert:
    window = _steps_of_time(max(LEAST_SILENCE_MS, SILENT_INTERVALS * interval))
    completed, ago = f"{JOB}numberOfCompletedCheckpoints", duration(window)

    def condition(series: CaseSeries) -> Condition:
        return {labels: [grown == 0 for grown in grows] for labels, grows in _grown(series, completed, window).items()}

    return Alert(
        "FlinkNoCompletedCheckpoint",
        f"{_by_job(completed)} - {_by_job(completed, ago)} == 0",
        0,
        "critical",
        f"{{job_name}} completed no checkpoint for {ago}",
        "After a failure the job would go back so far. Three intervals, and ten minutes at least.",
        (completed,),
        condition,
    )


def _back_pressure() -> Alert:
    metric = f"{TASK}backPressuredTimeMsPerSecond"
    return Alert(
        "FlinkBackPressure",
        f"max by (job_name, task_name) ({metric}) > {HIGH_MS_PER_S}",
        BACK_PRESSURE_MS,
        "warning",
        "{task_name} of {job_name} is back-pressured more than half of the time",
        "HIGH in Flink's words, for five minutes, so that a burst does not wake anybody.",
        (metric,),
        lambda series: _over(series, metric, HIGH_MS_PER_S),
    )


def _own_alert(document: Mapping[str, Any], job_id: str | None, timeout: int) -> Alert | None:
    """What would have seen this case's root cause; None where no metric of Flink tells it."""
    roots = [each for each in document["findings"] if each["role"] == "root_cause"]
    of_the_job = [each for each in roots if each["subject"].get("job") in (job_id, None)]
    for finding in of_the_job:
        make = OWN_ALERTS.get(finding["symptom_class"])
        if make and (alert := make(finding, timeout)):
            return alert
    return None


def _slow_checkpoint(finding: Mapping[str, Any], timeout: int) -> Alert:
    metric, bound = f"{JOB}lastCheckpointDuration", round(SLOW_SHARE * timeout)
    return Alert(
        "FlinkCheckpointNearTimeout",
        f"{_by_job(metric)} > {bound}",
        0,
        "warning",
        "A checkpoint of {job_name} took more than half of its timeout",
        f"Half of the timeout of {duration(timeout)}: {finding['title']}.",
        (metric,),
        lambda series: {
            labels: [value is not None and value > bound for value in values]
            for labels, values in _largest(series, metric, ("job_name",)).items()
        },
    )


def _skewed(finding: Mapping[str, Any], timeout: int) -> Alert:
    metric, by = f"{TASK}numRecordsInPerSecond", ("job_name", "task_name")

    def condition(series: CaseSeries) -> Condition:
        largest, means = _largest(series, metric, by), _means(series, metric, by)
        return {
            labels: [
                bool(high is not None and mean and high / mean > SKEW)
                for high, mean in zip(values, means[labels], strict=True)
            ]
            for labels, values in largest.items()
        }

    return Alert(
        "FlinkSkewedTask",
        f"max by ({', '.join(by)}) ({metric}) / avg by ({', '.join(by)}) ({metric}) > {SKEW:g}",
        BACK_PRESSURE_MS,
        "warning",
        "One subtask of {task_name} in {job_name} receives more than twice the mean",
        f"The bound of the rules on skew: {finding['title']}.",
        (metric,),
        condition,
    )


def _busy(finding: Mapping[str, Any], timeout: int) -> Alert | None:
    task = finding["subject"].get("vertex")
    if not task:
        return None
    metric, name = f"{TASK}busyTimeMsPerSecond", label_value(task)

    def condition(series: CaseSeries) -> Condition:
        return {
            labels: holds
            for labels, holds in _over(series, metric, FULL_MS_PER_S).items()
            if ("task_name", name) in labels
        }

    return Alert(
        "FlinkTaskWithoutReserve",
        f'max by (job_name, task_name) ({metric}{{task_name="{name}"}}) > {FULL_MS_PER_S}',
        BACK_PRESSURE_MS,
        "warning",
        "{task_name} of {job_name} works all of the time and holds everything up",
        f"Nine tenths of the time for five minutes: {finding['title']}.",
        (metric,),
        condition,
    )


def _late(finding: Mapping[str, Any], timeout: int) -> Alert:
    metric, by = f"{TASK}operator_numLateRecordsDropped", ("job_name", "task_name")

    def condition(series: CaseSeries) -> Condition:
        grown = _grown(series, metric, BACK_PRESSURE_MS, by)
        return {labels: [each is not None and each > 0 for each in grows] for labels, grows in grown.items()}

    ago = duration(BACK_PRESSURE_MS)
    now = f"sum by ({', '.join(by)}) ({metric})"
    return Alert(
        "FlinkLateRecordsDropped",
        f"{now} - sum by ({', '.join(by)}) ({metric} offset {ago}) > 0",
        0,
        "warning",
        "{task_name} of {job_name} drops late records",
        f"A dropped record is lost to the result: {finding['title']}.",
        (metric,),
        condition,
    )


def _restarts(finding: Mapping[str, Any], timeout: int) -> Alert:
    metric, window = f"{JOB}numRestarts", 10 * MINUTE
    ago = duration(window)

    def condition(series: CaseSeries) -> Condition:
        grown = _grown(series, metric, window)
        return {labels: [each is not None and each > 0 for each in grows] for labels, grows in grown.items()}

    return Alert(
        "FlinkJobRestarted",
        f"{_by_job(metric)} - {_by_job(metric, ago)} > 0",
        0,
        "critical",
        "{job_name} was restarted",
        f"In a steady state no job restarts: {finding['title']}.",
        (metric,),
        condition,
    )


def _heap(finding: Mapping[str, Any], timeout: int) -> Alert | None:
    if finding["facts"].get("resource") not in ("heap", None):
        return None
    used, most = "flink_taskmanager_Status_JVM_Memory_Heap_Used", "flink_taskmanager_Status_JVM_Memory_Heap_Max"
    return Alert(
        "FlinkHeapNearlyFull",
        f"min_over_time(({used} / {most})[5m:15s]) > 0.8",
        0,
        "warning",
        "The heap of a TaskManager stays nearly full",
        f"More than four fifths that no collection gives back within five minutes: {finding['title']}.",
        (used, most),
        lambda series: {},
    )


OWN_ALERTS: Mapping[str, Callable[[Mapping[str, Any], int], Alert | None]] = {
    "rocksdb_slow_upload": _slow_checkpoint,
    "data_skew": _skewed,
    "slow_sink": _busy,
    "slow_dimension_join": _busy,
    "cpu_hotspot": _busy,
    "out_of_order_events": _late,
    "resource_shortage": _heap,
    "network_partition": _restarts,
    "zookeeper_ha": _restarts,
    "user_code": _restarts,
    "restore_failure": _restarts,
    "exactly_once_kafka": _restarts,
}
"""Symptom class -> the alert on what its cause does to Flink's own metrics."""


def _by_job(metric: str, ago: str = "") -> str:
    return f"max by (job_name) ({metric}{f' offset {ago}' if ago else ''})"


def _steps_of_time(ms: float) -> int:
    """At least so many ms, in whole steps."""
    return math.ceil(ms / STEP_MS) * STEP_MS


def _grouped(series: CaseSeries, metric: str, by: Sequence[str]) -> dict[Labels, list[Series]]:
    found: dict[Labels, list[Series]] = {}
    for each in series.of(metric):
        found.setdefault(tuple((name, value) for name, value in each.labels if name in by), []).append(each)
    return found


def _columns(group: Sequence[Series]) -> Iterator[list[float]]:
    for values in zip(*(each.values for each in group), strict=True):
        yield [value for value in values if value is not None]


def _largest(series: CaseSeries, metric: str, by: Sequence[str]) -> dict[Labels, list[float | None]]:
    groups = _grouped(series, metric, by)
    return {labels: [max(known, default=None) for known in _columns(group)] for labels, group in groups.items()}


def _means(series: CaseSeries, metric: str, by: Sequence[str]) -> dict[Labels, list[float | None]]:
    groups = _grouped(series, metric, by)
    return {
        labels: [sum(known) / len(known) if known else None for known in _columns(group)]
        for labels, group in groups.items()
    }


def _over(series: CaseSeries, metric: str, bound: float) -> dict[Labels, list[bool]]:
    largest = _largest(series, metric, ("job_name", "task_name"))
    return {labels: [value is not None and value > bound for value in values] for labels, values in largest.items()}


def _grown(
    series: CaseSeries, metric: str, window: int, by: Sequence[str] = ("job_name",)
) -> dict[Labels, list[float | None]]:
    """How much a count grew within the window, None where it is not known so far back."""
    back = window // STEP_MS
    found: dict[Labels, list[float | None]] = {}
    for labels, values in _largest(series, metric, by).items():
        pairs = ((values[step - back] if step >= back else None, value) for step, value in enumerate(values))
        found[labels] = [None if None in pair else pair[1] - pair[0] for pair in pairs]  # type: ignore[operator]
    return found
