"""Messages of connectors of message systems name the release or the option that repairs them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import class_named, names_two_loaders, owner_of
from diagnostics.vocabulary.code_shapes import code_shape_of
from diagnostics.vocabulary.message_remedies import remedy_of

PULSAR = "org.apache.flink.streaming.connectors.pulsar."
CLIENT = "org.apache.pulsar.client."
ACTS = [
    (f"{CLIENT}api.PulsarClientException$AlreadyClosedException: Producer already closed", "1.12.2.1"),
    ("RuntimeException: Failed to commit cursor offset 1:38:0:0 for persistent://public/default/t", "failOnDataLoss"),
    ("RuntimeException: start message id beyond the last commit", "failOnDataLoss"),
    (f"java.io.NotSerializableException: {CLIENT}impl.PulsarClientImpl", "1.13.1.1"),
    (f"{CLIENT}impl.DefaultBatcherBuilder@75d2da2d is not serializable.", "2.4.1"),
    (
        f"{CLIENT}admin.PulsarAdminException$NotFoundException: Topic not exist\nNotFoundException: HTTP 404 Not Found",
        "Create the topic",
    ),
    ("IllegalArgumentException: Invalid short topic name 'a/b', it should be in the format of <tenant>", "whole name"),
    ("UnsupportedVersionException: The node does not support INIT_PRODUCER_ID", "enable_idempotence"),
    ("RestClientException: User is denied operation Write on Subject: s; error code: 40301", "DeveloperWrite"),
    ("RestClientException: Unauthorized; error code: 401", "user-info"),
    ("SaslException: x [Caused by UnsupportedCallbackException: Unrecognized SASL ClientCallback]", "callback.handler"),
    ("MQClientException: The message queue is not in assigned list, message queue: q", "RocketMQSource"),
    ("NoClassDefFoundError: org/slf4j/bridge/SLF4JBridgeHandler", "jul-to-slf4j"),
    ("An exception was thrown by TimerTask.\njava.lang.NoClassDefFoundError: org/acme/A", "lib/"),
    ("TimeoutException: Timed out waiting to send the call. Call: listOffsets", "--unavailable-partitions"),
    ("TimeoutException: Timed out waiting for a node assignment. Call: describeTopics", "bootstrap.servers"),
    ("TimeoutException: Timeout expired after 60000ms while awaiting EndTxn(true)", "__transaction_state"),
    ("IllegalArgumentException: JAAS config entry not terminated by semi-colon", "semicolon"),
    ("SaslException: Failed to find AWS IAM Credentials [Caused by SdkClientException: Unable]", "awsProfileName"),
    ("java.lang.NoClassDefFoundError: com/github/luben/zstd/ZstdInputStream", "zstd-jni"),
    ("SerializationException: Error retrieving Avro schema for id 5", "/schemas/ids/"),
    ("AWSSchemaRegistryException: Schema Found but status is FAILURE", "--compatibility NONE"),
    ("MQBrokerException: CODE: 14 DESC: service not available now. It may be caused by", "diskMaxUsedSpaceRatio"),
    ("CatalogException: Can't create generic table under pulsar tenant/namespace: a/b", "no slash"),
    (
        "Unable to commit transaction (x) because its producer is already fenced. Recovery took longer",
        "transaction.timeout",
    ),
    (
        "Unable to commit transaction (1,2). Please check the Pulsar broker logs for more details.",
        "transactionTimeoutMillis",
    ),
    ("Got error produce response on topic-partition o-0, retrying (9 left). Error: NOT_ENOUGH_REPLICAS", "min.insync"),
    ("IllegalArgumentException: Invalid AWS Credential Provider Type X.", "WEB_IDENTITY_TOKEN"),
]


@pytest.mark.parametrize(("said", "named"), ACTS)
def test_the_remedy_names_the_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


@pytest.mark.parametrize(
    ("said", "frame", "named"),
    [
        ("java.lang.NullPointerException: null", f"{PULSAR}internal.JacksonRecordParser.<init>", "2.5.4"),
        (
            "KryoException: Unable to find class: A",
            "org.apache.flink.connector.elasticsearch.sink.OperationSerializer.d",
            "uid",
        ),
        ("HttpTimeoutException: request timed out", "com.getindata.connectors.http.internal.A.pull", "request.timeout"),
    ],
)
def test_the_frame_of_a_connector_decides_which_release_repairs_it(said: str, frame: str, named: str) -> None:
    assert named in (remedy_of(said, [frame]) or "")
    assert named not in (remedy_of(said, ["org.acme.Job.run"]) or "")


def test_a_class_of_the_relocated_client_is_not_the_same_class_twice() -> None:
    handler, wanted = "software.amazon.msk.auth.iam.IAMClientCallbackHandler", "org.apache.flink.kafka.shaded.org.A"
    said = (
        f"class {handler} cannot be cast to class {wanted} ({handler} and {wanted} are in unnamed module of loader"
        " org.apache.flink.util.ChildFirstClassLoader @7ed85b97)"
    )
    assert not names_two_loaders(said)
    assert "flink-connector-kafka with kafka-clients" in (remedy_of(f"java.lang.ClassCastException: {said}") or "")


@pytest.mark.parametrize(
    ("missing", "frame", "is_nested"),
    [
        ("io.netty.buffer.PoolArena$1", "io.netty.buffer.PoolArena.sizeClass", True),
        ("io.netty.buffer.PoolArena$1", "io.netty.buffer.PoolArena$HeapArena.free", True),
        ("io.netty.buffer.PoolArena$1", "io.netty.buffer.PoolChunk.free", False),
        ("io.netty.buffer.PoolArena", "io.netty.buffer.PoolArena.sizeClass", False),
    ],
)
def test_a_class_that_lacks_its_inner_class_has_lost_its_jar(missing: str, frame: str, is_nested: bool) -> None:
    shape = code_shape_of("class_loading", "java.lang.NoClassDefFoundError", missing, "", [frame], None)
    assert (shape is not None and shape.nested) is is_nested


def test_the_verifier_names_the_class_of_another_release() -> None:
    said = (
        "Bad type on operand stack\nException Details:\n  Location:\n    io/lettuce/core/A.<clinit>()V @51: putstatic\n"
        "  Reason:\n    Type 'io/netty/resolver/dns/B' (current frame, stack[0]) is not assignable to 'io/netty/C'"
    )
    owner = owner_of(class_named("java.lang.VerifyError", said))
    assert owner is not None
    assert owner.what == "Netty"
