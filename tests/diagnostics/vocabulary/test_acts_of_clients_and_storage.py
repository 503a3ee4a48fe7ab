"""Failures of clients, storage and class paths as they are printed, with the act that repairs them and the class."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import release_met
from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.vocabulary.setting_faults import setting_fault_of
from tests.diagnostics.vocabulary.test_known_failures import shown_by

ACTS = [
    (
        'StreamLoadFailException: {"Status":"Fail","Message":"all partitions have no load data"}',
        "user_code",
        "empty_load_as_error",
    ),
    ("StarRocksStreamLoadFailedException: Failed to parse json as array. error: Within", "outside_system", "escaped"),
    ("ProgramInvocationException: Error fetching avro schema for topic Page", "outside_system", "/subjects"),
    ("UnsupportedVersionException: Attempted to write a non-default producerId at version 2", "outside_system", "2.5"),
    ("java.lang.NoSuchFieldError: INSTANCE", "user_code", "one Scala suffix"),
    (
        "ClassCastException: cannot assign instance of org.apache.doris.flink.cfg.DorisOptions to field "
        "org.apache.flink.cdc.connectors.doris.sink.DorisMetadataApplier.dorisOptions",
        "user_code",
        "lib/ of Flink CDC",
    ),
    (
        "IOException: Could not create FileSystem for highly available storage (high-availability.storageDir)",
        "misconfiguration",
        "HADOOP_CLASSPATH",
    ),
    ("AmazonS3Exception: Forbidden (Service: Amazon S3; Status Code: 403; Error Code: 403 Forbidden", None, "endpoint"),
    (
        "JsonParseException: Unexpected character ('<' (code 60))\n at [Source: "
        "(org.apache.flink.shaded.netty4.io.netty.buffer.ByteBufInputStream); line: 1, column: 2]",
        "misconfiguration",
        "rest.port",
    ),
    (
        "dropping message [class akka.actor.ActorSelectionMessage] for non-local recipient [Actor[akka.tcp://a@b:6123/]]",
        "misconfiguration",
        "jobmanager.bind-host",
    ),
    (
        "ConnectTimeoutException: 60000 millis timeout while waiting for channel to be ready for connect. ch : "
        "java.nio.channels.SocketChannel[connection-pending remote=/10.0.0.7:50010]",
        "outside_system",
        "dfs.client.use.datanode.hostname",
    ),
    (
        "MemoryManager$1: New Memory allocation 1 bytes is smaller than the minimum allocation size of 2 bytes.",
        None,
        "parquet.memory.pool.ratio",
    ),
    (
        "StateMigrationException: The new state typeSerializer for operator state must not be incompatible.",
        "restore_failure",
        "another release of its connector",
    ),
    ("TooLongFrameException: content length exceeded 104857600 bytes.", "misconfiguration", "rest.server.max-content"),
    ("RestHandlerException: Request did not match expected format JarRunRequestBody.", None, "entryClass"),
    ("java.io.IOException: Cannot write record to fresh sort buffer. Record too large.", None, "memory.managed"),
    ("py4j.protocol.Py4JError: org.apache.flink.api.python.x does not exist in the JVM", "user_code", "pip install"),
    ("KubernetesClientException: Operation cannot be fulfilled on configmaps", None, "kubernetes.cluster-id"),
    ("SqlValidatorException: Object 'orders' not found", "user_code", "SHOW TABLES"),
    (
        "org.apache.flink.table.catalog.exceptions.DatabaseNotExistException: Database x does",
        None,
        "CREATE DATABASE",
    ),
    ("org.apache.kafka.common.errors.InvalidTxnStateException: The producer", None, "transaction.max.timeout.ms"),
    ("org.apache.kafka.common.KafkaException: Failed to construct kafka consumer", None, "bootstrap.servers"),
    (
        "IOException: Failed to replace a bad datanode on the existing pipeline due to",
        "outside_system",
        "on-failure.policy",
    ),
    ("IOException: Unable to close file because the last block does not have enough number of replicas.", None, "10"),
    ("Unable to instantiate org.apache.hadoop.hive.ql.metadata.SessionHiveMetaStoreClient", "outside_system", "9083"),
    ("MongoCommandException: Command failed with error 280 (ChangeStreamFatalError)", "outside_system", "initial"),
    ("[Elasticsearch exception [type=index_not_found_exception, reason=no", "outside_system", "auto_create_index"),
    ("NullFieldException: Field 0 is null, but expected to hold a value.", "user_code", "POJO"),
    ("org.rocksdb.RocksDBException: Corruption: block checksum mismatch", None, "localdir"),
    ("TableException: The window can only be ordered in ASCENDING mode.", "user_code", "ROW_NUMBER()"),
    ("SqlValidatorException: Cannot apply '=' to arguments of type '<BIGINT> = <VARCHAR>'", "user_code", "CAST(a AS"),
    ("SqlValidatorException: Column 'a' not found in any table", "user_code", "DESCRIBE"),
    ("FlinkJobNotFoundException: Could not find Flink job (abc)", None, "flink list -a"),
    (
        "YarnException: root.x already has 10 applications, cannot accept submission of application",
        None,
        "-refreshQueues",
    ),
    ("java.io.IOException: Response code from http://p:9091/metrics/job/x was 400", None, "--push.disable-consistency"),
    ("java.io.IOException: Target file s3://c/chk-1/_metadata already exists.", None, "high-availability.cluster-id"),
    ("HoodieKeyException: recordKey value: null for field: id cannot be null or empty.", "user_code", "COALESCE"),
    ("LoginException: Could not login: the client is being asked for a password", "misconfiguration", "KafkaClient"),
    ("java.io.IOException: Login failure for flink@X from keytab /x.keytab", "misconfiguration", "klist -kt"),
    ("java.io.IOException: Error accessing gs://bucket", "outside_system", "Storage Object Admin"),
    ("IllegalArgumentException: The log sequence number must be non-decreasing. The", "outside_system", "0.6.0"),
]
REFUSED = "org.apache.flink.table.api.ValidationException: Unable to create a source for reading table 'a'."
MISSING = "java.lang.NoSuchMethodError: org.apache.flink.table.factories.DynamicTableFactory$Context.getCatalogTable()"


@pytest.mark.parametrize(("said", "symptom_class", "act"), ACTS)
def test_a_failure_leads_to_the_act_that_repairs_it(said: str, symptom_class: str | None, act: str) -> None:
    assert act in (remedy_of(said) or "")
    assert symptom_class is None or shown_by(said) == symptom_class


def test_a_table_that_cannot_be_made_is_a_setting_only_where_no_cause_is_known() -> None:
    assert setting_fault_of(f"{REFUSED}\n{REFUSED}", (), "org.apache.flink.table.api.ValidationException")
    assert setting_fault_of(f"{REFUSED}\n{MISSING}\n{MISSING}", (), "java.lang.NoSuchMethodError") is None


def test_a_field_that_a_part_of_flink_misses_is_of_another_part_of_flink() -> None:
    met = release_met("java.lang.NoSuchFieldError", "org.apache.flink.runtime.security.ExitTrappingSecurityManager.a")
    assert met
    assert met.of_flink
    assert release_met("java.lang.NoSuchFieldError", "org.apache.http.conn.ssl.SSLConnectionSocketFactory.a") is None
    assert release_met("java.lang.NoSuchMethodError", "org.apache.flink.runtime.taskmanager.Task.a") is None


def test_two_releases_of_a_class_that_meet_where_settings_are_read_are_no_setting() -> None:
    frames = ("org.apache.flink.runtime.security.ExitTrappingSecurityManager.replaceGracefulExitWithHaltIfConfigured",)
    field = "java.lang.NoSuchFieldError: HALT_ON_FATAL_ERROR"
    assert setting_fault_of(field, frames, "java.lang.NoSuchFieldError") is None
    assert setting_fault_of("java.lang.SecurityException: no", frames, "java.lang.SecurityException")
