"""Messages of processes, their memory, their connections and their class path name the act that repairs them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import owner_of
from diagnostics.vocabulary.code_shapes import code_shape_of
from diagnostics.vocabulary.message_remedies import known_message, remedy_of
from diagnostics.vocabulary.outside_refusals import refusal_of
from tests.diagnostics.vocabulary.test_known_failures import shown_by

MEMORY = "org.apache.flink.configuration.IllegalConfigurationException: "
TASKS = f"{MEMORY}TaskManager memory configuration failed: "
SCHEME = "UnsupportedFileSystemSchemeException: Could not find a file system implementation for scheme "
FACTORY = "NoMatchingTableFactoryException: Could not find a suitable table factory for 'org.apache.flink.table."
NETTY = "org.apache.flink.runtime.io.network.netty.exception."
ACTS = [
    (
        f"{MEMORY}JobManager memory configuration failed: The configured Total Flink Memory (64.000mb) is less than"
        " the configured Off-heap Memory (128.000mb).",
        "misconfiguration",
        "raise jobmanager.memory.process.size",
    ),
    (
        f"{TASKS}Derived JVM Overhead size (2.500gb) is not in configured JVM Overhead range [192.000mb, 1024.000mb].",
        "misconfiguration",
        "taskmanager.memory.jvm-overhead.max",
    ),
    (
        f"{MEMORY}JobManager memory configuration failed: Derived JVM Overhead size (2gb) is not in configured JVM"
        " Overhead range [192.000mb, 1024.000mb].",
        "misconfiguration",
        "the same options begin with jobmanager.memory",
    ),
    (
        f"{TASKS}Configured and Derived memory sizes (total 3gb) do not add up to the configured Total Process Memory"
        " size (2gb).",
        "misconfiguration",
        "Set taskmanager.memory.process.size alone",
    ),
    (
        f"{TASKS}Derived Network Memory size (2gb) is not in configured Network Memory range [64.000mb, 1024.000mb].",
        "misconfiguration",
        "taskmanager.memory.network.max",
    ),
    (f"{MEMORY}Cannot read memory size from config option 'taskmanager.memory.process.size'.", None, "2048m"),
    (f"{SCHEME}'hdfs'. The scheme is not directly supported by Flink", "misconfiguration", "HADOOP_CLASSPATH"),
    (f"{SCHEME}'cosn'. The scheme is not directly supported by Flink", "misconfiguration", "hadoop-cos"),
    (f"{SCHEME}'s3'. The scheme is directly supported by Flink", "misconfiguration", "plugins/s3-fs-hadoop"),
    (f"{FACTORY}factories.DeserializationSchemaFactory' in", "misconfiguration", "flink-csv"),
    (f"{FACTORY}factories.TableSourceFactory' in", "misconfiguration", "connector.type"),
    (f"{FACTORY}delegation.PlannerFactory' in", "misconfiguration", "flink-table-planner"),
    ('no matches for kind "Certificate" in version "cert-manager.io/v1"', "misconfiguration", "Install cert-manager"),
    (f"{NETTY}LocalTransportException: Sending the partition request to 'null' failed.", None, "taskmanager.host"),
    (
        f"{NETTY}RemoteTransportException: Connecting to remote task manager 'a/10.0.0.3:40000' has failed.",
        None,
        "taskmanager.data.port",
    ),
    (
        f"{NETTY}RemoteTransportException: Connection unexpectedly closed by remote task manager 'a/10.0.0.3:40000'.",
        None,
        "OOMKilled",
    ),
    ("JobClientActorConnectionTimeoutException: Lost connection to the JobManager.", None, "jobmanager.rpc.address"),
    (
        "RegistrationTimeoutException: Could not register at the ResourceManager within the specified maximum"
        " registration duration 300000 ms.",
        None,
        "jobmanager.rpc.address",
    ),
    ("java.util.concurrent.TimeoutException: The heartbeat of ResourceManager with id 1 timed out.", None, "heartbeat"),
    ("AskTimeoutException: Ask timed out on [Actor[akka.tcp://flink@a/user/rpc/dispatcher]]", None, "ask.timeout"),
    ("akka.pattern.AskTimeoutException: Ask timed out on", None, "ask.timeout"),
    ("FencingTokenException: Fencing token not set: Ignoring message", None, "granted leadership"),
    ("java.nio.file.NoSuchFileException: /tmp/blobStore-1/job_2/blob_p-3", None, "blob.storage.directory"),
    (
        "java.lang.Exception: Job leader for job id 1db41f1e2a8c4c6fbf2d0a2bd8cbbd36 lost leadership.",
        "zookeeper_ha",
        "tolerate-suspended-connections",
    ),
    (
        "java.lang.IllegalStateException: The base directory of the JobResultStore isn't accessible.",
        None,
        "fsGroup",
    ),
    (
        "org.apache.kafka.common.errors.NetworkException: The server disconnected before a response was received.",
        "outside_system",
        "delivery.timeout.ms",
    ),
    (
        "org.apache.kafka.common.errors.TimeoutException: Timeout expired after 60000ms while awaiting InitProducerId",
        None,
        "transaction.state.log.replication.factor",
    ),
    (
        "Failed to load SSL keystore /usr/local/openjdk-8/lib/security/cacerts of type JKS",
        "misconfiguration",
        "$JAVA_HOME/lib/security/cacerts",
    ),
    (
        "java.lang.IllegalArgumentException: offset (0) + length (8) exceed the capacity of the array: 6",
        "user_code",
        "STRING",
    ),
    (
        "org.apache.iceberg.exceptions.NoSuchTableException: Table does not exist at location: hdfs://nn/a",
        "outside_system",
        "TableLoader.fromCatalog",
    ),
    ("ValidationException: Cannot determine history between starting snapshot 1 and", None, "starting-strategy"),
    ("java.io.IOException: BackPresure Exceed Reject Limit", "outside_system", "connectionSize"),
    ("java.lang.RuntimeException: An error occurred in NebulaSink.", "outside_system", "nebula-flink-connector"),
    ("org.apache.hadoop.hdfs.BlockMissingException: Could not obtain block: BP-1", None, "hdfs fsck"),
    ("IllegalArgumentException: Can't get Master Kerberos principal for use as renewer", None, "HADOOP_CONF_DIR"),
    ("YarnException: Failed to submit application_1_1 to YARN : root is not a leaf queue", None, "application.queue"),
    ("RestClientException: Response was neither of the expected type([simple type, class a]) nor", None, "/overview"),
    ("FlinkJobNotFoundException: Could not find Flink job (1)", None, "flink list -a"),
    ("The window function TUMBLE requires the timecol is a time attribute type, but is", "user_code", "WATERMARK FOR"),
    ("java.io.IOException: Could not find schema with id 3 in registry", "outside_system", "/schemas/ids/"),
    (
        "CorruptRecordException: This message has failed its CRC checksum, exceeds the valid size, has a null key for"
        " a compacted topic, or is otherwise corrupt.",
        "outside_system",
        "key.fields",
    ),
    ("Py4JError: org.apache.flink.a does not exist in the JVM", "user_code", "FLINK_HOME"),
    ("PulsarClientException$TimeoutException: The producer a can not send message to the topic b", None, "sendTimeout"),
    ("AlreadyClosedException: connection is already closed due to connection error", None, "setRequestedHeartbeat"),
    ("ConnectedFailedException: Connect to Doris BE{host='a', port=9060}failed.", "outside_system", "be_port"),
    ("HoodieIOException: Could not read commit details from /a/.hoodie/1.commit", "outside_system", "archive.min"),
    ("RetriesExhaustedException: Failed after attempts=36, exceptions:", None, "zookeeper.quorum"),
    (
        "CannotPlanException: There are not enough rules to produce a node with desired properties:"
        " convention=BATCH_PHYSICAL",
        "user_code",
        "'streaming'",
    ),
]


@pytest.mark.parametrize(("said", "symptom_class", "act"), ACTS)
def test_a_message_names_the_act_that_repairs_it(said: str, symptom_class: str | None, act: str) -> None:
    assert act in (remedy_of(said) or "")
    assert symptom_class is None or shown_by(said) == symptom_class


def test_sum_of_parts_keeps_its_own_advice() -> None:
    known = known_message(f"{TASKS}Sum of configured Framework Heap Memory (1gb) exceed configured Total Flink Memory")
    assert known is not None
    assert known.id == "memory-sum"


def test_a_class_that_a_plug_in_of_flink_lacks_is_no_matter_of_the_class_path() -> None:
    frames = ["org.apache.hadoop.fs.aliyun.oss.AliyunOSSUtils.longOption", "org.apache.flink.fs.osshadoop.F.create"]
    chain = "java.lang.NoClassDefFoundError: org/apache/hadoop/thirdparty/com/google/common/base/Preconditions"
    missing = "org.apache.hadoop.thirdparty.com.google.common.base.Preconditions"
    shape = code_shape_of("class_loading", "java.lang.NoClassDefFoundError", missing, chain, frames, None)
    assert shape is not None
    assert "upgrade Flink" in shape.advice
    assert "upgrade Flink" in (remedy_of(chain, frames) or "")
    assert "upgrade Flink" not in (remedy_of(chain) or "")


def test_a_short_name_that_is_cast_to_itself_is_there_twice_but_the_end_of_another_is_not() -> None:
    exception = "java.lang.ClassCastException"
    twice = code_shape_of("unknown", exception, "", f"{exception}: X cannot be cast to X", (), None)
    other = code_shape_of("unknown", exception, "", f"{exception}: org.acme.OrderRow cannot be cast to row", (), None)
    assert twice is not None
    assert twice.what == "a class is on the class path twice"
    assert other is None or other.what != twice.what


def test_java_8_comes_first_where_flink_itself_calls_what_java_11_no_longer_has() -> None:
    owner = owner_of("javax.xml.bind.DatatypeConverter")
    assert owner is not None
    assert "Flink before 1.10" in owner.advice


def test_of_two_systems_with_one_text_the_one_whose_client_reports_it_is_named() -> None:
    text = "org.apache.doris.flink.exception.DorisBatchLoadException: stream load error: [LABEL_ALREADY_EXISTS]"
    refusal = refusal_of(text)
    assert refusal is not None
    assert refusal.system_in(text) == "Doris"
