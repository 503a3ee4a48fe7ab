"""The same diagnosis on a Spark cluster of several processes, also when one of them is killed in the middle."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.analyze import Progress, Report, analyze
from diagnostics.errors import SparkUnavailable
from diagnostics.formats import FORMATS
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.reading.far_workers import shipped_to_workers
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark.java import REFUSED_OPTION, home_for_launchers
from diagnostics.spark.ports import free_port
from diagnostics.spark_service.cluster import StandaloneCluster, on_a_cluster
from diagnostics.storage.shared_folder import SharedFolder, run_folder

TASK_MANAGER_LOG = Path(__file__).resolve().parents[2] / "hostile" / "taskmanager.log"
KINDS = ("gc-log", "flink-rest-checkpoints")


def evidence_in(folder: Path) -> list[SourceFile]:
    """A real log and samples of other kinds: every way that rows go, and few queries."""
    folder.mkdir()
    shutil.copy(TASK_MANAGER_LOG, folder)
    for kind in KINDS:
        sample = FORMATS[kind].samples[0]
        (folder / Path(sample.name).name).write_bytes(sample.content)
    return [SourceFile(each, each.name) for each in sorted(folder.iterdir())]


def diagnosed(session: SparkSession, workspace: Path, shared: SharedFolder | None = None) -> Report:
    """With a shared folder the workspace is away before a worker begins."""
    workspace.mkdir()
    sources = evidence_in(workspace / "given")

    def hide(progress: Progress) -> None:
        if progress.detail.startswith(f"{len(sources)} of {len(sources)} files sent"):
            workspace.rename(workspace.with_name("away"))

    rules = Ruleset.of(shipped_rules())
    return analyze(Case(sources), ruleset=rules, spark=session, workspace=workspace, shared=shared, progress=hide)


def without_timing(report: Report) -> dict[str, Any]:
    document = {name: value for name, value in report.document.items() if name != "timing"}
    return {"document": document, "signals": report.signals, "charts": report.charts, "warnings": report.warnings}


def kill_a_worker_that_reads(cluster: StandaloneCluster, files: Path, killed: list[int]) -> None:
    """Once it has files to read and Python to read them: a worker and its executor, at once and without warning."""
    worker = psutil.Process(cluster.worker_pid(0))
    for _ in range(6_000):
        below = worker.children(recursive=True) if any(files.glob("*")) else []
        if any("python" in process.name() for process in below):
            for process in [worker, *below]:
                killed.append(process.pid)
                process.kill()
            return
        time.sleep(0.01)


@pytest.mark.spark
def test_a_case_on_a_cluster_that_sees_a_url_only_and_loses_a_worker_gets_the_document_of_a_single_machine(
    spark: SparkSession, tmp_path: Path
) -> None:
    alone = diagnosed(spark, tmp_path / "alone")
    killed: list[int] = []
    storage = tmp_path / "storage"
    storage.mkdir()
    with (
        (tmp_path / "cluster.log").open("wb") as log,
        on_a_cluster(free_port(), output=log, shares_code=False) as (
            cluster,
            server,
        ),
        engine.KeptSession(server.remote) as kept,
    ):
        away = SharedFolder("/not-mounted")
        with pytest.raises(SparkUnavailable, match="Spark's workers cannot use /not-mounted: it is not there"):
            kept.run(lambda session: shipped_to_workers(session, away), tag="refused")
        killer = threading.Thread(target=kill_a_worker_that_reads, args=(cluster, storage / "run" / "files", killed))
        killer.start()
        with run_folder(storage.as_uri(), "run") as shared:
            report = kept.run(lambda session: diagnosed(session, tmp_path / "driver", shared), tag="diagnosed")
        killer.join()
        assert cluster.ended is not None
    assert (tmp_path / "away").is_dir()
    assert list(storage.iterdir()) == []
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


def test_the_java_of_executors_has_the_library_by_which_hdfs_is_reached(tmp_path: Path) -> None:
    assert (home_for_launchers(tmp_path / "java") / "lib" / "server" / "libjvm.so").is_file()


def test_a_master_whose_port_is_taken_is_said_at_once(tmp_path: Path) -> None:
    """It never moves to another port, where no worker would look for it."""
    with (tmp_path / "cluster.log").open("wb") as log:
        cluster = StandaloneCluster(output=log)
        taken = int(cluster.master.rpartition(":")[2])
        try:
            with socket.create_server(("127.0.0.1", taken)), pytest.raises(SparkUnavailable, match="ended at once"):
                cluster.start()
        finally:
            cluster.stop()
