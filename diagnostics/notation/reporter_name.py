"""Maps metric names of Flink's StatsD, slf4j, Datadog and JMX reporters to series of its Prometheus reporter.

The only mapping to Flink's identifiers is `diagnostics.notation.metric_name`; this module separates scope, labels and
identifier in each reporter's notation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.notation.metric_name import JOB_METRIC, JOBMANAGER_METRICS, PREFIX

MOST_NAME = 2_000
MOST_TAGS = 50


@dataclass(frozen=True, slots=True)
class ReportedSeries:
    """A series: its name in Prometheus' notation, and its labels, with `quantile` for one of a histogram."""

    name: str
    labels: Mapping[str, str]


QUANTILES: Mapping[str, str] = {
    **dict.fromkeys(("median", "Median", "p50"), "0.5"),
    **dict.fromkeys(("p75", "75thPercentile"), "0.75"),
    **dict.fromkeys(("p95", "95thPercentile", "95percentile"), "0.95"),
    **dict.fromkeys(("p98", "98thPercentile"), "0.98"),
    **dict.fromkeys(("p99", "99thPercentile"), "0.99"),
    **dict.fromkeys(("p999", "999thPercentile"), "0.999"),
}
"""The reporters' names for the quantiles of a histogram. Source: Flink's StatsDReporter, JMXReporter and DHistogram."""
STATISTICS = frozenset(("count", "min", "max", "mean", "avg", "stddev"))
"""Other numbers of a histogram or a meter, which have no identifier of their own."""

_NOT_PLAIN = re.compile(r"[^a-zA-Z0-9:_]")

_ID = r"([\w.-]{1,300}?[-:]\d{1,5}-[0-9a-f]{6}|[^.]{1,300})"
_STATSD = re.compile(r"(.{1,300}?)\.(jobmanager|taskmanager)\.(.+)$")
_TASK_MANAGER = re.compile(rf"{_ID}\.(.+)$")
_SUBTASK = re.compile(r"([^.]{1,300})\.(.{1,1000}?)\.(\d{1,6})\.(\D.*)$")
_RESOURCE_ID = re.compile(r"(.+)-(\d{1,5})-([0-9a-f]{6})$")
_OF_PROCESS = ("Status.", "System.")
_CHAINS = (" -> ", "_->_")
"""Between the operators of a task's name; Graphite's reporter replaces spaces."""
_OF_TASK = ("buffers.", "Shuffle.", "checkpoint", "numBuffers", "busyTime", "idleTime", "backPressuredTime")
_OF_TASK_TOO = (
    "softBackPressuredTime",
    "hardBackPressuredTime",
    "mailbox",
    "isBackPressured",
    "estimatedTimeToConsume",
)


def from_statsd(path: str, tasks: set[str]) -> ReportedSeries | None:
    """The series of a StatsD name in Flink's default scope formats; None for any other name.

    tasks  names of tasks, since some metrics exist only for tasks; extended here. A task and its only operator have the
           same name, and the first word of the rest is taken as the job's name.
    """
    found = _STATSD.match(path[:MOST_NAME])
    if not found:
        return None
    host, kind, rest = found.groups()
    if kind == "jobmanager":
        return _series_of_jobmanager(host, rest)
    named = _TASK_MANAGER.match(rest)
    if not named:
        return None
    labels = {"host": host, "tm_id": _RESOURCE_ID.sub(r"\1:\2-\3", named[1])}
    metric = named[2]
    subtask = None if metric.startswith(_OF_PROCESS) else _SUBTASK.match(metric)
    if not subtask:
        return _series("taskmanager_", metric, labels) if metric.startswith(_OF_PROCESS) else None
    job, name, index, metric = subtask.groups()
    if metric.startswith((*_OF_TASK, *_OF_TASK_TOO)) or any(chain in name for chain in _CHAINS):
        tasks.add(name)
    labels |= {"job_name": job, "subtask_index": index}
    if name in tasks:
        return _series("taskmanager_job_task_", metric, labels | {"task_name": name})
    return _series("taskmanager_job_task_operator_", metric, labels | {"operator_name": name})


def _series_of_jobmanager(host: str, rest: str) -> ReportedSeries | None:
    if rest in JOBMANAGER_METRICS or rest.startswith(_OF_PROCESS):
        return _series("jobmanager_", rest, {"host": host})
    job, _, metric = rest.rpartition(".")
    return (
        _series("jobmanager_job_", metric, {"host": host, "job_name": job})
        if JOB_METRIC.match(metric) and job
        else None
    )


DATADOG: tuple[tuple[str, str], ...] = (
    ("flink.jobmanager.job.", "jobmanager_job_"),
    ("flink.jobmanager.", "jobmanager_"),
    ("flink.taskmanager.job.", "taskmanager_job_"),
    ("flink.taskmanager.", "taskmanager_"),
    ("flink.task.", "taskmanager_job_task_"),
    ("flink.operator.", "taskmanager_job_task_operator_"),
)
"""Scope formats in Datadog's documentation of its Flink integration -> logical scope."""


def from_datadog(metric: str, tags: Mapping[str, str]) -> ReportedSeries | None:
    """The series of a metric in Datadog; None for one that is not Flink's."""
    for prefix, scope in DATADOG:
        if metric.startswith(prefix):
            return _series(scope, metric[len(prefix) : MOST_NAME], tags)
    return None


JMX_DOMAIN = "org.apache.flink."


def from_jmx(bean: str, attribute: str) -> ReportedSeries | None:
    """The series of an attribute of an MBean; None for other beans and for an attribute without identifier."""
    domain, _, keys = bean[:MOST_NAME].partition(":")
    if not domain.startswith(JMX_DOMAIN):
        return None
    pairs = (each.partition("=") for each in keys.split(",")[:MOST_TAGS])
    labels = {name.strip(): value.strip().strip('"') for name, _, value in pairs if value}
    metric = domain[len(JMX_DOMAIN) :]
    if attribute in QUANTILES:
        labels["quantile"] = QUANTILES[attribute]
    elif attribute not in ("Value", "Count", "Rate"):
        return None
    return ReportedSeries(PREFIX + _NOT_PLAIN.sub("_", metric), labels)


def _series(scope: str, metric: str, labels: Mapping[str, str]) -> ReportedSeries | None:
    """The series of a dotted identifier, whose last word may be a statistic of a meter or histogram."""
    name, _, last = metric.rpartition(".")
    if name and last in QUANTILES:
        return ReportedSeries(PREFIX + scope + _NOT_PLAIN.sub("_", name), {**labels, "quantile": QUANTILES[last]})
    if name and last in STATISTICS:
        return None
    plain = name if name and last == "rate" else metric
    return ReportedSeries(PREFIX + scope + _NOT_PLAIN.sub("_", plain), labels)
