"""A wait that repeats for minutes or is a log's last word leads where nothing fails; one that passes stays quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.diagnostics.written_log import diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CLIENT = "org.apache.kafka.clients.NetworkClient"
BROKER = "[Consumer clientId=a-1, groupId=a] Bootstrap broker kafka:9092 (id: -1 rack: null) disconnected"
NODE = "(id: -2 rack: null isFenced: false)"
LOGIN = (
    "[AdminClient clientId=a-enumerator-admin-client] Connection to node -1 (b-1/10.0.0.1:9096) terminated during"
    " authentication. This may happen due to any of the following reasons: (1) Firewall blocking Kafka TLS traffic"
    " (eg it may only allow HTTPS traffic), (2) Transient network issue."
)
LISTENERS = (
    "[Consumer clientId=a-1, groupId=a] 3 partitions have leader brokers without a matching listener, including [t-0]"
)
METADATA = (
    "[Producer clientId=producer-1] The metadata response from the cluster reported a recoverable issue with"
    " correlation id 7 : {t=UNKNOWN_TOPIC_OR_PARTITION}"
)
FETCHES = "org.apache.kafka.clients.consumer.internals.FetchCollector"
UNKNOWN_PARTITION = (
    "[Consumer clientId=a-1, groupId=a] Received unknown topic or partition error in fetch for partition t-0"
)
COORDINATOR = (
    "[Consumer clientId=a-1, groupId=a] Group coordinator b:9092 (id: 2147483646 rack: null) is unavailable or invalid"
    " due to cause: coordinator unavailable. isDisconnected: false. Rediscovery will be attempted."
)
SLOT = 'Creating replication slot with command CREATE_REPLICATION_SLOT "flink"  LOGICAL pgoutput'
SLOTS = "io.debezium.connector.postgresql.connection.PostgresReplicationConnection"
RESULT = (
    'load Result {\n    "TxnId": 7,\n    "Label": "orders_0_1",\n    "Status": "Fail",\n'
    '    "Message": "[ANALYSIS_ERROR]errCode = 2, detailMessage = Unknown column",\n    "ErrorURL": "http://be:8040/e"\n}'
)
LOADS = "org.apache.doris.flink.sink.writer.DorisStreamLoad"
UNKNOWN = (
    'Transaction committed, lable: 7, body : {\n    "Status": "TXN_NOT_EXISTS",\n'
    '    "Message": "transaction with label 7 not exists"\n}'
)
TRANSACTIONS = "com.starrocks.data.load.stream.TransactionStreamLoader"
CHANGE = 'ddl can not do schema change:{"source":{"version":"1.9.7.Final","connector":"mysql"}}'
CHANGES = "org.apache.doris.flink.sink.writer.serializer.JsonDebeziumSchemaSerializer"
STORES = "com.pingcap.tikv.region.StoreHealthyChecker"
STORE = "store [10.0.0.234:20160] is not reachable"
RPC = "org.apache.hadoop.hbase.client.RpcRetryingCallerImpl"
CALL = "Call exception, tries=6, retries=16, started=38367 ms ago, cancelled=false, msg=rs-1 row 'a' on table 'b'"
YARN = "Retrying connect to server: 0.0.0.0/0.0.0.0:8032. Already tried 3 time(s); retry policy is RetryUpToMaximum"
LEFT_OUT = "\t 'shop.user_00' is filtered out of capturing"
SQLSERVER = "io.debezium.connector.sqlserver.SqlServerStreamingChangeEventSource"
NO_LSN = "No maximum LSN recorded in the database; please ensure that the SQL Server Agent is running"
BLOCKED = (
    "Cannot obtain valid replication slot 'flink' for plugin 'pgoutput' and database 'shop' [during attempt 1 out of 3,"
    " concurrent tx probably blocks taking snapshot."
)
READ = (
    "Snapshot split assigner received all splits finished, waiting for a complete checkpoint to mark the assigner"
    " finished."
)

NO_SNAPSHOT = "There is currently no snapshot. Waiting for snapshot generation."
OVERTAKEN = (
    "Atomic commit failed for snapshot #7 by user u with identifier 3 and kind COMPACT after 31 seconds. Clean up"
)
LOOKUP = "The latest snapshot id 51 is much greater than the next snapshot id 40 for 5}, you may need to increase the"
NOT_DONE = "No watermark found in this batch of committables, skip partition mark done."
FULL = "The buffer size hits the threshold 1048576, but still flush the max size data bucket failed!"

MANAGER = "org.apache.flink.runtime.resourcemanager.slotmanager.FineGrainedSlotManager"
UNFULFILLED = "Could not fulfill resource requirements of job 261dee5e2794db0ec76dd8065a64d81c."
DRIVER = "org.apache.flink.kubernetes.KubernetesResourceManagerDriver"
POD = "Creating new TaskManager pod with name a-taskmanager-1-{} and resource <1728,1.0>."
EXECUTOR = "org.apache.flink.runtime.taskexecutor.TaskExecutor"
REGISTERED = "Registering TaskManager with ResourceID a-taskmanager-1-1 at ResourceManager"


def again(logger: str, message: str, level: str = "INFO", seconds: int = 300) -> list[str]:
    return [line(60 + each, logger, message, level) for each in range(0, seconds, 20)]


def leading(spark: SparkSession, folder: Path, *lines: str) -> dict[str, Any]:
    document = diagnosed(spark, folder, log=jobmanager_log(*lines)).document
    return dict(next((each for each in document["findings"] if each["role"] == "root_cause"), {}))


@pytest.mark.parametrize(
    ("lines", "symptom", "act"),
    [
        (again(CLIENT, BROKER, "WARN"), "outside_system", "advertised.listeners"),
        (again(CLIENT, BROKER.replace("(id: -1 rack: null)", NODE), "WARN"), "outside_system", "advertised.listeners"),
        (again(CLIENT, LOGIN, "WARN"), "outside_system", "security.protocol"),
        (again(CLIENT, LISTENERS, "WARN"), "outside_system", "the same name in listeners"),
        (again(CLIENT, METADATA, "WARN"), "outside_system", "kafka-topics.sh --create"),
        (again(FETCHES, UNKNOWN_PARTITION, "WARN"), "outside_system", "deleted or made anew"),
        (
            again("org.apache.kafka.clients.consumer.internals.Coordinator", COORDINATOR),
            "outside_system",
            "__co",
        ),
        (again(RPC, CALL), "outside_system", "region server"),
        (again("org.apache.hadoop.ipc.Client", YARN), "misconfiguration", "HADOOP_CONF_DIR"),
        ([line(60, SLOTS, SLOT)], "outside_system", "long transactions"),
        ([line(60, LOADS, RESULT)], "outside_system", "ErrorURL"),
        ([line(60, MANAGER, UNFULFILLED, "WARN")], "resource_shortage", "taskmanager.numberOfTaskSlots"),
        ([line(60, DRIVER, POD.format(1))], "resource_shortage", "kubectl describe pod"),
        ([line(60, TRANSACTIONS, UNKNOWN)], "outside_system", "'<fe>:8030'"),
        ([line(60, CHANGES, CHANGE, "WARN")], "misconfiguration", "setNewSchemaChange(true)"),
        ([line(60, STORES, STORE, "WARN")], "outside_system", "20160"),
        ([line(60, "io.debezium.connector.mysql.SnapshotReader", LEFT_OUT)], "misconfiguration", "user_.*"),
        ([line(60, SQLSERVER, NO_LSN, "WARN")], "outside_system", "sp_cdc_start_job"),
        ([line(60, SQLSERVER, NO_LSN.replace("SQL Server", "DB2"), "WARN")], "outside_system", "ASNCDCSERVICES"),
        ([line(60, SLOTS, BLOCKED, "WARN")], "outside_system", "long transactions"),
        ([line(60, "o.a.f.cdc.SnapshotSplitAssigner", READ)], "misconfiguration", "checkpoints"),
        (again("o.a.paimon.table.source.AbstractDataTableScan", NO_SNAPSHOT, "WARN"), "outside_system", "commit first"),
        (again("o.a.paimon.operation.FileStoreCommitImpl", OVERTAKEN, "WARN"), "outside_system", "'write-only'"),
        (
            [
                line(
                    60,
                    "o.a.paimon.flink.lookup.FullCacheLookupTable",
                    f"{LOOKUP} parallelism of lookup operator.",
                    "WARN",
                )
            ],
            "misconfiguration",
            "'shuffle'='true'",
        ),
        (again("o.a.paimon.flink.sink.PartitionMarkDone", NOT_DONE, "WARN"), "misconfiguration", "WATERMARK"),
        ([line(60, "org.apache.hudi.sink.StreamWriteFunction", FULL, "WARN")], "outside_system", "next instant"),
        (
            [
                line(
                    60,
                    "org.apache.hudi.source.IncrementalInputSplits",
                    "No partitions found for reading under path: a",
                    "WARN",
                )
            ],
            "outside_system",
            "commit once",
        ),
    ],
    ids=[
        "broker",
        "broker-4",
        "login",
        "listeners",
        "metadata",
        "partition",
        "coordinator",
        "hbase",
        "yarn",
        "slot",
        "load",
        "unfulfilled",
        "pod",
        "transaction",
        "change",
        "store",
        "table",
        "agent",
        "db2",
        "blocked",
        "read",
        "no-snapshot",
        "overtaken",
        "lookup",
        "not-done",
        "full",
        "reads-nothing",
    ],
)
def test_a_wait_leads_with_its_act(
    spark: SparkSession, tmp_path: Path, lines: list[str], symptom: str, act: str
) -> None:
    finding = leading(spark, tmp_path, *lines)
    assert finding["symptom_class"] == symptom
    assert act in finding["first_step"]


@pytest.mark.parametrize(
    ("logger", "message", "act"),
    [
        (
            "io.debezium.connector.sqlserver.SqlServerStreamingChangeEventSource",
            "No maximum LSN recorded in the database; please ensure that the SQL Server Agent is running",
            "Start the SQL Server Agent",
        ),
        (
            "org.apache.flink.cdc.runtime.operators.schema.regular.SchemaCoordinator",
            "Failed to apply schema change AddColumnEvent{}, but keeps running in tolerant mode. Caused by: {}",
            "schema.change.behavior",
        ),
        (
            "org.apache.paimon.flink.sink.cdc.CdcDynamicBucketWriteOperator",
            "Skipping corrupt or unparsable record CdcRecord{kind=INSERT, fields={id=1}}",
            "'cdc.skip-corrupt-record'",
        ),
        (
            "org.apache.doris.flink.sink.writer.serializer.RecordWithMetaSerializer",
            "Record or meta format is incorrect, ignore record db:null, table:t, row:{}",
            "RecordWithMeta",
        ),
        (
            "org.apache.doris.flink.sink.writer.serializer.jsondebezium.JsonDebeziumSchemaChangeImplV2",
            "tableChange or ddl is empty, cannot do schema change. dorisTable=d.t, tableChange=null, ddl=null",
            "includeSchemaChanges(true)",
        ),
        (
            "org.apache.flink.cdc.connectors.mysql.source.reader.MySqlSourceReader",
            "The subtask 0 is skipping split d.t:3 because it does not match new table filter, "
            "but ScanNewlyAddedTable is not enabled.",
            "'scan.newly-added-table.enabled'",
        ),
        (
            "io.debezium.relational.RelationalChangeRecordEmitter",
            "no new values found for table 't' from update message at 'x'; skipping record",
            "REPLICA IDENTITY FULL",
        ),
    ],
)
def test_a_record_that_decides_leads_once_and_wherever_it_stands(
    spark: SparkSession, tmp_path: Path, logger: str, message: str, act: str
) -> None:
    finding = leading(spark, tmp_path, line(60, logger, message, "WARN"), line(900, CLIENT, "Cluster ID: abc"))
    assert act in finding["first_step"]
    assert "until the end of the log" not in finding["statement"]


def test_what_a_load_answers_is_quoted(spark: SparkSession, tmp_path: Path) -> None:
    assert "Unknown column" in leading(spark, tmp_path, line(60, LOADS, RESULT))["statement"]


@pytest.mark.parametrize(
    "lines",
    [
        again(CLIENT, BROKER, "WARN", seconds=60),
        [*again(CLIENT, BROKER, "WARN"), line(900, CLIENT, "Cluster ID: abc")],
        [line(60, SLOTS, SLOT), line(70, SLOTS, "Obtained valid replication slot")],
        [line(60, LOADS, RESULT), line(70, LOADS, RESULT.replace("Fail", "Success"))],
        [*(line(60 * each, DRIVER, POD.format(each)) for each in range(1, 6)), line(320, EXECUTOR, REGISTERED)],
    ],
    ids=["short", "passed", "slot", "load", "pods"],
)
def test_what_is_tried_again_and_goes_on_stays_quiet(spark: SparkSession, tmp_path: Path, lines: list[str]) -> None:
    assert leading(spark, tmp_path, *lines) == {}
