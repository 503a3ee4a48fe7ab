"""Messages of Kafka's clients and tables and of other message systems name the act that repairs them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import asks_another_flink, owner_of
from diagnostics.vocabulary.fault_origins import origin_of
from diagnostics.vocabulary.known_bug import bugs_that_fit
from diagnostics.vocabulary.message_remedies import remedy_of

CASTABLE = "IllegalArgumentException: Callback handler must be castable to org.apache.kafka.common.security.auth.A: b.C"
ACTS = [
    (CASTABLE, "one copy of kafka-clients"),
    ("SaslAuthenticationException: Failed to create SaslClient with mechanism SCRAM-SHA-512", "sasl.mechanism"),
    ("IllegalArgumentException: No serviceName defined in either JAAS or Kafka config", "sasl.kerberos.service.name"),
    ("SSL key store is specified, but key store password is not specified.", "ssl.keystore.password"),
    ("Both SSL trust store location and separate trust certificates are specified.", "ssl.truststore.certificates"),
    ("InvalidConfigurationException: No matching PRIVATE KEY entries in PEM file", "pkcs8"),
    ("The token endpoint response did not contain an access_token value. Response: ({})", "client_credentials"),
    ("No OAuth Bearer tokens in Subject's private credentials", "sasl.login.callback.handler.class"),
    ("org.apache.kafka.common.errors.InvalidTopicException: Topic 'a/b' is invalid", "separated by ';'"),
    ("SerializationException: Size of data received by LongDeserializer is not 8", "StringDeserializer"),
    ("IllegalArgumentException: The partitioner generated an invalid partition number: -1.", "floorMod"),
    ("ValidationException: Either 'topic' or 'topic-pattern' must be set.", "'topic-pattern'"),
    ("'scan.startup.timestamp-millis' is required in 'timestamp' startup mode but missing.", "timestamp-millis"),
    ("Currently Kafka source only supports specific offset for single topic.", "one table for each topic"),
    ("A key format should only deal with INSERT-only records. But debezium-json has a changelog", "'value.format'"),
    ("A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'.", "EXCEPT_KEY"),
    ("Unable to retrieve any partitions with KafkaTopicsDescriptor: Fixed Topics ([t])", "Create the topics"),
    ("Could not find class a.B specified in writer's schema whilst finding reader's schema for a S", "forSpecific"),
    ("AvroTypeException: Found a.MyEnumType, expecting union", "'avro-confluent.schema'"),
    ("Error occurred on EFO subscription: io.netty.handler.timeout.ReadTimeoutException - (null).", "1.13.3"),
    ("Error occurred on EFO subscription: java.nio.channels.ClosedChannelException - (null).", "2.0.3"),
    (
        "RuntimeException: Maximum retries exceeded for SubscribeToShard. Failed 10 times.",
        "subscribetoshard.maxretries",
    ),
    ("RuntimeException: No shards can be found for all subscribed streams: [a]", "describe-stream-summary"),
    ("No valid enhanced fan-out consumer name is set through flink.stream.efo.consumername", "LAZY or EAGER"),
    ("RuntimeException: Retries exceeded for getRecords operation - all 3 retry attempts failed.", "adaptivereads"),
    ("RuntimeException: Child process exited with code 139", "KinesisStreamsSink"),
    ("The AWS region ('aws.region') must be set in the config.", "aws.region of the connector"),
    ("ResourceNotFoundException: Requested resource not found: Shard does not exist", "FLINK-26890"),
    ("IllegalArgumentException: Host kafka.internal does not belong to a valid region.", "AWS_REGION"),
    ("AWSSchemaRegistryException: Didn't find secondary deserializer.", "secondaryDeserializer"),
    ("Retries exhausted for schema evolution check for schemaVersionId = 1", "get-schema-version"),
    ("PulsarClientException$IncompatibleSchemaException: Topic does not have schema to check", "SimpleStringSchema"),
    ("PulsarClientException$IncompatibleSchemaException: incompatible", "set-schema-compatibility-strategy"),
    ("ConsumerBusyException: Exclusive consumer is already connected", "topics unload"),
    ("IllegalArgumentException: StopCursor isn't serializable", "transient"),
    (
        "UnsupportedOperationException: Enable checkpointing to use the exactly-once writer mode.",
        "checkpointing.interval",
    ),
    ("IOException: Cannot connect to NATS server.", "io.nats.client.url"),
    ("RuntimeException: None of RabbitMQ channels are available", "channel_max"),
    ("LogTruncationException: Truncated partitions detected with divergent offsets {}", "unclean.leader.election"),
    ("[Consumer clientId=a, groupId=b] Topic authorization failed for topics [t]", "kafka-acls.sh"),
    ("[Consumer clientId=a, groupId=b] Not authorized to commit to topics [t]", "kafka-acls.sh"),
    ("Modification time of key store could not be obtained: /certs/k.jks", "ssl.truststore.location"),
    ("[Producer clientId=a] Metadata response reported invalid topics [a/b]", "separated by ';'"),
    ("KafkaException: Encountered corrupt message when fetching offset 5 for topic-partition t-0", "kafka-dump-log"),
    ("TimeoutException: Failed to get offsets by times in 60001ms", "default.api.timeout.ms"),
    ("[Principal=flink@EXAMPLE.COM]: Could not refresh TGT.", "security.kerberos.login.keytab"),
    ("There may be leaked EFO consumers on the Kinesis stream.", "deregister-stream-consumer"),
]
INIT_CONTEXT = "org.apache.flink.api.connector.sink.Sink$InitContext"


@pytest.mark.parametrize(("said", "named"), ACTS)
def test_the_remedy_names_the_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_a_handler_of_another_copy_is_no_refused_login() -> None:
    login = "org.apache.kafka.common.errors.SaslAuthenticationException: Failed to configure SaslClientAuthenticator"
    exception, message = CASTABLE.split(": ", 1)
    assert origin_of(f"java.lang.{exception}", message, None, None, login).id == "class_loading"


def test_the_buffer_of_an_upsert_sink_goes_before_a_serializer_that_returns_null() -> None:
    said = "java.lang.NullPointerException: timestamp must to be set before retrieving it."
    bugs = bugs_that_fit(said, ["org.apache.flink.connector.kafka.sink.KafkaWriter.write"])
    assert bugs[0] == "FLINK-25916"


def test_a_missing_method_of_an_interface_that_is_there_asks_for_another_flink() -> None:
    owner = owner_of(INIT_CONTEXT)
    assert asks_another_flink("java.lang.NoSuchMethodError", INIT_CONTEXT)
    assert not asks_another_flink("java.lang.NoClassDefFoundError", INIT_CONTEXT)
    assert owner is not None
    assert "flink run" in owner.advice_on("java.lang.NoClassDefFoundError", (1, 15))
    assert "flink run" not in owner.advice_on("java.lang.NoSuchMethodError", (1, 15))
