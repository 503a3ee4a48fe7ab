"""A large case gives way to small ones: it leaves slots of Spark free, has a lower priority, and reads the same."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics.aggregators import incident_records
from diagnostics.errors import AnalysisInterrupted
from diagnostics.intake import SourceFile, unpack
from diagnostics.reading import ranges, spark_job
from diagnostics.reading.case import FileChoices
from diagnostics.reading.spark_job import read_evidence, run_in_turns, task_count
from diagnostics.reading.task import BEHIND, read_group_behind
from diagnostics.spark.server import has_spare_slots, with_spare_slots
from diagnostics.storage.shared_folder import SharedFolder

CORES = os.cpu_count() or 1
RECORD = "2026-11-21 01:31:{second:02},633 WARN  com.acme.Sink [] - write {number} failed\n"
TASKS = 5 * CORES


class Noting(SharedFolder):
    """A run's folder that notes the niceness with which it is asked for."""

    def exists(self) -> bool:
        niceness.append(own_niceness())
        return True


niceness: list[int] = []


def own_niceness() -> int:
    """Of this thread: Linux keeps it by thread."""
    return os.getpriority(os.PRIO_PROCESS, 0)


def numbered(numbers: range) -> pa.Table:
    return pa.table({"number": list(numbers)})


def test_a_task_of_a_large_case_is_behind_others_and_the_next_one_is_not() -> None:
    usual = own_niceness()
    niceness.clear()
    assert list(read_group_behind([], Noting("/"), 0))
    assert set(niceness) == {usual + BEHIND}
    assert own_niceness() == usual


def test_a_large_case_has_one_task_for_each_core_at_the_same_time() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def job(numbers: range) -> pa.Table:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return numbered(numbers)

    told: list[tuple[int, int]] = []
    read = run_in_turns(job, TASKS, lambda done, total: told.append((done, total)))
    assert read.column("number").to_pylist() == list(range(TASKS))
    assert most == CORES
    assert told == [(done, TASKS) for done in range(1, TASKS + 1)]


def test_a_large_case_that_is_cancelled_begins_no_further_task() -> None:
    begun: list[int] = []

    def job(numbers: range) -> pa.Table:
        begun.append(numbers.start)
        time.sleep(0.05)
        return numbered(numbers)

    def cancel(done: int, total: int) -> None:
        raise AnalysisInterrupted("no longer wanted")

    with pytest.raises(AnalysisInterrupted):
        run_in_turns(job, TASKS, cancel)
    assert len(begun) <= 3 * CORES


def test_a_server_for_several_analyses_has_slots_that_a_large_case_leaves_free() -> None:
    assert has_spare_slots(with_spare_slots())
    assert not any(map(has_spare_slots, ("local[*]", "local", f"local[{CORES}]", "spark://host:7077", "yarn", "")))


def test_tasks_that_are_jobs_of_their_own_are_fewer_and_larger() -> None:
    assert task_count(500 * 1024**2, in_turns=False) == max(15, 2 * CORES)
    assert task_count(500 * 1024**2, in_turns=True) == max(7, 2 * CORES)


@pytest.mark.spark
def test_a_large_case_is_read_as_any_other(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "tm.log"
    log.write_text("".join(RECORD.format(second=each % 60, number=each) for each in range(60)))
    monkeypatch.setattr(ranges, "RANGE_BYTES", 500)

    def read() -> tuple[list[dict[str, object]], list[dict[str, object]], list[str]]:
        told: list[str] = []
        intake = unpack([SourceFile(log, log.name)], tmp_path)
        evidence, inputs = read_evidence(intake, spark, tmp_path, lambda _, detail: told.append(detail), FileChoices())
        return evidence.answer(incident_records.AGGREGATOR).to_pylist(), inputs, told

    records, inputs, _ = read()
    monkeypatch.setattr(spark_job, "LARGE_BYTES", 0)
    monkeypatch.setattr(spark_job, "has_spare_slots", lambda master: True)
    in_turns = read()
    assert in_turns[:2] == (records, inputs)
    assert in_turns[2] == [f"{done} of {2 * CORES} Spark tasks" for done in range(1, 2 * CORES + 1)]
