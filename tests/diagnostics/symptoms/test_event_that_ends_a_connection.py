"""A change stream that cannot use an event names the table, not the connection that ended with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.diagnostics.written_log import GRAPH, diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FAILED = "Source: orders (1/2) (aa_bb_0_0) switched from RUNNING to FAILED on tm-1 @ host (dataPort=1).\n"
ENDED = (
    "java.lang.RuntimeException: One or more fetchers have encountered exception\n"
    "\tat org.apache.flink.connector.base.source.reader.fetcher.SplitFetcherManager.checkErrors(A.java:1)\n"
    "Caused by: io.debezium.DebeziumException: Failed to deserialize data of EventHeaderV4{eventType=EXT_WRITE_ROWS}\n"
    "\tat io.debezium.connector.mysql.MySqlStreamingChangeEventSource.wrap(A.java:1)\n"
    "Caused by: java.io.EOFException\n"
    "\tat com.github.shyiko.mysql.binlog.io.ByteArrayInputStream.read(A.java:1)\n"
)
READER = "io.debezium.connector.mysql.MySqlStreamingChangeEventSource"
UNKNOWN_TABLE = (
    "Encountered change event 'Event{header=EventHeaderV4}' at offset {file=b.3, pos=7} for table shop.orders"
    " whose schema isn't known to this connector. One possible cause is an incomplete database history topic."
)


def first_step(spark: SparkSession, folder: Path, *lines: str) -> str:
    document = diagnosed(spark, folder, log=jobmanager_log(*lines)).document
    return str(document["findings"][0]["first_step"])


def test_an_error_before_the_end_that_names_the_table_counts(spark: SparkSession, tmp_path: Path) -> None:
    error = line(29, READER, UNKNOWN_TABLE, "ERROR")
    assert "scan.newly-added-table.enabled" in first_step(spark, tmp_path, error, line(30, GRAPH, FAILED + ENDED))


def test_an_end_alone_is_one_of_the_connection(spark: SparkSession, tmp_path: Path) -> None:
    assert "net_write_timeout" in first_step(spark, tmp_path, line(30, GRAPH, FAILED + ENDED))
