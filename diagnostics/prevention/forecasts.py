"""Alerts that look ahead by `predict_linear`: for a disk that fills and for checkpoints that reach their timeout.

A case exports one where its own signals foresee the same: no alert rests on a trend that was not measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.language import say
from diagnostics.prevention.alert import MINUTE, Alert, Condition, WatchedJob, for_these_settings, largest_of, selected
from diagnostics.prevention.series import JOB, STEP_MS, CaseSeries
from diagnostics.wording import phrase

HOUR = 60 * MINUTE
DISK_RANGE, DISK_AHEAD, DISK_FOR = "6h", 24 * HOUR, HOUR
"""A disk that will be full within a day by the trend of six hours, for an hour. Source: the alerts of the node
exporter's mixin, NodeFilesystemSpaceFillingUp (https://github.com/prometheus/node_exporter/tree/master/docs/node-mixin).
"""
COURSE_STEPS, AHEAD_TIMES = 120, 2
"""The last half hour of durations (of 15 s steps), looked ahead by twice as long. Our choice: within the five times
that the forecast of the case itself allows, and short enough to follow a change.
"""
INSIDE_MS = 5_000
"""The range ends between two samples, so that it holds the same ones whether its beginning counts (Prometheus 2) or not
(Prometheus 3).
"""


def forecast_alerts(signals: Sequence[Mapping[str, Any]], job_id: str | None, job: WatchedJob) -> Iterator[Alert]:
    """The alerts on what the signals of the case foresee for the job and for the disks of its hosts."""
    for signal in signals:
        facts = signal.get("facts") or {}
        if signal["key"] == "disk_forecast" and facts.get("full_in_ms") is not None and facts.get("metric"):
            yield _disk(facts)
        is_own = (signal.get("subject") or {}).get("job") in (job_id, None)
        if signal["key"] == "checkpoint_forecast" and is_own and facts.get("timeout_in_ms") is not None:
            yield _timeout(job)


def _disk(facts: Mapping[str, Any]) -> Alert:
    labels = ", ".join(f'{name}="{_quoted(value)}"' for name, value in _matchers(facts))
    series = f"{facts['metric']}{{{labels}}}"
    place = facts.get("place") or say("the file system")
    return Alert(
        name="FlinkDiskFullAhead",
        expr=f"predict_linear({series}[{DISK_RANGE}], {DISK_AHEAD // 1000}) < 0",
        for_ms=DISK_FOR,
        severity="warning",
        summary=say("A file system will be full within a day if its trend lasts"),
        why=say(
            "By the trend of this case {place} is full {after} after the last sample. Range, time ahead and duration "
            "are those of the node exporter's own alerts.",
            place=place,
            after=phrase.duration(facts["full_in_ms"]),
        ),
        needs=(str(facts["metric"]),),
        condition=lambda series: {},
    )


def _matchers(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    named = ((facts.get("place_label"), facts.get("place")), (facts.get("host_label"), facts.get("host")))
    return [(str(label), str(value)) for label, value in named if label and value]


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _timeout(job: WatchedJob) -> Alert:
    metric = f"{JOB}lastCheckpointDuration"
    range_ms = COURSE_STEPS * STEP_MS
    ahead_ms = AHEAD_TIMES * range_ms
    course = f"{selected(metric, job)}[{(range_ms - INSIDE_MS) // 1000}s]"
    return Alert(
        name="FlinkCheckpointTimeoutAhead",
        expr=f"max by (job_name) (predict_linear({course}, {ahead_ms // 1000})) > {job.timeout_ms}",
        for_ms=5 * MINUTE,
        severity="warning",
        summary=say(
            "Checkpoints of {{job_name}} will reach their timeout within {ahead}", ahead=phrase.duration(ahead_ms)
        ),
        why=for_these_settings(say("The durations of this case rise towards the timeout by their trend."), job),
        needs=(metric,),
        condition=lambda series: _predicted_above(series, metric, ahead_ms, job.timeout_ms),
    )


def _predicted_above(series: CaseSeries, metric: str, ahead_ms: int, bound: float) -> Condition:
    return {
        labels: [
            (value := _predicted(values[max(step - COURSE_STEPS + 1, 0) : step + 1], ahead_ms)) is not None
            and value > bound
            for step in range(len(values))
        ]
        for labels, values in largest_of(series, metric, ("job_name",)).items()
    }


def _predicted(values: Sequence[float | None], ahead_ms: int) -> float | None:
    """The value on the line of least squares at that time after the last step; None of fewer than two samples."""
    points = [((place - len(values) + 1) * STEP_MS, value) for place, value in enumerate(values) if value is not None]
    if len(points) < 2:
        return None
    mean_at = sum(at for at, _ in points) / len(points)
    mean = sum(value for _, value in points) / len(points)
    spread = sum((at - mean_at) ** 2 for at, _ in points)
    slope = sum((at - mean_at) * (value - mean) for at, value in points) / spread
    return mean + slope * (ahead_ms - mean_at)
