"""The state backend that the log shows to be loaded counts before that of a file, and the contradiction is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.diagnostics.written_log import diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

LOADER = "org.apache.flink.runtime.state.StateBackendLoader"
FILE = "jobmanager.rpc.address: jm\ntaskmanager.numberOfTaskSlots: 2\nexecution.checkpointing.interval: 10s\n"


def facts(spark: SparkSession, folder: Path, said: str, backend: str) -> dict[str, Any]:
    log = jobmanager_log(line(3, LOADER, said))
    report = diagnosed(spark, folder, log=log, conf=f"{FILE}state.backend.type: {backend}\n")
    return dict(next(each for each in report.signals if each["key"] == "settings")["facts"])


@pytest.mark.parametrize(
    ("said", "stated", "loaded", "unused"),
    [
        ("State backend loader loads the state backend as HashMapStateBackend", "rocksdb", "hashmap", True),
        ("Using application-defined state backend: a.EmbeddedRocksDBStateBackend@1f", "hashmap", "rocksdb", True),
        ("State backend is set to heap memory (checkpoint to JobManager)", "rocksdb", "hashmap", True),
        ("State backend loader loads the state backend as EmbeddedRocksDBStateBackend", "rocksdb", "rocksdb", False),
    ],
)
def test_the_log_counts_before_the_file(
    spark: SparkSession, tmp_path: Path, said: str, stated: str, loaded: str, unused: bool
) -> None:
    found = facts(spark, tmp_path, said, stated)
    assert found["state_backend"] == loaded
    assert found.get("unused_backend") == (f"state.backend.type: {stated}" if unused else None)
