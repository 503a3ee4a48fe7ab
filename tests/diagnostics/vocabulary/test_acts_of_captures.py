"""What a capture user lacks, what keeps a snapshot from a chunk, and a lost position are shown with the one act."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.vocabulary.waits import wait_of

ORACLE = "io.debezium.connector.oracle."
CDC = "org.apache.flink.cdc.connectors."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            "Access denied; you need (at least one of) the REPLICATION SLAVE privilege(s)",
            "GRANT REPLICATION SLAVE ON *.*",
        ),
        (
            "Cannot read the binlog filename and position via 'SHOW MASTER STATUS'.\nAccess denied; you need (at least"
            " one of) the SUPER, REPLICATION CLIENT privilege(s) for this operation",
            "GRANT REPLICATION CLIENT",
        ),
        (
            "you need (at least one of) the RELOAD or FLUSH_TABLES privilege(s)",
            "scan.incremental.snapshot.enabled = true",
        ),
        ("SELECT command denied to user 'a'@'b' for table 'session_variables'", "performance_schema.*"),
        ("SELECT command denied to user 'a'@'b' for table 'orders'", "GRANT SELECT ON <database>.<table>"),
        ("Access denied for user 'a'@'b' (using password: NO)", "'password'"),
        ("Access denied for user 'a'@'b' (using password: YES)", "mysql -h"),
        ("Access denied for user 'a'@'%' to database 'shop'", "LOCK TABLES where a snapshot failed at"),
        ("ERROR: must be owner of publication dbz_publication", "ALTER PUBLICATION"),
        ("ERROR: permission denied for table pg_publication", "pg_catalog"),
        ("ERROR: permission denied for table orders", "GRANT USAGE ON SCHEMA"),
        ("The SELECT permission was denied on the object 'change_tables', database 'a', schema 'cdc'.", "SCHEMA::cdc"),
        (
            "The SELECT permission was denied on the object 'dm_server_services', database 'mssqlsystemresource'",
            "VIEW SERVER",
        ),
        ("'not authorized on admin to execute command { aggregate: 1, pipeline: [ { $changeStream", "readAnyDatabase"),
        ("Read split MySqlSnapshotSplit{a} error due to Communications link failure.", "net_write_timeout"),
        (
            "connection-pool-db:3306 - Connection is not available, request timed out after 30000ms.",
            "connection.pool.size",
        ),
        ("ERROR: function max(uuid) does not exist", "3.2.0"),
        ("A replica with the same server_uuid/server_id as this replica has connected", "range of server-id"),
        (
            "starting at SourceInfo [lsn=LSN{1/9A}], but this is no longer available on the server.",
            "pg_drop_replication_slot",
        ),
        ("starting at GTIDs a:1-8 and binlog file 'b', but this is no longer available on the server.", "binlog"),
        ("ParseException: Duplicate column definitions: id", "AS <name>"),
        ("IllegalArgumentException: Invalid tableId: orders", "<database>.<table>"),
        ("IllegalStateException: Writable backchannel already exists.", "prefix of its own"),
        ("Access to the resource https://sqs.us-east-1.amazonaws.com/1/a is denied.", "sqs:SendMessage"),
        (
            "TiClientInternalException: Error reading region:\nRegionException: key range not in region org.tikv",
            "2.3.0",
        ),
    ],
)
def test_the_message_names_the_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


@pytest.mark.parametrize(
    ("said", "frame", "named"),
    [
        ("ORA-01031: insufficient privileges", f"{ORACLE}OracleConnection.setSessionToPdb", "SET CONTAINER"),
        ("ORA-01031: insufficient privileges", f"{ORACLE}logminer.LogMinerHelper.createFlushTable", "CREATE TABLE"),
        ("ORA-01031", f"{CDC}oracle.source.utils.OracleUtils.queryApproximateRowCnt", "ANALYZE ANY"),
        ("NullPointerException", f"{CDC}mysql.source.utils.RecordUtils.splitKeyRangeContains", "NOT NULL"),
        (
            "Lock wait timeout exceeded",
            "io.debezium.connector.mysql.MySqlSnapshotChangeEventSource.lock",
            "takes no lock",
        ),
        ("Lock wait timeout exceeded", f"{CDC}mysql.schema.MySqlSchema.readTableSchema", "metadata lock"),
        ("Java heap space", f"{CDC}mysql.debezium.reader.SnapshotSplitReader.pollSplitRecords", "chunks smaller"),
        ("Java heap space", f"{CDC}mysql.source.assigners.MySqlSnapshotSplitAssigner.a", "fewer chunks"),
    ],
)
def test_the_place_decides_the_act(said: str, frame: str, named: str) -> None:
    assert named in (remedy_of(said, ("oracle.jdbc.driver.T4CTTIoer11.processError", frame)) or "")


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        (
            "Failed to fetch records from shard a: shard no longer exists. Marking split as complete",
            "kinesis-shard-gone",
        ),
        ("Key AggregationEnabled is unsupported by Kinesis Datastream Sink", "kinesis-sink-option"),
        (
            "The updated chunk key is out of the split range. Cannot provide exactly-once semantics.",
            "chunk-key-changes",
        ),
        ("no old values found for table 'a.b' from delete message at 'c'; skipping record", "changes-without-old-row"),
        (
            "Table 'A.B' won't be captured by Oracle LogMiner because its name exceeds 30 characters.",
            "oracle-name-too-long",
        ),
    ],
)
def test_changes_that_are_left_out_are_seen(said: str, wait: str) -> None:
    assert wait_of(said) == wait
