"""What readers of change logs meet at their servers and in their options is shown with the act that repairs it."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.known_bug import bugs_that_fit
from diagnostics.vocabulary.message_remedies import remedy_of, shown_by_message

BINLOG = "com.github.shyiko.mysql.binlog."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("ConnectException: [1][10.0.0.1:3306][shop]Unknown command Error code: 1047; SQLSTATE: HY000.", "DRDS"),
        ("ServerException: command 21 not supported now", "tidb-cdc"),
        ("DebeziumException: Failed to replace GTID event with backwards-compatible event: corrupt event.", "2.7"),
        ("RuntimeException: Connected to MariaDB but given a mysql GTID set!", "without its state"),
        ("ConnectException: The binlog event does not contain expected number of columns; the internal", "primary key"),
        ("IOException: MySQL server does not support SSL", "ssl.mode"),
        ("AuthenticationException: unsupported authentication method: auth_gssapi", "mysql_native_password"),
        ("TimeoutException: BinaryLogClient was unable to connect in 30000ms", "connect.timeout"),
        ("MySQL version 8.4.2 should support SHOW BINARY LOG STATUS but it failed.", "REPLICATION CLIENT"),
        ("Invalid length when read MySQL DATE value. BIN_LEN_DATE is 10.", "snapshot.fetch.size"),
        (
            "'scan.incremental.snapshot.chunk.key-column' is required for table without primary key when"
            " 'scan.incremental.snapshot.enabled' enabled.",
            "PRIMARY KEY",
        ),
        ("The value of option 'scan.snapshot.fetch.size' must larger than 1, but is 1", "larger than 1"),
        ("'scan.incremental.snapshot.enabled'='true' because timestamp startup is only supported by the incremental"
         " SQL Server source", "'true'"),
        ("Failed to create SQL Server offset from timestamp 1 for database shop.", "@retention"),
        ("IllegalArgumentException: a-b is not a valid PostgreSQL database name", "three parts"),
        ("IllegalArgumentException: Model 'm' referenced by AI_COMPLETE has not been declared.", "pipeline: model"),
        ("OpenAI-compatible chat request failed after 3 attempt(s).", "api-key"),
        ("Python UDF is missing required option 'python-code'.", "user-defined-function"),
        ("TO_TIMESTAMP_LTZ precision must be 0 or 3, but get: 6", "milliseconds"),
        ("Archive log destination name 'LOG_ARCHIVE_DEST_3' is unknown to Oracle", "V$ARCHIVE_DEST_STATUS"),
        ("RAC node 'ora1' must specify a port.", "debezium.rac.nodes"),
        ("Column 'a' not found in result set 'b' for table 's.t', x. This might be caused by DBZ-4350", "backslash"),
        ("Table 'a.b' has columns that differ only by case. Column name: 'ID'.", "Rename"),
        ("The connector previously stopped while taking a snapshot, but now the connector is configured to", "initial"),
        ("Unable to find relational table model for 'a', there may be an issue with your include/exclude list"
         " configuration.", "table.include.list"),
        ("Detail message: primary key column[id] type not supported: decimal128(20, 0).", "BIGINT"),
        ("IllegalArgumentException: Append only writer can not accept row with RowKind UPDATE_BEFORE", "3.5.0"),
        ("Cannot define both column.exclude.list and column.include.list.", "Keep one"),
        ("Invalid buffer received from PG server during streaming replication", "pgoutput"),
        ("An unexpected NLS_NCHAR_CHARACTERSET detected: JA16EUC", "AL16UTF16"),
        ("Incremental snapshot is not properly configured, either sinalling data collection is not", "signal"),
        ("Flink cdc home lib is not file or not directory: /opt/cdc/lib", "FLINK_CDC_HOME"),
        ("UnSupport key format of RAW", "key.format"),
        ("The data type of column a is changed from INT to STRING", "CAST"),
        ("Cannot calculate bucket: table a has no primary keys", "hoodie.bucket.index.hash.field"),
        ("Primary key field 'id' is null in record", "IS NOT NULL"),
        ("TimeoutException: Loop checking time limit has exceeded.", "schema-operator.rpc-timeout"),
        ("The update before event at x for table y was not followed by after event.", "last checkpoint"),
        (
            "FlinkException: Global failure triggered by OperatorCoordinator for 'Source: shop'\n"
            "java.lang.OutOfMemoryError: Java heap space",
            "jobmanager.memory.process.size",
        ),
    ],
)  # fmt: skip
def test_a_message_of_a_change_source_names_its_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_a_proxy_that_refuses_replication_is_known_by_the_client_that_asked() -> None:
    said, frame = (
        "ServerException: [1][10.0.0.1:3306][shop]Unknown command",
        BINLOG + "BinaryLogClient.listenForEventPackets",
    )
    assert shown_by_message(said, [frame]) == "setting"
    assert remedy_of(said) != remedy_of(said, [frame])


@pytest.mark.parametrize(
    ("text", "frame", "bug"),
    [
        ("java.lang.ArrayIndexOutOfBoundsException", BINLOG + "io.BufferedSocketInputStream.read", "CDC-911"),
        (
            "java.io.UTFDataFormatException: Encoded string is too long: 85008",
            "com.ververica.cdc.connectors.mysql.source.split.MySqlSplitSerializer.writeTableSchemas",
            "CDC-441",
        ),
        (
            "Append only writer can not accept row with RowKind UPDATE_BEFORE",
            "org.apache.flink.cdc.connectors.paimon.sink.v2.PaimonWriter.write",
            "FLINK-38359",
        ),
    ],
)
def test_a_repaired_bug_of_a_change_source_is_known_by_its_frame(text: str, frame: str, bug: str) -> None:
    assert bug in bugs_that_fit(text, [frame])
