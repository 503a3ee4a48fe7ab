"""An evidence table as files: written by many tasks, each its own, and given to the measurements as a DataFrame."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.clock import FileClock
from diagnostics.evidence import TABLES
from diagnostics.format import Rows
from diagnostics.notation.event_kind import kinds_of
from diagnostics.row_batch import row_batch
from diagnostics.spark.client import FEW_ROWS

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

FLUSH_ROWS = 50_000
"""Rows of a table that a task holds before it writes them, about 30 MB. Our choice."""

INLINE_BYTES = 256_000
"""Tables up to this size travel with each query. Our choice: some hundred rows."""


class TableWriter:
    """Writes the rows of one task, one Parquet file for each table.

    The name is the task's number: a task that Spark runs again writes the same file, and it appears only when complete.
    `beyond` counts the values that no column could hold.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._number = number
        self._waiting: dict[str, list[pa.RecordBatch]] = {}
        self._waiting_rows: dict[str, int] = {}
        self._files: dict[str, Any] = {}
        self.beyond = 0

    def add(self, given: Rows, file_id: int, lines_before: int, clock: FileClock | None) -> int:
        """Take rows with line numbers of their range; gives how many there were."""
        batch, beyond = row_batch(given, file_id, lines_before, clock)
        self.beyond += beyond
        if batch.num_rows:
            self._waiting.setdefault(given.table, []).append(batch)
            self._waiting_rows[given.table] = self._waiting_rows.get(given.table, 0) + batch.num_rows
            if self._waiting_rows[given.table] >= FLUSH_ROWS:
                self._flush(given.table)
        return int(batch.num_rows)

    def close(self) -> None:
        """Write what waits and let the files appear."""
        for table in list(self._waiting):
            self._flush(table)
        for table, writer in self._files.items():
            writer.close()
            hidden = self._hidden(table)
            hidden.rename(hidden.with_name(f"part-{self._number:05}.parquet"))

    def _hidden(self, table: str) -> Path:
        return self._folder / table / f".part-{self._number:05}.{os.getpid()}"

    def _flush(self, table: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        schema = TABLES[table].arrow_schema()
        if table not in self._files:
            (self._folder / table).mkdir(exist_ok=True)
            self._files[table] = parquet.ParquetWriter(self._hidden(table), schema, compression="snappy")
        rows = pa.Table.from_batches(self._waiting.pop(table), schema)
        if table == "log_record":
            # Once for all rows: with thousands of small files the asking took longer than the reading.
            rows = rows.combine_chunks()
            rows = rows.set_column(schema.get_field_index("kinds"), "kinds", kinds_of(rows))
        self._files[table].write_table(rows)
        self._waiting_rows[table] = 0


def table_frame(spark: SparkSession, folder: Path, name: str, rows: int) -> DataFrame:
    """The rows of a table: in the plan itself where they are few, which saves Spark finding and opening files."""
    inline = _few_rows(folder / name, TABLES[name].arrow_schema())
    if inline is not None:
        return spark.createDataFrame(inline, TABLES[name].spark_schema()).coalesce(1)
    # A path without scheme is one of HDFS on many clusters.
    stored = spark.read.schema(TABLES[name].ddl).parquet(f"file://{folder / name}")
    return stored.coalesce(1) if rows <= FEW_ROWS else stored


def _few_rows(folder: Path, schema: pa.Schema) -> pa.Table | None:
    """All rows of a table, None when they are more than INLINE_BYTES."""
    import pyarrow as pa
    from pyarrow import parquet

    parts = sorted(folder.glob("part-*.parquet"))
    if sum(part.stat().st_size for part in parts) > INLINE_BYTES:
        return None
    rows = pa.concat_tables([parquet.read_table(part, schema=schema) for part in parts])
    return rows if rows.nbytes <= INLINE_BYTES else None
