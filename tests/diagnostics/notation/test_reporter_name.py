"""Metrics of the StatsD, Datadog and JMX reporters have the identifiers that Prometheus' series have."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from diagnostics.notation.metric_name import from_prometheus
from diagnostics.notation.reporter_name import ReportedSeries, from_datadog, from_jmx, from_statsd

METRICS = Path(__file__).resolve().parents[4] / "shared" / "reference" / "metrics.csv"
SCOPES = {"task": "taskmanager_job_task_", "operator": "taskmanager_job_task_operator_"}


def identifier(series: ReportedSeries | None) -> str | None:
    named = from_prometheus(series.name) if series else None
    return named.metric if named else None


@pytest.mark.skipif(not METRICS.is_file(), reason="the reference is not here")
def test_every_metric_of_the_reference_has_one_identifier_whatever_reported_it() -> None:
    """Rows whose identifier has no placeholder and that Prometheus' names give back themselves."""
    wrong, compared = [], 0
    with METRICS.open(newline="") as opened:
        for row in csv.DictReader(opened):
            metric = row["metric"]
            prometheus = from_prometheus(f"flink_taskmanager_job_task_{metric.replace('.', '_').replace('-', '_')}")
            if "<" in metric or " " in metric or prometheus is None or prometheus.metric != metric:
                continue
            compared += 1
            told = {
                "statsd": from_statsd(f"vm.taskmanager.tm-1.orders.Window -> Sink.0.{metric}", set()),
                "datadog": from_datadog(f"flink.task.{metric}", {}),
                "jmx": from_jmx(f"org.apache.flink.taskmanager.job.task.{metric}:host=vm", "Value"),
            }
            wrong += [(reporter, metric) for reporter, series in told.items() if identifier(series) != metric]
    assert wrong == []
    assert compared > 150


@pytest.mark.parametrize(
    ("path", "labels"),
    [
        ("10.0.0.5.taskmanager.tm-1.orders.map.3.numRecordsIn", {"host": "10.0.0.5", "operator_name": "map"}),
        ("vm.taskmanager.10.0.0.5-6122-a94cd1.orders.map.3.numRecordsIn", {"tm_id": "10.0.0.5:6122-a94cd1"}),
        (
            "vm.taskmanager.tm-1.orders.map.3.KafkaSourceReader.topic.t.partition.0.currentOffset",
            {"subtask_index": "3"},
        ),
        ("vm.jobmanager.my.orders.lastCheckpointDuration", {"job_name": "my.orders"}),
    ],
)
def test_a_statsd_name_shows_where_its_metric_was_measured(path: str, labels: dict[str, str]) -> None:
    series = from_statsd(path, set())
    assert series is not None
    assert labels.items() <= series.labels.items()


def test_a_task_and_its_only_operator_are_called_alike_until_a_metric_shows_it() -> None:
    tasks: set[str] = set()
    name = "vm.taskmanager.tm-1.orders.map.0."
    before = from_statsd(f"{name}numRecordsIn", tasks)
    from_statsd(f"{name}busyTimeMsPerSecond", tasks)
    after = from_statsd(f"{name}numRecordsIn", tasks)
    assert before is not None
    assert "operator_name" in before.labels
    assert after is not None
    assert after.labels["task_name"] == "map"


@pytest.mark.parametrize(
    "path", ["a.b.c", "vm.taskmanager.tm-1", "vm.jobmanager.orders.strange", "." * 5_000, "1." * 2_000]
)
def test_other_names_are_left_alone(path: str) -> None:
    assert from_statsd(path, set()) is None
