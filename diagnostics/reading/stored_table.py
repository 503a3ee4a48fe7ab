"""An evidence table as files: written by many tasks, each its own, and given to the measurements as a DataFrame."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from diagnostics.clock import FileClock
from diagnostics.errors import SparkUnavailable
from diagnostics.evidence import TABLES, StoredPart
from diagnostics.format import Rows
from diagnostics.notation.event_kind import kinds_of
from diagnostics.reading.reduction import Reduction
from diagnostics.row_batch import row_batch
from diagnostics.shared_folder import SharedFolder, reason_of
from diagnostics.table import FEW_ROWS
from diagnostics.table_contents import Contents

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

STORED_TABLES = frozenset(TABLES) - {
    "back_pressure",
    "checkpoint",
    "config_option",
    "consumer_position",
    "edge",
    "event",
    "failure",
    "gc_pause",
    "host_sample",
    "job",
    "log_count",
    "log_record",
    "metric_sample",
    "slow_query",
    "stack_sample",
    "subtask",
    "subtask_checkpoint",
    "task_manager",
    "tcp_sample",
    "vertex",
}
"""Tables that a measurement still asks by queries; the rows of the others are reduced and not kept."""

EVIDENCE = "evidence"
"""The folder of the tables in that of a run."""

FLUSH_BYTES = 32 * 1024**2
"""Rows of a table that a task holds before it reduces and writes them: 50,000 records of a log, ten times as many
events. Our choice."""

PAGE_ROWS = 4_000
"""Rows of a page, the least that is read of a column where its index says that nothing else can be asked for. Our
choice."""

INLINE_BYTES = 256_000
"""Tables up to this size travel with each query. Our choice: some hundred rows."""


class TableWriter:
    """Reduces the rows of one task, and writes those of the stored tables, one Parquet file for each table.

    The name is the task's number: a task that Spark runs again writes the same file. All appear, complete, when the
    block of the writer ends, and none does where it raises.
    `beyond` counts the values that no column could hold; `contents` tells what the rows hold; `reduction` has the
    states of the aggregators.
    """

    def __init__(self, folder: SharedFolder, number: int) -> None:
        self._folder = folder
        self._name = f"part-{number:05}.parquet"
        self._waiting: dict[str, list[pa.RecordBatch]] = {}
        self._waiting_bytes: dict[str, int] = {}
        self._files: dict[str, tuple[Path, Any]] = {}
        self.beyond = 0
        self.contents = Contents()
        self.reduction = Reduction()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: TracebackType | BaseException | None) -> None:
        try:
            if kind is None:
                self._publish()
        finally:
            for draft, writer in self._files.values():
                writer.close()
                draft.unlink(missing_ok=True)

    def add(self, given: Rows, file_id: int, lines_before: int, clock: FileClock | None) -> int:
        """Take rows with line numbers of their range; gives how many there were."""
        batch, beyond = row_batch(given, file_id, lines_before, clock)
        self.beyond += beyond
        if batch.num_rows:
            self._waiting.setdefault(given.table, []).append(batch)
            self._waiting_bytes[given.table] = self._waiting_bytes.get(given.table, 0) + batch.nbytes
            if self._waiting_bytes[given.table] >= FLUSH_BYTES:
                self._flush(given.table)
        return int(batch.num_rows)

    def _publish(self) -> None:
        """Write what waits and let the files appear."""
        for table in list(self._waiting):
            self._flush(table)
        for table, (draft, writer) in self._files.items():
            writer.close()
            (self._folder / table).publish(draft, self._name)

    def _flush(self, table: str) -> None:
        import pyarrow as pa

        rows = pa.Table.from_batches(self._waiting.pop(table), TABLES[table].arrow_schema())
        self._waiting_bytes[table] = 0
        if table == "log_record":
            # Once for all rows: with thousands of small files the asking took longer than the reading.
            rows = rows.combine_chunks()
            rows = rows.set_column(rows.schema.get_field_index("kinds"), "kinds", kinds_of(rows))
        self.contents.add_rows(TABLES[table], rows)
        self.reduction.add_rows(table, rows)
        if table in STORED_TABLES:
            self._file(table).write_table(rows)

    def _file(self, table: str) -> Any:
        from pyarrow import parquet

        if table not in self._files:
            draft = (self._folder / table).draft(self._name)
            writer = parquet.ParquetWriter(
                draft,
                TABLES[table].arrow_schema(),
                compression="snappy",
                write_page_index=True,
                max_rows_per_page=PAGE_ROWS,
            )
            self._files[table] = (draft, writer)
        return self._files[table][1]


def table_frame(spark: SparkSession, folder: SharedFolder, name: str, rows: int) -> DataFrame:
    """The rows of a table: in the plan itself where they are few, which saves Spark finding and opening files.

    Raises  SparkUnavailable when they are many and Spark itself does not reach the storage.
    """
    inline = _few_rows(folder / name, TABLES[name].arrow_schema())
    if inline is not None:
        return spark.createDataFrame(inline, TABLES[name].spark_schema()).coalesce(1)
    stored = spark.read.schema(TABLES[name].ddl).parquet((folder / name).url)
    if not folder.is_path:
        _refuse_unread(stored, folder)
    return stored.coalesce(1) if rows <= FEW_ROWS else stored


def _refuse_unread(stored: DataFrame, folder: SharedFolder) -> None:
    """Once here, and not as a hundred measurements that fail."""
    try:
        stored.schema  # noqa: B018 - Spark looks for the files to answer this
    except Exception as error:
        raise SparkUnavailable(
            f"Spark itself does not read {folder.location}: {reason_of(error)} "
            "(the operations guide says what each kind of storage needs)"
        ) from error


def stored_parts(folder: SharedFolder, name: str) -> list[StoredPart]:
    """The files of a table."""
    return [(folder / name, part.name) for part in (folder / name).files()]


def _few_rows(folder: SharedFolder, schema: pa.Schema) -> pa.Table | None:
    """All rows of a table, None when they are more than INLINE_BYTES."""
    import pyarrow as pa
    from pyarrow import parquet

    parts = folder.files()
    if sum(part.bytes for part in parts) > INLINE_BYTES:
        return None
    rows = pa.concat_tables([parquet.read_table(folder.for_arrow(part.name), schema=schema) for part in parts])
    return rows if rows.nbytes <= INLINE_BYTES else None
