"""The waist: a few typed tables between what files say and what is measured. One table a file, listed by the folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import islice
from threading import Lock, RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from diagnostics.registry import registered
from diagnostics.shared_folder import SharedFolder
from diagnostics.table import FEW_ROWS, Table
from diagnostics.table_contents import Contents, Wanted

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from diagnostics.aggregators.aggregator import Aggregator

T = TypeVar("T")

Work = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]
"""What a Python worker of Spark does with some of a table's rows; it may hold them all."""

StoredPart = tuple[SharedFolder, str]
"""A Parquet file of a table: its folder and its name there."""

WORKED_ROWS = 500_000
"""Rows of a batch that such work gets. Our choice: some ten megabytes."""

LISTS_AT_ONCE = 20_000
"""Rows of a batch with lists of texts, which no reader gives as dictionaries. Our choice: stacks take 40 MB."""

WORKED_BATCHES = 4
"""Batches that such work may hold together. Our choice: a file that cannot be cut may have a hundred million rows."""

ROWS_OF_TASK = 200_000
"""Rows that are worth a task of their own: it takes 30 ms of processor time before it reads one. Our choice."""

ROWS_TOGETHER = 2_000_000
"""Rows of a table of whose results a task brings those together that belong together, more where more do. Our choice:
some ten megabytes."""

TABLES: Mapping[str, Table] = dict(registered(sys.modules[__name__], "TABLE"))
"""Every evidence table by name."""


class Evidence:
    """The evidence tables of one analysis, as DataFrames.

    `evidence["event"]` has exactly the columns of `TABLES["event"]`; a kind of evidence that nobody uploaded is an
    empty table of the right type. `rows` tells without a Spark job how many rows a table has.

    frames  table name -> DataFrame, for the tables that have rows
    logs    how many rows of log_record Flink's own processes wrote; all of them when nobody says
    parts   table name -> its Parquet files, where Spark's workers can open them
    for_workers  what makes work such that any worker can do it
    contents  what the columns hold, where it was noted
    states    aggregator's name -> the merged state of all rows, for those whose table has any
    """

    def __init__(
        self,
        spark: SparkSession,
        frames: Mapping[str, DataFrame],
        rows: Mapping[str, int],
        logs: int | None = None,
        parts: Mapping[str, Sequence[StoredPart]] = MappingProxyType({}),
        for_workers: Callable[[Work], Work] = lambda work: work,
        contents: Contents | None = None,
        states: Mapping[str, pa.Table] = MappingProxyType({}),
    ) -> None:
        self.spark = spark
        self._frames = dict(frames)
        self._lock = Lock()
        self.parts = dict(parts)
        self.for_workers = for_workers
        self.rows: Mapping[str, int] = {name: rows.get(name, 0) for name in TABLES}
        self._logs = self.rows["log_record"] if logs is None else logs
        self._contents = contents
        self._states = states
        self._answers: dict[str, Any] = {}
        self._answering = RLock()

    def answer(self, aggregator: Aggregator[T]) -> T:
        """What the evidence answers to an aggregator's question; of no rows it is the answer of the empty state."""
        with self._answering:
            if aggregator.name not in self._answers:
                state = self._states.get(aggregator.name)
                whole = aggregator.merge_states([] if state is None else [state])
                self._answers[aggregator.name] = aggregator.finish(whole)
            answer: T = self._answers[aggregator.name]
            return answer

    def __getitem__(self, name: str) -> DataFrame:
        table = TABLES[name]
        with self._lock:
            if name not in self._frames:
                if self.has(name):
                    raise KeyError(f"the rows of {name} are not kept: ask an aggregator")
                self._frames[name] = self.spark.createDataFrame([], table.spark_schema())
            return self._frames[name]

    def worked(self, name: str, columns: Sequence[str], work: Work, schema: str | StructType) -> DataFrame:
        """What `work` makes of each part of a table, of some of its columns, in Spark's Python workers.

        A stored table is read by the workers themselves: rows that pass through the JVM cost ten times as much as a sum
        over them. Texts may come as dictionaries. Few rows are one task, whose results need no exchange.
        """
        parts = self.parts.get(name)
        if not parts:
            return self[name].select(*columns).mapInArrow(self.for_workers(work), schema)
        types = {each.name: each.type for each in TABLES[name].columns}
        texts = [column for column in columns if types[column] == "string"]
        rows = LISTS_AT_ONCE if "strings" in (types[column] for column in columns) else WORKED_ROWS
        opened = self.for_workers(_on_files(work, parts, columns, texts, rows))
        tasks = min(len(parts), -(-self.rows[name] // ROWS_OF_TASK))
        return self.spark.range(0, len(parts), 1, tasks).mapInArrow(opened, schema)

    def together(
        self, name: str, worked: DataFrame, by: str, merge: Callable[[pa.Table], pa.Table], ddl: str
    ) -> pa.Table:
        """What `merge` makes of the rows that work on a table gave, those with the same `by` together.

        Of a table of few rows it is done here, of all at once; else in Spark's Python workers: then what each of them
        made stands one behind the other.
        """
        rows = self.rows[name]
        if rows <= FEW_ROWS:
            return merge(worked.toArrow())
        tasks = worked.repartition(-(-rows // ROWS_TOGETHER), by)
        return tasks.mapInArrow(self.for_workers(_merging(merge)), ddl).toArrow()

    def has(self, name: str) -> bool:
        """Whether the table has any row."""
        return self.rows[TABLES[name].name] > 0

    def may_have(self, name: str, column: str, wanted: Wanted | None = None) -> bool:
        """Whether any row of the table may have a value in that column, or a wanted one. If not, nobody need ask."""
        return self.has(name) and (self._contents is None or self._contents.may_have(name, column, wanted))

    def has_logs(self) -> bool:
        """Whether a log of Flink's own processes is there: only then does it mean something that a record is not.

        Events of Kubernetes, crash reports of a JVM and RocksDB's log fill log_record too and tell nothing of the rest.
        """
        return self._logs > 0


def _merging(merge: Callable[[pa.Table], pa.Table]) -> Work:
    """`merge` as work on all rows that a task gets."""

    def merging(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        if parts := [batch for batch in batches if batch.num_rows]:
            yield from merge(pa.Table.from_batches(parts)).to_batches()

    return merging


def _on_files(
    work: Work, parts: Sequence[StoredPart], columns: Sequence[str], texts: Sequence[str], rows_at_once: int
) -> Work:
    """`work` on the rows of those files whose numbers it gets, some batches at a time, with `texts` as dictionaries."""

    def opened(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyarrow import parquet

        for batch in numbers:
            for number in batch.column(0).to_pylist():
                folder, file_name = parts[number]
                with parquet.ParquetFile(folder.for_arrow(file_name), read_dictionary=list(texts)) as file:
                    rows = file.iter_batches(rows_at_once, columns=list(columns), use_threads=False)
                    while held := list(islice(rows, WORKED_BATCHES)):
                        yield from work(iter(held))

    return opened


def read_once(read: Callable[[Evidence], T]) -> Callable[[Evidence], T]:
    """`read`, done once for each Evidence and kept as long as that lives; who asks meanwhile waits for it."""
    known: WeakKeyDictionary[Evidence, T] = WeakKeyDictionary()
    reading = Lock()

    @wraps(read)
    def remembered(evidence: Evidence) -> T:
        with reading:
            if evidence not in known:
                known[evidence] = read(evidence)
            return known[evidence]

    return remembered
