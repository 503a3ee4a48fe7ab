"""Two TaskManagers that cannot reach each other, by one scrape of each: trimmed from a real Flink 2.0.1."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.diagnostics.written_log import JOB, diagnosed

TASKS = {
    "f57bb5431fb401671f8c2bc2f29451d5": ("Source:_Trips____Parse_trip", {"busy": 0.0, "held": 1000.0, "idle": 0.0}),
    "8eeed16b661251f13cfc6a3c5e75c420": (
        "Totals_per_driver____Keep_alerts____Sink:_Sink:_alerts",
        {"busy": 0.0, "held": 0.0, "idle": 1000.0},
    ),
}
METRICS = {
    "busy": "busyTimeMsPerSecond",
    "held": "backPressuredTimeMsPerSecond",
    "idle": "idleTimeMsPerSecond",
    "read": "numRecordsInPerSecond",
}


def scrape(host: str, subtasks: tuple[int, ...], rate: float) -> str:
    """What one TaskManager exposes of its subtasks."""
    lines = []
    for name, metric in METRICS.items():
        full = f"flink_taskmanager_job_task_{metric}"
        lines += [f"# HELP {full} {metric} (scope: taskmanager_job_task)", f"# TYPE {full} gauge"]
        for task, (printed, values) in TASKS.items():
            labels = f'job_id="{JOB}",job_name="driver_totals",task_id="{task}",task_name="{printed}"'
            labels += f',host="{host}",tm_id="{host}:40001_a1b2c3"'
            of_task = values.get(name, rate if values["idle"] else 0.0)
            lines += [f'{full}{{{labels},subtask_index="{each}"}} {of_task}' for each in subtasks]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("second", "rate", "verdict"),
    [("10.77.0.3", 0.0, "network_partition"), ("10.77.0.3", 900.0, "inconclusive"), ("10.77.0.2", 0.0, "inconclusive")],
)
def test_both_sides_of_a_shut_exchange_wait(
    spark: SparkSession, tmp_path: Path, second: str, rate: float, verdict: str
) -> None:
    """Records that pass, slowly, or tasks that share one process are no cut."""
    first = scrape("10.77.0.2", (0, 1), rate)
    other = scrape(second, (2, 3), rate)

    document = diagnosed(spark, tmp_path, first=first, other=other).document

    assert document["verdict"]["symptom_class"] == verdict
