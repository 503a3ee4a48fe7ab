"""Logs written for a test in the layouts of Flink: a healthy JobManager with what a test puts in between."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import TYPE_CHECKING

from diagnostics.analyze import Report, analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

JOB = "a3b1c2d4e5f60718293a4b5c6d7e8f90"
BEGIN = dt.datetime(2026, 3, 2, 10, 0, 0)  # noqa: DTZ001 - Flink's layouts print no zone
COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"
GRAPH = "org.apache.flink.runtime.executiongraph.ExecutionGraph"
TASK = "org.apache.flink.runtime.taskmanager.Task"


def line(second: float, logger: str, message: str, level: str = "INFO", *, log4j1: bool = False) -> str:
    """One record; further lines of the message stand below it, as a stack trace does."""
    moment = BEGIN + dt.timedelta(seconds=second)
    stamp = f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03}"
    return f"{stamp} {level:5} {logger:60} {'' if log4j1 else '[] '}- {message}"


def jobmanager_log(*between: str, completed: Iterable[int] = (5, 15, 25), version: str = "1.17.2") -> str:
    """A JobManager's log: its start, a running job, checkpoints completing at these seconds, what a test adds."""
    start = [
        line(
            0,
            "org.apache.flink.runtime.entrypoint.ClusterEntrypoint",
            f" Starting it (Version: {version}, Scala: 2.12)",
        ),
        line(
            1,
            "org.apache.flink.runtime.jobmaster.JobMaster",
            f"Starting execution of job 'orders' ({JOB}) under job master id 0.",
        ),
        line(2, GRAPH, f"Job orders ({JOB}) switched from state CREATED to RUNNING."),
    ]
    checkpoints = [
        line(second, COORDINATOR, f"Completed checkpoint {number} for job {JOB} (4096 bytes in 90 ms).")
        for number, second in enumerate(completed, 1)
    ]
    return "\n".join(sorted([*start, *checkpoints, *between])) + "\n"


def diagnosed(spark: SparkSession, folder: Path, **files: str) -> Report:
    """The report on files of these contents; their names tell nothing."""
    sources = []
    for place, content in enumerate(files.values()):
        path = folder / f"upload-{place}.txt"
        path.write_text(content, "utf-8")
        sources.append(SourceFile(path, path.name))
    workspace = folder / "workspace"
    workspace.mkdir()
    return analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace)
