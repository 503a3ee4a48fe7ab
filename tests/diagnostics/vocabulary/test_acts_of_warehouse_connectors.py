"""What the connectors of warehouses and databases themselves say leads to the act that repairs it."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import owner_of
from diagnostics.vocabulary.message_remedies import known_message, remedy_of
from diagnostics.wording.phrase import split_sentences

LOAD = "com.starrocks.data.load.stream.exception.StreamLoadFailException: "
DORIS = "errCode = 2, detailMessage = "
BIGQUERY = "com.google.cloud.flink.bigquery.common.exceptions.BigQueryConnectorException: "


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("RuntimeException: Request of get query plan failed with code 404 Not Found", "'<fe>:8030'"),
        (f'{LOAD}{{"Status": "TXN_NOT_EXISTS", "Message": "transaction with label 6bdf not exists"}}', "front ends"),
        (f"{LOAD}Target column count: 3 doesn't match source value column count: 4.", "sink.properties.columns"),
        ('StarRocks: {"Status": "FAILED", "Message": "No backend alive."}', "compute nodes back"),
        (f"SQLException: {DORIS}String Type should not be used in key column[name].", "VARCHAR"),
        ("DorisException: 'INVALID_ARGUMENT', error message is '[Unknown primitive type(26)]'", "Upgrade Doris to 2.0"),
        ("Reason: actual column number in csv file is less than schema column number.", "sink.enable-delete"),
        ("ERROR: modification of distribution columns in OnConflictUpdate is not supported", "3.3.0"),
        ("SqlSyntaxErrorException: SQLCODE=-104, SQLSTATE=42601, SQLERRMC=;;c, d);END-OF-STATEMENT", "4.1.0"),
        ("java.lang.UnsatisfiedLinkError: 'int io.netty.channel.unix.Socket.sendAddress(int)'", "one release of netty"),
        ("Row error for primary key=[1], status=Corruption: Unknown operation type: 12", "releases that fit"),
        ("NonRecoverableException: table t already exists with id 397a", "before the job starts"),
        ("JsonException: Provider org.eclipse.parsson.JsonProviderImpl not found", "org.eclipse.parsson:parsson"),
        (f"{BIGQUERY}Attempting to create more Sink Writers than allowed", "parallelism"),
        ("ObDirectLoadNotSupportedException: direct load in ob version 0.0.0.0 is not supported", "obkv-table-client"),
        ("IllegalArgumentException: Cannot query ClickHouse http port, please check", "HTTP port"),
        ("Failed to commit transaction Transaction{label='1', finish=false}: label 1 has no backend", "1.2.6 or later"),
        ("java.lang.IllegalArgumentException: Fields count mismatch.", "sink.properties.columns"),
        ("errCode = 2, detailMessage = data cannot be inserted into table with empty partition.", "ADD PARTITION"),
        ('res: {"exception":"PlannershouldplanjustonlyoneScanNodebutfound[0]","status":500}', "1.6.1 or later"),
        ("Label Already Exists, but no txnID associated with it!", "sink.label-prefix"),
        ("Either all or none of username and password should be provided", "'username' and 'password'"),
        ("RuntimeException: get table public.t schema failed", "'endpoint'"),
        ("Column: a type does not match: flink row type: INT, hologres type: text", "Flink type"),
        ("IOException: jdbc copy mode does not support delete record", "'sink.write-mode' = 'INSERT'"),
        ("BigQueryConnectorException: Unable to create BigQuery dataset p.d", "bigquery.datasets.create"),
        ("BigQueryConnectorException: Unable to serialize record", "fit the table"),
        ('PSQLException: FATAL: database "public" does not exist', "/<database>"),
        ("Caused by: java.sql.SQLException: No suitable driver", "lib/ of Flink"),
        ("TableNotFoundException: HBase table 'ns:t' not found.", "create '<namespace>:<table>'"),
        ("ClassNotFoundException: org.elasticsearch.A shaded.org.elasticsearch.script.mustache.B", "1.10.1 or later"),
        ("Http codes [404] cannot be used as both success and retry codes", "success-codes"),
        ("RuntimeException: params length must be odd", "HMSET"),
        ("SAP DBTech JDBC: [259]: invalid table name", "<SCHEMA>.<TABLE>"),
        ("[Teradata Database] [Error 2631] Transaction ABORTed due to deadlock.", "keyBy the primary index"),
        ("SQLServerException: Invalid object name 't'.", "databaseName"),
        ("JedisDataException: MOVED 15495 10.0.0.1:6379", "'redis-mode' = 'cluster'"),
        ("request entity is too large: content length [104857601]", "sink.bulk-flush.max-size"),
        ("Load backend: null, failed to send fragment", "SHOW BACKENDS"),
    ],
)
def test_the_first_sentence_names_the_act(said: str, named: str) -> None:
    remedy = remedy_of(said)
    assert remedy is not None
    assert named in split_sentences(remedy)[0]


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        (
            "org.apache.flink.calcite.shaded.com.google.common.base.Preconditions",
            "the planner's own copies of libraries",
        ),
        ("org.apache.flink.util.CollectionUtil", "Flink 1.18 and newer"),
    ],
)
def test_a_class_that_another_flink_has_names_it(name: str, owner: str) -> None:
    found = owner_of(name)
    assert found is not None
    assert found.what == owner


@pytest.mark.parametrize(
    ("frame", "said", "named"),
    [
        (
            "com.starrocks.connector.flink.manager.StarRocksSinkManagerV2.lambda$init$0",
            "java.lang.NullPointerException: null",
            "1.2.8 or later",
        ),
        (
            "org.apache.doris.flink.sink.writer.RowDataSerializer$Builder.build",
            "java.lang.IllegalStateException: null",
            "'sink.properties.format'",
        ),
        (
            "org.apache.flink.connector.clickhouse.internal.connection.ClickHouseConnectionProvider.createConnection",
            "java.lang.NullPointerException",
            "'username' and 'password'",
        ),
        (
            "io.debezium.connector.oracle.logminer.logwriter.CommitLogWriterFlushStrategy.flush",
            "java.sql.SQLSyntaxErrorException: ORA-00942: table or view does not exist",
            "LOG_MINING_FLUSH",
        ),
        (
            "oracle.jdbc.driver.T4CTTIoer11.processError",
            "java.sql.SQLSyntaxErrorException: ORA-00942: table or view does not exist",
            "Grant the user SELECT",
        ),
        (
            "org.apache.iceberg.ClientPoolImpl.get",
            "java.lang.IllegalStateException: Cannot get a client from a closed pool",
            "Upgrade Iceberg to 1.2.0",
        ),
        (
            "org.apache.parquet.hadoop.InternalParquetRecordWriter.close",
            "The file being written is in an invalid state. Probably caused by an error thrown previously.",
            "Add what comes before this line",
        ),
        (
            "org.elasticsearch.action.bulk.BulkProcessor$Flush.run",
            "State: BLOCKED (on object monitor)",
            "Flink 1.11 or later",
        ),
    ],
)
def test_what_a_connector_throws_names_the_act(frame: str, said: str, named: str) -> None:
    found = known_message(said, (frame,))
    assert found is not None
    assert named in split_sentences(found.remedy)[0]


@pytest.mark.parametrize(
    ("said", "rows", "entry"),
    [
        ("all partitions have no load data", 0, "load-read-no-rows"),
        ("all partitions have no load data", 9, "load-all-partitions"),
        ("too many filtered rows", 9, "load-filtered-rows"),
        ("timeout by txn manager", 0, "starrocks-transaction-timeout"),
        ("something that nobody knows", 9, "starrocks-prepare"),
    ],
)
def test_the_answer_of_a_load_goes_before_the_header_of_its_transaction(said: str, rows: int, entry: str) -> None:
    header = f"{LOAD}Transaction prepare failed, db: a, table: b, label: c,"
    found = known_message(f'{header}\nresponseBody: {{\n"Message": "{said}",\n"NumberTotalRows": {rows}\n}}')
    assert found is not None
    assert found.id == entry
