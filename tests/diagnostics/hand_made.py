"""Evidence from rows written by hand: only the columns that matter, the rest is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from diagnostics.evidence import TABLES, Evidence
from diagnostics.notation.event_kind import kinds_of
from diagnostics.reading.reduction import reduce_tables
from diagnostics.reading.stored_table import STORED_TABLES
from diagnostics.signal import Measured, NotMeasured, Signal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOB = "0000000000000000000000000000000a"
SOURCE, MIDDLE, SINK = (f"{number:032x}" for number in (1, 2, 3))
START = 1_795_222_000_000
"""Some moment; times in the rows count from it."""


def hand_made(spark: SparkSession | None, logs: int | None = None, **tables: Sequence[Mapping[str, Any]]) -> Evidence:
    """Evidence with these rows; every row stands in file 0 at its own line unless it says otherwise.

    spark  None where no table is stored, so that nothing is asked of Spark
    logs  how many of the log records are Flink's own; all when nothing is said
    """
    frames, read_tables = {}, {}
    for name, rows in tables.items():
        table = TABLES[name]
        whole = [{"file_id": 0, "line": line, "last_line": line, **row} for line, row in enumerate(rows, 1)]
        read = pa.Table.from_pylist(whole, schema=table.arrow_schema())
        if name == "log_record":
            kinds = [kinds_of(batch) for batch in read.to_batches()]
            read = read.set_column(read.schema.get_field_index("kinds"), "kinds", pa.chunked_array(kinds, pa.string()))
        read_tables[name] = read
        if name in STORED_TABLES:
            frames[name] = spark.createDataFrame(read, table.spark_schema())
    rows = {name: len(rows) for name, rows in tables.items()}
    return Evidence(spark, frames, rows, logs, states=reduce_tables(read_tables))


def of_key(measured: Measured, key: str) -> list[Signal]:
    """The signals with that key."""
    return [each for each in measured if isinstance(each, Signal) and each.key == key]


def only(measured: Measured, key: str) -> Signal:
    """The one signal with that key."""
    found = of_key(measured, key)
    assert len(found) == 1, found
    return found[0]


def needs(measured: Iterable[Signal | NotMeasured]) -> dict[str, str]:
    """What could not be measured and which evidence would allow it."""
    return {each.key: each.needs for each in measured if isinstance(each, NotMeasured)}


def line_of_jobs() -> dict[str, list[dict[str, Any]]]:
    """A job of three tasks in a row: source, middle, sink; two subtasks each."""
    names = {SOURCE: "Source: orders", MIDDLE: "enrich", SINK: "Sink: documents"}
    return {
        "job": [{"job_id": JOB, "name": "orders", "state": "RUNNING", "start_ms": START, "ts_ms": START + 300_000}],
        "vertex": [
            {"job_id": JOB, "vertex_id": vertex, "name": name, "parallelism": 2} for vertex, name in names.items()
        ],
        "edge": [
            {"job_id": JOB, "source_id": SOURCE, "target_id": MIDDLE, "ship_strategy": "REBALANCE"},
            {"job_id": JOB, "source_id": MIDDLE, "target_id": SINK, "ship_strategy": "HASH"},
        ],
    }
