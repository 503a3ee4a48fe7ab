"""The same diagnosis on a Spark cluster of several processes, also when one of them is killed in the middle."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.analyze import Report, analyze
from diagnostics.errors import SparkUnavailable
from diagnostics.formats import FORMATS
from diagnostics.intake import SourceFile
from diagnostics.rule import Ruleset, shipped_rules
from diagnostics.spark.cluster import StandaloneCluster, on_a_cluster
from diagnostics.spark.far_workers import for_workers
from diagnostics.spark.java import REFUSED_OPTION, home_for_launchers
from diagnostics.spark.server import free_port

TASK_MANAGER_LOG = Path(__file__).resolve().parents[1] / "hostile" / "taskmanager.log"
KINDS = ("gc-log", "flink-rest-checkpoints")


def evidence_in(folder: Path) -> list[SourceFile]:
    """A real log and samples of other kinds: every way that rows go, and few queries."""
    folder.mkdir()
    for kind in KINDS:
        sample = FORMATS[kind].samples[0]
        (folder / Path(sample.name).name).write_bytes(sample.content)
    return [SourceFile(each, each.name) for each in (TASK_MANAGER_LOG, *sorted(folder.iterdir()))]


def diagnosed(session: SparkSession, workspace: Path) -> Report:
    workspace.mkdir()
    rules = Ruleset.of(shipped_rules())
    return analyze(evidence_in(workspace / "given"), ruleset=rules, spark=session, workspace=workspace)


def without_timing(report: Report) -> dict[str, Any]:
    document = {name: value for name, value in report.document.items() if name != "timing"}
    return {"document": document, "signals": report.signals, "charts": report.charts, "warnings": report.warnings}


def kill_a_worker_that_reads(cluster: StandaloneCluster, evidence: Path, killed: list[int]) -> None:
    """Once the first rows are being written: a worker and its executor, at once and without warning."""
    for _ in range(6_000):
        if any(evidence.glob("*/*")):
            worker = psutil.Process(cluster.worker_pid(0))
            for process in [worker, *worker.children(recursive=True)]:
                killed.append(process.pid)
                process.kill()
            return
        time.sleep(0.01)


@pytest.mark.spark
def test_a_case_on_a_cluster_that_loses_a_worker_gets_the_document_of_a_single_machine(
    spark: SparkSession, tmp_path: Path
) -> None:
    alone = diagnosed(spark, tmp_path / "alone")
    killed: list[int] = []
    with (
        (tmp_path / "cluster.log").open("wb") as log,
        on_a_cluster(free_port(), output=log, shares_code=False) as (
            cluster,
            server,
        ),
    ):
        with pytest.raises(SparkUnavailable, match="do not see /not-mounted"):
            engine.run(server.remote, str(uuid4()), lambda session: for_workers(session, Path("/not-mounted"), iter))
        workspace = tmp_path / "on-the-cluster"
        killer = threading.Thread(target=kill_a_worker_that_reads, args=(cluster, workspace / "evidence", killed))
        killer.start()
        report = engine.run(server.remote, str(uuid4()), lambda session: diagnosed(session, workspace))
        killer.join()
        assert cluster.ended is not None
    assert len(killed) >= 2  # the worker and its executor
    assert not any(psutil.pid_exists(pid) for pid in killed)
    assert without_timing(report) == without_timing(alone)


def test_the_java_of_executors_leaves_out_what_the_bundled_runtime_refuses(tmp_path: Path) -> None:
    home = home_for_launchers(tmp_path / "java")
    told = subprocess.run(
        [home / "bin" / "java", "-Dtold=a b", REFUSED_OPTION, "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "told = a b" in told.stderr
