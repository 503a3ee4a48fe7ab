"""The JARs that a log prints behind frames reach the diagnosis: Flink's known bugs, and a connector to upgrade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.diagnostics.written_log import GRAPH, diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FAILED = "write (1/2) (aa_bb_0_0) switched from RUNNING to FAILED on tm-1 @ host (dataPort=1).\n"
CHAIN = (
    "java.lang.NullPointerException: null\n"
    "\tat java.util.Objects.requireNonNull(Objects.java:1) ~[?:?]\n"
    "\tat org.apache.paimon.io.Columns.read(Columns.java:5) ~[paimon-flink-1.17-0.5.0.jar:0.5.0]\n"
    "\tat org.apache.paimon.flink.sink.Write.go(Write.java:5) ~[paimon-flink-1.17-0.5.0.jar:0.5.0]\n"
)


def test_the_connector_of_the_frames_is_upgraded_from_its_release(spark: SparkSession, tmp_path: Path) -> None:
    log = jobmanager_log(line(30, GRAPH, FAILED + CHAIN), line(90, GRAPH, FAILED + CHAIN))
    finding = diagnosed(spark, tmp_path, log=log).document["findings"][0]
    assert "Upgrade paimon-flink 0.5.0, which runs here, to paimon-flink-1.17-2.0.0" in finding["first_step"]
