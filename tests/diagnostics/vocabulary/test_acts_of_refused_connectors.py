"""What sources and sinks refuse, by the sentence of their own sources."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of

SLOT = (
    "Value restart_lsn in the pg_replication_slots table for slot = 'flink_orders', plugin = 'pgoutput', database = 'a'"
    " is not valid. This is an abnormal situation and the database status should be checked."
)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("assigner under NEWLY_ADDED_ASSIGNING state can not call startAssignNewlyTables()", "former list of tables"),
        (SLOT, "pg_drop_replication_slot('flink_orders')"),
        ("java.sql.SQLException: Cannot connect to a version of Postgres lower than 9.4", "9.4 or newer"),
        ("Unable to convert multidimensional array value 'a' to a flat array.", "column.exclude.list"),
        ("io.debezium.DebeziumException: Could not load keystore", "debezium.database.ssl.keystore"),
        ("ParseException: Only select statements can be parsed.", "AS total"),
        ("ParseException: Unsupported data type cast: DATE", "TIMESTAMP only"),
        ("partition.key is malformed, please refer to the documents", "db.table:column"),
        ("Cannot use setTopics for consumption because a TopicList is already set for consumption.", "setTopicPattern"),
        ("The record serializer does not expose a static list of target topics.", "INCREMENTING"),
        ("java.lang.IllegalArgumentException: Deserializer class a.B not found", "setValueOnlyDeserializer"),
        ("Cannot set sink.partitioner option for a table defined with a PARTITIONED BY clause", "'sink.partitioner'"),
        ("java.lang.RuntimeException: Index suffix field ts is null", "COALESCE(ts"),
        ("java.lang.RuntimeException: Index suffix field ts is null", "'index' = '…{ts}'"),
        ("Unsupported type BOOLEAN of index field, Supported types are: [STRING]", "CAST(flag AS STRING)"),
        ("exceeded the multi-table transaction write-block threshold (10 bytes).", "multi-table.buffer-size"),
        ("All regions in a multi-table commit must share the same database. Found", "one sink for each"),
        ("Multi-table transaction stream load requires sink.version=V2 or AUTO.", "sink.version: V2"),
        ("java.lang.RuntimeException: Read data from be not support limit now !", "LIMIT"),
        ("java.lang.IllegalArgumentException: ArrowFlightSqlPort not found", "arrow_flight_sql_port"),
        ("source.use-old-api=true only supports source.scan.mode=snapshot", "'source.scan.mode' = 'snapshot'"),
        ("CopyLoadException: upload file failed: a, with requestId b", "/copy/upload"),
        ("java.lang.RuntimeException: Execution of JDBC statement failed.", "'lookup.cache' = 'PARTIAL'"),
        ("java.io.IOException: unable to open JDBC writer", "address and port"),
        ("FlinkRuntimeException: Failed to fetch committed offsets for consumer group g due to", "default.api.timeout"),
        ("KinesisStreamsSourceException: Unable to list shards", "kinesis:ListShards"),
        ("KinesisStreamsSourceException: Subscription encountered unrecoverable exception.", "SubscribeToShard"),
        ("FlinkRuntimeException: Failed to create consumer on partition a after retry", "advertised"),
        ("IllegalStateException: Failed to send request to coordinator: FlushSuccessEvent", "rpc-timeout"),
    ],
)
def test_the_act_names_what_to_change(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


@pytest.mark.parametrize("cause", ["Duplicate entry '7' for key 'PRIMARY'", "Data too long for column 'a' at row 1"])
def test_what_the_database_says_goes_before_the_connector(cause: str) -> None:
    chain = f"java.io.IOException: Writing records to JDBC failed.\njava.sql.BatchUpdateException: {cause}"
    assert remedy_of(chain) != remedy_of("java.io.IOException: Writing records to JDBC failed.")
