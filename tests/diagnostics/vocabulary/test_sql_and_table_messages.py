"""Chains of exceptions of SQL, formats, PyFlink, lake tables and warehouses: the class that leads, and the repair."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.vocabulary.setting_faults import setting_fault_of
from tests.diagnostics.vocabulary.test_known_failures import shown_by

SQL = "org.apache.flink.table.api."
CHAINS = [
    (
        f"{SQL}TableException: Processing time Window Join is not supported yet.",
        "user_code",
        "WATERMARK FOR ts",
    ),
    (
        f"{SQL}TableException: Table sink 'hive.flink.s' doesn't support consuming update changes which is produced by "
        "node GroupAggregate(groupBy=[window_end, event_type], select=[window_end, COUNT(*) AS cnt])",
        "user_code",
        "window_start, window_end both",
    ),
    (
        f"{SQL}ValidationException: Field names must be unique. Found duplicates: [$3]",
        "user_code",
        "Flink 1.17 or later",
    ),
    (
        'org.apache.calcite.sql.parser.SqlParseException: Encountered "method" at line 1, column 63.',
        "user_code",
        "backticks",
    ),
    (
        f"{SQL}ValidationException: Could not find any factory for identifier 'elasticsearch-7' that implements "
        "'org.apache.flink.table.factories.DynamicTableSourceFactory' in the classpath.",
        "user_code",
        "no source",
    ),
    (
        "ERROR: Cannot install apache-flink==1.19.0 and numpy==1.26.4 because these package versions have conflicting "
        "dependencies.",
        "user_code",
        "Leave out of the requirements",
    ),
    (
        f"{SQL}ValidationException: Temporal Table Join requires time attribute in the left table, but no time "
        "attribute found.",
        "user_code",
        "PROCTIME()",
    ),
    (
        f"{SQL}TableException: Processing-time temporal join is not supported yet.",
        "user_code",
        "join in event time",
    ),
    (
        f"{SQL}TableException: OVER windows' ordering in stream mode must be defined on a time attribute.",
        "user_code",
        "rownum <= N",
    ),
    (
        f"{SQL}ValidationException: SQL validation failed. The window function requires the timecol is a time "
        "attribute type, but is TIMESTAMP(3).",
        "user_code",
        "WATERMARK FOR ts",
    ),
    (
        f"{SQL}TableException: StreamPhysicalWindowAggregate doesn't support consuming update and delete changes "
        "which is produced by node TableSourceScan",
        "user_code",
        "Flink 1.19",
    ),
    (
        f"{SQL}TableException: Table sink 'default_catalog.default_database.Unregistered_DataStream_Sink_1' doesn't "
        "support consuming update changes",
        "user_code",
        "toChangelogStream",
    ),
    (
        f"{SQL}ValidationException: SQL validation failed. Could not extract a valid type inference for function "
        f"class 'Split'.\n{SQL}ValidationException: Could not extract a data type from 'class java.lang.Object'",
        "user_code",
        "@FunctionHint",
    ),
    (
        'java.io.IOException: Failed to deserialize JSON.\njava.lang.IllegalStateException: The "before" field of '
        "UPDATE message is null",
        "user_code",
        "REPLICA IDENTITY FULL",
    ),
    (
        "java.lang.RuntimeException: file:/data/a.parquet is not a Parquet file. expected magic number at tail",
        "user_code",
        "in-progress",
    ),
    (
        f"{SQL}ValidationException: 'upsert-kafka' connector doesn't support 'debezium-json' as value format, "
        "because 'debezium-json' is not in insert-only mode.",
        "user_code",
        "'connector' = 'kafka'",
    ),
    ("TypeError: 'JavaPackage' object is not callable", "user_code", "add_jars"),
    ("TypeError: cannot pickle '_thread.lock' object", "user_code", "open()"),
    (
        "java.lang.IllegalStateException: In UPSERT mode, partition field 'dt' should be included in equality "
        "fields: '[id]'",
        "misconfiguration",
        "PRIMARY KEY",
    ),
    (
        "java.lang.UnsupportedOperationException: Found overwrite operation, cannot support incremental data in "
        "snapshots (1, 2]",
        "misconfiguration",
        "streaming read of Iceberg",
    ),
    (
        "java.lang.IllegalArgumentException: Partial update can not accept delete records. Partial delete is not "
        "supported!",
        "misconfiguration",
        "'ignore-delete' = 'true'",
    ),
    (
        "java.lang.RuntimeException: Paimon Catalog only supports paimon tables, but you specify  'connector'= 'kafka'",
        "misconfiguration",
        "TEMPORARY TABLE",
    ),
    (
        "com.starrocks.data.load.stream.exception.StreamLoadFailException: Could not get expected load state because "
        "of timeout, db: d, table: t",
        "outside_system",
        "sink.publish-timeout.ms",
    ),
    (
        "java.lang.IllegalArgumentException: Flink columns size not equal StarRocks columns",
        "user_code",
        "partial_update",
    ),
    (
        "org.apache.doris.flink.exception.DorisRuntimeException: Commit failed, errCode = 2, detailMessage = "
        "transaction [19650] not found",
        "outside_system",
        "streaming_label_keep_max_second",
    ),
    (
        "java.lang.RuntimeException: Unable to establish connection: Port 9000 is for clickhouse-client program",
        "misconfiguration",
        "8123",
    ),
]


@pytest.mark.parametrize(("chain", "symptom_class", "named"), CHAINS)
def test_a_chain_has_its_class_and_its_repair(chain: str, symptom_class: str, named: str) -> None:
    assert (shown_by(chain), named in (remedy_of(chain) or "")) == (symptom_class, True)


@pytest.mark.parametrize(
    "wrapper",
    [
        "Unable to create a sink for writing table 'default_catalog.default_database.t'.",
        "Unable to create catalog 'c'.",
    ],
)
def test_a_wrapper_whose_cause_is_cut_off_says_what_to_look_for(wrapper: str) -> None:
    line = f"{SQL}ValidationException: {wrapper}"
    cause = f"{SQL}ValidationException: Could not find any factory for identifier 'kafka'"
    alone, whole = setting_fault_of(line), setting_fault_of(f"{line}\n{cause}")
    assert alone is not None
    assert "Caused by:" in alone.remedy
    assert whole is not None
    assert "Caused by:" not in whole.remedy
