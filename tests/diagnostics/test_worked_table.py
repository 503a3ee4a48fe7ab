"""Work on a stored table, where Spark's workers open its files themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark import TaskContext
from pyspark.sql import SparkSession

from diagnostics.evidence import WORKED_BATCHES, WORKED_ROWS, Evidence
from diagnostics.shared_folder import SharedFolder
from diagnostics.table import FEW_ROWS

MOST_HELD = WORKED_BATCHES * WORKED_ROWS


def _held(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_pydict({"rows": pa.array([rows])})


def _told_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        context = TaskContext.get()
        assert context is not None
        yield pa.RecordBatch.from_pydict({"task": pa.array([context.partitionId()] * batch.num_rows)})


@pytest.mark.spark
@pytest.mark.parametrize(("rows", "tasks"), [(FEW_ROWS, {0}), (FEW_ROWS + 1, {0, 1})])
def test_the_files_of_a_table_with_few_rows_are_one_task(
    spark: SparkSession, tmp_path: Path, rows: int, tasks: set[int]
) -> None:
    folder = SharedFolder.at(tmp_path)
    for name in ("a.parquet", "b.parquet"):
        parquet.write_table(pa.table({"event_ms": [1]}), tmp_path / name)
    evidence = Evidence(spark, {}, {"event": rows}, parts={"event": [(folder, "a.parquet"), (folder, "b.parquet")]})
    told = evidence.worked("event", ["event_ms"], _told_task, "task BIGINT").collect()
    assert {row["task"] for row in told} == tasks


@pytest.mark.spark
def test_work_holds_a_bounded_part_of_a_file_that_was_read_in_one_piece(spark: SparkSession, tmp_path: Path) -> None:
    times = pa.nulls(MOST_HELD + 1, pa.int64())
    parquet.write_table(pa.table({"event_ms": times}), tmp_path / "part.parquet")
    parts = {"event": [(SharedFolder.at(tmp_path), "part.parquet")]}
    evidence = Evidence(spark, {}, {"event": MOST_HELD + 1}, parts=parts)
    told = evidence.worked("event", ["event_ms"], _held, "rows BIGINT").collect()
    assert [row["rows"] for row in told] == [MOST_HELD, 1]
