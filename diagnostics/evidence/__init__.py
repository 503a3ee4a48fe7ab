"""The waist: a few typed tables between what files say and what is measured. One table a file, listed by the folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from diagnostics.registry import registered
from diagnostics.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")

TABLES: Mapping[str, Table] = dict(registered(sys.modules[__name__], "TABLE"))
"""Every evidence table by name."""


class Evidence:
    """The evidence tables of one analysis, as DataFrames.

    `evidence["checkpoint"]` has exactly the columns of `TABLES["checkpoint"]`; a kind of evidence that nobody uploaded
    is an empty table of the right type. `rows` tells without a Spark job how many rows a table has.

    frames  table name -> DataFrame, for the tables that have rows
    logs    how many rows of log_record Flink's own processes wrote; all of them when nobody says
    """

    def __init__(
        self, spark: SparkSession, frames: Mapping[str, DataFrame], rows: Mapping[str, int], logs: int | None = None
    ) -> None:
        self.spark = spark
        self._frames = dict(frames)
        self._lock = Lock()
        self.rows: Mapping[str, int] = {name: rows.get(name, 0) for name in TABLES}
        self._logs = self.rows["log_record"] if logs is None else logs

    def __getitem__(self, name: str) -> DataFrame:
        table = TABLES[name]
        with self._lock:
            if name not in self._frames:
                self._frames[name] = self.spark.createDataFrame([], table.spark_schema())
            return self._frames[name]

    def has(self, name: str) -> bool:
        """Whether the table has any row."""
        return self.rows[TABLES[name].name] > 0

    def has_logs(self) -> bool:
        """Whether a log of Flink's own processes is there: only then does it mean something that a record is not.

        Events of Kubernetes, crash reports of a JVM and RocksDB's log fill log_record too and tell nothing of the rest.
        """
        return self._logs > 0


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
