"""Declined checkpoints, failing code and failed restores in logs of several Flink versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.diagnostics.written_log import COORDINATOR, GRAPH, JOB, TASK, diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

EXECUTION = f"{'1' * 32}_{'2' * 32}_0_0"
OLD_EXECUTION = "7c3d5a0e9b1f42d8a6c4e2f0b8d6a4c2"


def failing(second: float, trace: str, *, restarts: bool = True) -> list[str]:
    """A task fails with this trace, and the job restarts or fails for good."""
    told = [line(second, GRAPH, f"enrich (1/2) ({EXECUTION}) switched from RUNNING to FAILED on tm-1 @ host.\n{trace}")]
    if restarts:
        told.append(line(second + 0.1, GRAPH, f"Job orders ({JOB}) switched from state RUNNING to RESTARTING."))
        told.append(line(second + 3, GRAPH, f"Job orders ({JOB}) switched from state RESTARTING to RUNNING."))
    else:
        suppressed = (
            f"org.apache.flink.runtime.JobException: Recovery is suppressed by NoRestartBackoffTimeStrategy\n{FLINK}"
        )
        message = f"Job orders ({JOB}) switched from state RUNNING to FAILING.\n{suppressed}\nCaused by: {trace}"
        told.append(line(second + 0.1, GRAPH, message))
        told.append(line(second + 0.2, GRAPH, message.replace("RUNNING to FAILING", "FAILING to FAILED")))
    return told


def declining(second: float, number: int, trace: str, task: str = EXECUTION) -> list[str]:
    """A task declines a checkpoint."""
    message = f"Decline checkpoint {number} by task {task} of job {JOB} at tm-1 @ host (dataPort=38429).\n{trace}"
    return [
        line(second, COORDINATOR, f"Triggering checkpoint {number} (type=CHECKPOINT) @ 1 for job {JOB}."),
        line(second + 0.2, COORDINATOR, message),
    ]


FLINK = "\tat org.apache.flink.streaming.runtime.tasks.StreamTask.invoke(StreamTask.java:1)"
OWN = "\tat com.acme.Enrich.map(Enrich.java:12)\n" + FLINK
NULL = f"java.lang.NullPointerException: null\n{OWN}"
CONNECT = f"java.net.ConnectException: Connection refused\n\tat java.net.Socket.connect(Socket.java:1)\n{OWN}"
MEMORY = f"java.lang.OutOfMemoryError: Java heap space\n\tat java.util.Arrays.copyOf(Arrays.java:1)\n{OWN}"
CHAINED = (
    "java.lang.IllegalStateException: Buffer pool is destroyed.\n"
    "\tat org.apache.flink.runtime.io.network.buffer.LocalBufferPool.requestMemorySegment(LocalBufferPool.java:1)\n"
    + OWN
)
CLASS = (
    "java.lang.RuntimeException: Cannot create the function\n"
    f"{FLINK}\nCaused by: java.lang.ClassNotFoundException: com.acme.Order\n"
    "\tat java.net.URLClassLoader.findClass(URLClassLoader.java:1)"
)
JSON_RECORD = (
    f"java.io.IOException: Failed to deserialize JSON object.\n{FLINK}\n"
    "Caused by: org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParseException: Unexpected character\n"
    "\tat org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser._constructError(JsonParser.java:1)"
)
KRYO = (
    "com.esotericsoftware.kryo.KryoException: Buffer underflow.\n"
    "\tat com.esotericsoftware.kryo.io.Input.require(Input.java:1)\n" + FLINK
)
SQL = "java.lang.ArithmeticException: / by zero\n\tat StreamExecCalc$12.processElement(Unknown Source)\n" + FLINK
MIGRATION = (
    f"java.lang.Exception: Exception while creating StreamOperatorStateContext.\n{FLINK}\n"
    "Caused by: org.apache.flink.util.FlinkException: Could not restore keyed state backend for Enrich from any"
    f" of the 1 provided restore options.\n{FLINK}\n"
    "Caused by: org.apache.flink.util.StateMigrationException: The new state serializer (a) must not be incompatible"
    f" with the old state serializer (b).\n{FLINK}"
)
SHARED = MIGRATION.replace(
    "org.apache.flink.util.StateMigrationException: The new state serializer (a) must not be incompatible with the old"
    " state serializer (b).",
    "java.io.FileNotFoundException: File does not exist: /ckpt/a/shared/5f1c",
)
NO_OPERATOR = (
    "java.lang.IllegalStateException: Failed to rollback to checkpoint/savepoint s3://b/savepoint-1. Cannot map"
    " checkpoint/savepoint state for operator e30ccce83304773b609843a7d9d3e8d7 to the new program, because the operator"
    f" is not available in the new program.\n{FLINK}"
)
MAX_PARALLELISM = (
    "java.lang.IllegalStateException: Failed to rollback to checkpoint/savepoint s3://b/savepoint-1. Max parallelism"
    " mismatch between checkpoint/savepoint state and new program. Cannot map operator e30ccce83304773b609843a7d9d3e8d7"
    f" with max parallelism 128 to new program with max parallelism 64. x\n{FLINK}"
)
IN_SNAPSHOT = (
    f"java.io.IOException: Could not perform checkpoint 4 for operator enrich (1/2)#0.\n{FLINK}\n"
    "Caused by: org.apache.flink.runtime.checkpoint.CheckpointException: Could not complete snapshot 4 for operator"
    f" enrich (1/2)#0. Failure reason: Checkpoint was declined.\n{FLINK}\n"
    f"Caused by: java.lang.NullPointerException: null\n\tat com.acme.Buffer.snapshotState(Buffer.java:1)\n{FLINK}"
)
POOL = (
    f"org.apache.flink.runtime.checkpoint.CheckpointException: Asynchronous task checkpoint failed.\n{FLINK}\n"
    f"Caused by: java.lang.Exception: Could not materialize checkpoint 4 for operator enrich (1/2)#0.\n{FLINK}\n"
    "Caused by: java.io.IOException: Could not flush to file and close the file system output stream to s3://b/c/1 in"
    f" order to obtain the stream state handle\n{FLINK}\n"
    "Caused by: java.lang.IllegalStateException: Connection pool shut down\n"
    "\tat org.apache.http.util.Asserts.check(Asserts.java:1)"
)
OLD_DECLINE = (
    "org.apache.flink.runtime.checkpoint.CheckpointException: Could not complete snapshot 4 for operator enrich (1/2)."
    f" Failure reason: Checkpoint was declined.\n{FLINK}\n"
    f"Caused by: java.lang.IllegalStateException: x\n\tat com.acme.Buffer.snapshotState(Buffer.java:1)\n{FLINK}"
)
BROKER = (
    f"org.apache.flink.util.FlinkRuntimeException: Failed to list subscribed topic partitions due to\n{FLINK}\n"
    "Caused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment."
    " Call: describeTopics"
)
UNIQUE = (
    f"java.io.IOException: Writing records to JDBC failed.\n{FLINK}\n"
    "Caused by: org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint orders_pkey\n"
    "\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:1)"
)
DISPATCHER = "org.apache.flink.runtime.dispatcher.StandaloneDispatcher"
TOO_LARGE = (
    f"org.apache.kafka.common.KafkaException: Unexpected error in InitProducerIdResponse\n{FLINK}\n"
    "Caused by: org.apache.kafka.common.errors.InvalidTxnTimeoutException: The transaction timeout is larger than the"
    " maximum value allowed by the broker (as configured by transaction.max.timeout.ms)."
)
TERMINAL = (
    f"Job {JOB} reached terminal state FAILED.\n"
    f"org.apache.flink.runtime.client.JobInitializationException: Could not start the JobMaster.\n{FLINK}\nCaused by: "
)


def thrice(trace: str) -> list[str]:
    return [told for second in (30, 40, 50) for told in failing(second, trace)]


VERDICTS = {
    "own code again and again": (thrice(NULL), "user_code", "com.acme.Enrich.map"),
    "own code once, for good": (failing(30, NULL, restarts=False), "user_code", "NullPointerException"),
    "a class is missing": (thrice(CLASS), "user_code", "com.acme.Order"),
    "a malformed record": (thrice(JSON_RECORD), "user_code", "JsonParseException"),
    "kryo": (thrice(KRYO), "user_code", "Buffer underflow"),
    "no broker answers": (thrice(BROKER), "outside_system", "The system is Kafka."),
    "a table does not take a record": (thrice(UNIQUE), "user_code", "violates unique constraint"),
    "generated code": (thrice(SQL), "user_code", "/ by zero"),
    "a serializer does not fit": (thrice(MIGRATION), "restore_failure", "must not be incompatible"),
    "a shared file is missing": (thrice(SHARED), "restore_failure", "/ckpt/a/shared/5f1c"),
    "an operator is missing": (
        [line(30, DISPATCHER, TERMINAL + NO_OPERATOR)],
        "restore_failure",
        "e30ccce83304773b609843a7d9d3e8d7",
    ),
    "an operator is missing, as 1.11 tells it": (
        [
            line(
                30,
                DISPATCHER,
                f"Failed to submit job {JOB}.\njava.lang.RuntimeException: x\n{FLINK}\nCaused by: {NO_OPERATOR}",
                "ERROR",
                log4j1=True,
            )
        ],
        "restore_failure",
        "s3://b/savepoint-1",
    ),
    "the max parallelism changed": (
        [line(30, DISPATCHER, TERMINAL + MAX_PARALLELISM)],
        "restore_failure",
        "written with 128",
    ),
    "the broker refuses the transaction timeout": (
        thrice(TOO_LARGE),
        "exactly_once_kafka",
        "transaction.max.timeout.ms",
    ),
    "the synchronous part fails": (failing(30, IN_SNAPSHOT), "checkpoint_declined", "com.acme.Buffer.snapshotState"),
    "the storage client is shut down": (
        [told for number in (4, 5, 6) for told in declining(10 * number, number, POOL)],
        "checkpoint_declined",
        "the checkpoint storage",
    ),
    "a decline as 1.10 tells it": (
        [told for number in (4, 5, 6) for told in declining(10 * number, number, OLD_DECLINE, OLD_EXECUTION)],
        "checkpoint_declined",
        "enrich declined 3 of them, in subtask 0",
    ),
    "a source has finished in 1.12": (
        [
            line(
                second,
                COORDINATOR,
                f"Checkpoint triggering task Source: rates (1/1) of job {JOB} is not in state RUNNING but FINISHED"
                " instead. Aborting checkpoint.",
            )
            for second in (30, 40, 50)
        ],
        "checkpoint_declined",
        "FINISHED instead",
    ),
}


@pytest.mark.parametrize(("between", "verdict", "said"), VERDICTS.values(), ids=VERDICTS.keys())
def test_the_jobmanagers_log_alone_shows_the_cause(
    spark: SparkSession, tmp_path: Path, between: list[str], verdict: str, said: str
) -> None:
    document = diagnosed(spark, tmp_path, log=jobmanager_log(*between)).document
    assert document["verdict"]["symptom_class"] == verdict
    assert said in "\n".join(each["statement"] for each in document["findings"])


@pytest.mark.parametrize(
    "between",
    [
        thrice(CONNECT),
        thrice(MEMORY),
        thrice(CHAINED),
        [
            line(
                3,
                "org.apache.flink.runtime.checkpoint.CheckpointFailureManager",
                f"Failed to trigger checkpoint for job {JOB} since Checkpoint triggering task enrich (1/2) of job {JOB}"
                " is not being executed at the moment. Aborting checkpoint. Failure reason: Not all required tasks are"
                " currently running..",
            )
        ],
        [
            line(
                10,
                "org.apache.flink.runtime.checkpoint.CheckpointFailureManager",
                f"Failed to trigger or complete checkpoint 2 for job {JOB}. (0 consecutive failed attempts so far)\n"
                "org.apache.flink.runtime.checkpoint.CheckpointException: TaskManager received a checkpoint request for"
                f" unknown task {EXECUTION}. Failure reason: Task local checkpoint failure.\n{FLINK}",
                "WARN",
            )
        ],
    ],
    ids=["no connection", "no memory", "own code only calls what fails", "tasks not running yet", "one unknown task"],
)
def test_what_comes_from_elsewhere_is_not_laid_on_the_job(
    spark: SparkSession, tmp_path: Path, between: list[str]
) -> None:
    document = diagnosed(spark, tmp_path, log=jobmanager_log(*between)).document
    alarming = {each["symptom_class"] for each in document["findings"] if each["severity"] != "info"}
    assert not alarming & {"user_code", "restore_failure", "checkpoint_declined"}


def test_a_taskmanagers_log_alone_shows_failing_code(spark: SparkSession, tmp_path: Path) -> None:
    log = [
        line(0, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "Starting TaskManager with ResourceID: tm-1")
    ]
    log += [
        line(
            second,
            TASK,
            f"enrich (1/2)#{number} ({EXECUTION}) switched from RUNNING to FAILED with failure cause: {NULL}",
        )
        for number, second in enumerate((10, 20, 30))
    ]
    document = diagnosed(spark, tmp_path, log="\n".join(log)).document
    assert document["verdict"]["symptom_class"] == "user_code"


def test_a_stack_trace_alone_shows_failing_code_less_surely(spark: SparkSession, tmp_path: Path) -> None:
    document = diagnosed(spark, tmp_path, log=NULL).document
    assert (document["verdict"]["symptom_class"], document["verdict"]["confidence"]) == ("user_code", 0.6)
    assert document["missing_evidence"][0]["what"].startswith("The JobManager's log")


def test_a_stack_trace_that_only_reports_asks_for_what_came_before(spark: SparkSession, tmp_path: Path) -> None:
    threshold = (
        f"org.apache.flink.util.FlinkRuntimeException: Exceeded checkpoint tolerable failure threshold.\n{FLINK}"
    )
    document = diagnosed(spark, tmp_path, log=threshold).document
    assert document["verdict"]["symptom_class"] == "inconclusive"
    assert "only reports" in document["verdict"]["summary"]


def test_rests_exceptions_alone_show_failing_code(spark: SparkSession, tmp_path: Path) -> None:
    entries = [
        {
            "exceptionName": "java.lang.NullPointerException",
            "stacktrace": NULL,
            "timestamp": 1_795_222_000_000 + second * 1000,
            "taskName": "enrich (1/2)",
            "endpoint": "host:1",
            "concurrentExceptions": [],
        }
        for second in (30, 20, 10)
    ]
    answer = {
        "root-exception": NULL,
        "timestamp": entries[0]["timestamp"],
        "all-exceptions": [],
        "truncated": False,
        "exceptionHistory": {"entries": entries, "truncated": False},
    }
    document = diagnosed(spark, tmp_path, rest=json.dumps(answer)).document
    assert document["verdict"]["symptom_class"] == "user_code"


PARTS = (
    f"java.io.IOException: Writing records to JDBC failed.\n{FLINK}\n"
    "Caused by: java.sql.BatchUpdateException: Code: 252. DB::Exception: Too many parts (300). Merges are processing"
    " significantly slower than inserts. (TOO_MANY_PARTS)\n"
    "\tat com.clickhouse.jdbc.SqlExceptionUtils.batchUpdateError(SqlExceptionUtils.java:1)"
)
ICEBERG = (
    f"java.lang.RuntimeException: cannot commit\n{FLINK}\n"
    "Caused by: org.apache.iceberg.exceptions.CommitFailedException: Cannot commit: Base metadata location is not same"
    " as the current table metadata location\n\tat org.apache.iceberg.BaseMetastoreTableOperations.commit(Base.java:1)"
)
PLAIN_TIMEOUT = (
    "org.apache.kafka.common.KafkaException: Unexpected error in InitProducerIdResponse; The transaction timeout is"
    " larger than the maximum value allowed by the broker (as configured by max.transaction.timeout.ms).\n"
    "\tat org.apache.kafka.clients.producer.internals.TransactionManager$InitProducerIdHandler.handleResponse(T.java:1)"
)
POOL_EMPTY = (
    "org.apache.flink.streaming.connectors.kafka.FlinkKafka011Exception: Too many ongoing snapshots. Increase kafka"
    " producers pool size or decrease number of concurrent checkpoints.\n"
    "\tat org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer011.createOrGetProducerFromPool(F.java:1)"
)
TOKEN = (
    "org.apache.hadoop.ipc.RemoteException(org.apache.hadoop.security.token.SecretManager$InvalidToken): token"
    f" (HDFS_DELEGATION_TOKEN token 1523 for flink) can't be found in cache\n{FLINK}"
)


BINLOG = (
    f"java.lang.RuntimeException: One or more fetchers have encountered exception\n{FLINK}\n"
    "Caused by: io.debezium.DebeziumException: The connector is trying to read binlog starting at GTIDs 3fa7d5bb:1,"
    " but this is no longer available on the server. Reconfigure the connector to use a snapshot when needed.\n"
    "\tat io.debezium.connector.mysql.MySqlConnectorTask.start(MySqlConnectorTask.java:1)"
)
NO_CONNECTOR = (
    "org.apache.flink.table.api.ValidationException: Could not find any factory for identifier 'clickhouse' that"
    f" implements 'org.apache.flink.table.factories.DynamicTableFactory' in the classpath.\n{FLINK}"
)


@pytest.mark.parametrize(
    ("trace", "verdict", "said"),
    [
        (PARTS, "outside_system", "The system is ClickHouse."),
        (ICEBERG, "outside_system", "another writer changed the same table"),
        (PLAIN_TIMEOUT, "exactly_once_kafka", "transaction.max.timeout.ms"),
        (POOL_EMPTY, "exactly_once_kafka", "no producer left in its pool"),
        (TOKEN, "outside_system", "token or ticket is no longer valid"),
        (BINLOG, "restore_failure", "no longer available on the server"),
    ],
    ids=["ClickHouse", "Iceberg", "plain KafkaException", "no producer left", "token", "binlog"],
)
def test_the_message_of_a_connector_shows_the_cause(
    spark: SparkSession, tmp_path: Path, trace: str, verdict: str, said: str
) -> None:
    document = diagnosed(spark, tmp_path, log=jobmanager_log(*thrice(trace))).document
    assert document["verdict"]["symptom_class"] == verdict
    assert said in "\n".join(each["statement"] for each in document["findings"])


def test_a_connector_that_is_not_on_the_class_path_is_named(spark: SparkSession, tmp_path: Path) -> None:
    document = diagnosed(spark, tmp_path, log=jobmanager_log(*thrice(NO_CONNECTOR), completed=())).document
    assert document["verdict"]["symptom_class"] == "misconfiguration"
    assert "identifier 'clickhouse'" in "\n".join(each["statement"] for each in document["findings"])
