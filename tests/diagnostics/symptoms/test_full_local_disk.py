"""The disk of RocksDB's own folder is full, by the records that a real Flink 2.3.0 logged of it."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from tests.diagnostics.written_log import GRAPH, JOB, diagnosed, jobmanager_log, line

FULL = "While appending to file: /data/job_op_KeyedProcessOperator__1_2__uuid/db/0000{}.sst: No space left on device"
MANAGER = "org.apache.flink.runtime.checkpoint.CheckpointFailureManager"
TASK = "Totals per driver (1/2) (6df7d11b_8eeed16b_0_{}) switched from RUNNING to FAILED on tm-1:40001-a1b2c3 @ tm-1."
PUT = "\norg.rocksdb.RocksDBException: {}\n\tat org.rocksdb.RocksDB.put(Native Method)"
DECLINED = (
    f"Failed to trigger or complete checkpoint {{}} for job {JOB}. (0 consecutive failed attempts so far)\n"
    "org.apache.flink.runtime.checkpoint.CheckpointException: Could not complete snapshot {} for operator Totals per "
    "driver (1/2)#1. Failure reason: Checkpoint was declined.\n"
    "Caused by: org.rocksdb.RocksDBException: {}\n"
    "\tat org.rocksdb.Checkpoint.createCheckpoint(Native Method)"
)


def declined(second: int, number: int) -> str:
    return line(second, MANAGER, DECLINED.format(number, number, FULL.format(number)), "WARN")


def failed(second: int, attempt: int) -> str:
    return line(second, GRAPH, TASK.format(attempt) + PUT.format(FULL.format(10 + attempt)))


def test_tasks_and_snapshots_that_fail_for_one_disk_have_one_cause(spark: SparkSession, tmp_path: Path) -> None:
    log = jobmanager_log(failed(30, 0), declined(34, 4), failed(36, 1), declined(40, 5), declined(46, 6))

    document = diagnosed(spark, tmp_path, log=log).document

    assert document["verdict"]["symptom_class"] == "resource_shortage"
    assert not [each for each in document["findings"] if each["symptom_class"] == "checkpoint_declined"]


def test_the_checkpoint_storage_is_not_blamed_for_the_disk_of_a_task_manager(
    spark: SparkSession, tmp_path: Path
) -> None:
    document = diagnosed(
        spark, tmp_path, log=jobmanager_log(declined(34, 4), declined(40, 5), declined(46, 6))
    ).document

    assert document["findings"][0]["rule"]["id"] == "declined.local-disk"
