"""How outside systems refuse, in the words of their own clients."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.fault_origins import origin_of
from diagnostics.vocabulary.outside_refusals import likely_refusal, refusal_of, refusals, statuses_in, telling_texts
from diagnostics.wording.phrase import split_sentences

NO_MORE = "it takes no more writes for now"
FEWER = "it takes fewer requests than the job sends"
READ_ONLY = "it does not take writes, for it is read-only"
OTHER_WRITER = "another writer changed the same table at the same time"
BLOCKED = "its transactions block one another"
GONE = "it no longer has what the job wants to read"
CLIENT = "its client reports an error"
FORMER = "a former transaction or commit of the job is open, or is no longer known to it"
MOVING = "it is moving its leader, or too few of its replicas are there"
KAFKA = "org.apache.kafka.common.errors"


@pytest.mark.parametrize(
    ("exception", "message", "how", "system"),
    [
        (
            "java.sql.BatchUpdateException",
            "Code: 252. DB::Exception: Too many parts (300). Merges are processing significantly slower than inserts.",
            NO_MORE,
            "ClickHouse",
        ),
        (
            "com.starrocks.data.load.stream.exception.StreamLoadFailException",
            "Failed to load data into tablet 14349, because of too many versions, current/limit: 1006/1000.",
            NO_MORE,
            "StarRocks",
        ),
        (
            "org.apache.doris.flink.exception.DorisRuntimeException",
            "tablet writer write failed, tablet_id=27306172, txn_id=28573520, err=-235, host: 10.0.0.4",
            NO_MORE,
            "Doris",
        ),
        ("org.apache.hadoop.hbase.RegionTooBusyException", "Over memstore limit=512.0 M", NO_MORE, "HBase"),
        (
            "redis.clients.jedis.exceptions.JedisDataException",
            "OOM command not allowed when used memory > 'maxmemory'.",
            NO_MORE,
            "Redis",
        ),
        (
            "org.elasticsearch.ElasticsearchException",
            "Elasticsearch exception [type=es_rejected_execution_exception, reason=rejected execution of processing]",
            FEWER,
            "Elasticsearch",
        ),
        (
            "com.amazonaws.services.kinesis.model.ProvisionedThroughputExceededException",
            "Rate exceeded for shard shardId-000000000003 in stream orders under account 123456789012.",
            FEWER,
            "Kinesis",
        ),
        (
            "org.elasticsearch.ElasticsearchStatusException",
            "cluster_block_exception: blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];",
            READ_ONLY,
            "Elasticsearch",
        ),
        (
            "org.apache.iceberg.exceptions.CommitFailedException",
            "Cannot commit: Base metadata location is not same as the current table metadata location",
            OTHER_WRITER,
            "Iceberg",
        ),
        (
            "org.apache.hudi.exception.HoodieWriteConflictException",
            "java.util.ConcurrentModificationException: Cannot resolve conflicts for overlapping writes",
            OTHER_WRITER,
            "Hudi",
        ),
        ("java.lang.RuntimeException", "File deletion conflicts detected! Give up committing.", OTHER_WRITER, "Paimon"),
        (
            "com.mysql.cj.jdbc.exceptions.MySQLTransactionRollbackException",
            "Deadlock found when trying to get lock; try restarting transaction",
            BLOCKED,
            "a database (JDBC)",
        ),
        ("org.postgresql.util.PSQLException", "ERROR: deadlock detected", BLOCKED, "a database (JDBC)"),
        (
            "com.github.shyiko.mysql.binlog.event.deserialization.EventDataDeserializationException",
            "Failed to deserialize data of EventHeaderV4{timestamp=1542193955000, eventType=GTID, serverId=91111}",
            "it closed the connection",
            "MySQL",
        ),
        (
            "io.debezium.DebeziumException",
            "Supplemental logging not configured for table HELOWIN.ORDERS. Use command: ALTER TABLE",
            "it is not set up for change data capture",
            "Oracle",
        ),
        (
            "org.apache.pulsar.client.api.PulsarClientException$ConsumerBusyException",
            "Exclusive consumer is already connected",
            "another consumer or producer of the same name is connected",
            "Pulsar",
        ),
        (
            "org.apache.kafka.clients.consumer.OffsetOutOfRangeException",
            "Offsets out of range with no configured reset policy for partitions: {orders-3=81523311}",
            GONE,
            "Kafka",
        ),
        (
            f"{KAFKA}.CoordinatorLoadInProgressException",
            "The coordinator is loading and hence can't process requests.",
            MOVING,
            "Kafka",
        ),
        (
            "com.starrocks.connector.flink.manager.StarRocksStreamLoadFailedException",
            "Failed to parse json as array. error: Within strings, some characters must be escaped",
            "it does not take the rows as the sink writes them",
            "StarRocks",
        ),
        (
            "java.lang.IllegalArgumentException",
            "Get error write response on table bucket TableBucket{tableId=2, bucket=152}, fail. Error: UNKNOWN",
            "its client reports an error",
            "Fluss",
        ),
        (
            "java.lang.Exception",
            "Couldn't resolve server b:9092 from bootstrap.servers as DNS resolution failed for b",
            "its name cannot be resolved",
            "Kafka",
        ),
        (
            "org.opensearch.OpenSearchException",
            "OpenSearch exception [type=cluster_block_exception, reason=index [orders] blocked by: [FORBIDDEN/8/x]]",
            READ_ONLY,
            "OpenSearch",
        ),
        (
            "com.amazonaws.services.dynamodbv2.model.ResourceNotFoundException",
            "Requested resource not found (Service: AmazonDynamoDBv2; Status Code: 400)",
            "it does not have the topic, table or index",
            "DynamoDB",
        ),
        (
            "com.mysql.cj.jdbc.exceptions.PacketTooBigException",
            "Packet for query is too large (5,243,104 > 4,194,304).",
            "it does not take requests of this size",
            "MySQL",
        ),
        (
            "redis.clients.jedis.exceptions.JedisClusterOperationException",
            "No reachable node in cluster.",
            MOVING,
            "Redis",
        ),
        (
            f"{KAFKA}.NotEnoughReplicasException",
            "Messages are rejected since there are fewer in-sync replicas than required.",
            MOVING,
            "Kafka",
        ),
    ],
)
def test_a_systems_own_words_show_that_it_refuses(exception: str, message: str, how: str, system: str) -> None:
    chain = f"java.io.IOException: Could not write\n{exception}: {message}"
    refusal = refusal_of(chain)
    assert refusal is not None
    assert (refusal.how, refusal.system_in(chain)) == (how, system)
    assert origin_of(exception, message, "com.acme.Writer.write", "com.acme.Writer.write", chain).id == "outside_system"


@pytest.mark.parametrize(
    ("exception", "message", "origin"),
    [
        (
            "org.apache.kafka.common.KafkaException",
            "Unexpected error in InitProducerIdResponse; The transaction timeout is larger than the maximum value"
            " allowed by the broker (as configured by max.transaction.timeout.ms).",
            "kafka_transactions",
        ),
        (
            "org.apache.flink.streaming.connectors.kafka.FlinkKafka011Exception",
            "Too many ongoing snapshots. Increase kafka producers pool size or decrease number of concurrent"
            " checkpoints.",
            "kafka_transactions",
        ),
        (
            "org.apache.kafka.common.KafkaException",
            "Cannot execute transactional method because we are in an error state",
            "kafka_transactions",
        ),
        (
            "org.apache.doris.flink.exception.DorisRuntimeException",
            "stream load error: [DATA_QUALITY_ERROR]too many filtered rows",
            "record",
        ),
        (
            "org.elasticsearch.ElasticsearchException",
            "Elasticsearch exception [type=mapper_parsing_exception, reason=failed to parse field [price]]",
            "record",
        ),
        (
            "io.debezium.DebeziumException",
            "The connector is trying to read binlog starting at GTIDs, but this is no longer available on the server.",
            "restore",
        ),
        ("java.lang.Exception", "The assigned slot container_e17_1_1_01_000003_0 was removed.", "task_manager_loss"),
    ],
)
def test_the_message_alone_shows_the_origin(exception: str, message: str, origin: str) -> None:
    assert origin_of(exception, message, None, None, f"{exception}: {message}").id == origin


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        ("java.lang.IllegalStateException", "too many parts of the name are empty"),
        ("java.lang.NullPointerException", "version"),
        ("java.lang.IllegalArgumentException", ""),
    ],
)
def test_what_only_sounds_like_it_is_the_jobs_own(exception: str, message: str) -> None:
    chain = f"{exception}: {message}"
    assert refusal_of(chain) is None
    assert origin_of(exception, message, "com.acme.Enrich.map", "com.acme.Enrich.map", chain).id == "own_code"


def test_every_entry_has_texts_that_are_long_enough_to_tell() -> None:
    assert [each.how for each in refusals() if not each.texts and not each.of] == []
    assert [text for text in telling_texts() if len(text) < 7] == []


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ("null (Service: AmazonSQS; Status Code: 500; Error Code: InternalFailure)", "it is overloaded or down"),
        ("HTTP/1.1 429 Too Many Requests", FEWER),
        ("call of the service failed, status code: 403", "it does not allow what the job asks for"),
        ("Server returned HTTP response code: 401 for URL: https://example.org", "it refuses the login"),
        ('Operation failed: "x", 503, PUT, https://a.dfs.core.windows.net/c/f', "it is overloaded or down"),
        ("channel error; (reply-code=404, reply-text=x)", "it does not have the topic, table or index"),
        ("Unauthorized; error code: 401", "it refuses the login"),
    ],
)
def test_a_status_of_http_shows_why_a_service_refuses(message: str, how: str) -> None:
    chain = f"java.lang.RuntimeException: Could not write\njava.lang.RuntimeException: {message}"
    refusal = refusal_of(chain)
    assert refusal is not None
    assert refusal.how == how
    assert origin_of("java.lang.RuntimeException", message, None, None, chain).id == "outside_system"


@pytest.mark.parametrize(
    "chain",
    [
        "org.apache.flink.runtime.rest.util.RestClientException: [Internal server error.] status code: 500",
        "java.lang.IllegalStateException: order 500 has no status",
        "com.acme.OrderException: error code: 4031",
    ],
)
def test_other_numbers_and_flinks_own_answers_are_no_status(chain: str) -> None:
    assert statuses_in(chain) == []


@pytest.mark.parametrize(
    ("said", "is_lasting"),
    [
        ("Couldn't resolve server b:9092 from bootstrap.servers as DNS resolution failed for b", True),
        ("password authentication failed for user flink", True),
        ("503 Service Unavailable", False),
        ("Connection refused: db/10.0.0.7:5432", False),
    ],
)
def test_what_trying_again_does_not_help_is_known(said: str, is_lasting: bool) -> None:
    refusal = refusal_of(said)
    assert refusal is not None
    assert refusal.lasting is is_lasting


@pytest.mark.parametrize(
    ("exception", "how"),
    [
        ("org.apache.pulsar.client.api.PulsarClientException$TimeoutException", "it does not answer"),
        ("com.amazonaws.services.glue.model.ThrottlingException", FEWER),
        ("org.apache.flink.shaded.com.mongodb.MongoNotPrimaryException", MOVING),
        ("org.apache.paimon.catalog.Catalog$TableNotExistException", "it does not have the topic, table or index"),
        ("org.apache.hadoop.fs.azurebfs.contracts.exceptions.InvalidAbfsRestOperationException", CLIENT),
        ("software.amazon.awssdk.services.sts.model.StsException", CLIENT),
    ],
)
def test_the_name_of_a_clients_exception_shows_the_kind_where_its_message_does_not(exception: str, how: str) -> None:
    refusal = refusal_of(f"java.lang.RuntimeException: sink failed\n{exception}: something")
    assert refusal is not None
    assert refusal.how == how


def test_the_message_counts_before_the_name_of_the_exception() -> None:
    refusal = refusal_of(f"{KAFKA}.TimeoutException: Expiring 2 record(s): 120000 ms has passed since batch creation")
    assert refusal is not None
    assert refusal.how == "it does not take the records in time"


@pytest.mark.parametrize(
    "exception",
    [
        "com.acme.orders.PriceNotFoundException",
        "java.util.concurrent.TimeoutException",
        "org.apache.flink.table.catalog.exceptions.TableNotExistException",
        "java.lang.ClassNotFoundException",
    ],
)
def test_a_name_counts_only_for_classes_of_clients(exception: str) -> None:
    assert refusal_of(f"{exception}: 7") is None


@pytest.mark.parametrize(
    ("said", "origin"),
    [
        (
            "org.apache.hadoop.hbase.MasterNotRunningException: org.apache.zookeeper.KeeperException$NoNodeException: "
            "KeeperErrorCode = NoNode for /hbase/master",
            "outside_system",
        ),
        (
            'org.postgresql.util.PSQLException: ERROR: could not extend file "base/1/2": No space left on device',
            "outside_system",
        ),
        ("java.io.IOException: No space left on device", "disk_full"),
        ("org.apache.zookeeper.KeeperException$ConnectionLossException: for /flink/default", "high_availability"),
    ],
)
def test_a_clients_zookeeper_and_a_servers_disk_are_not_the_jobs_own(said: str, origin: str) -> None:
    exception, _, message = said.partition(": ")
    assert origin_of(exception, message, None, None, said).id == origin


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ("could not find next log;", GONE),
        (
            "Principal developer have no authorization to operate CREATE on resource",
            "it does not allow what the job asks for",
        ),
        ("Commit failed, detailMessage = transaction [19650] not found", FORMER),
        ("Heartbeat for instant 20231212110524061 has expired, last heartbeat 0", FORMER),
        ("Load failed, schema size of fetch data is wrong.", "it does not take the rows as the sink writes them"),
        ("Allocator sys memory check failed: sys available memory 510.64 MB", "it is overloaded or down"),
        ("Failed to connect to backend: http://10.0.0.4:8040", "it refuses the connection"),
        ("stream load error, see the log for the label", None),
    ],
)
def test_the_words_of_a_client_s_message_show_how_its_system_fails(said: str, how: str | None) -> None:
    likely = likely_refusal(said)
    assert (likely and likely.how) == how


def test_every_refusal_has_advice_whose_first_sentence_stands_alone() -> None:
    for each in refusals():
        first = split_sentences(each.advice)[0]
        assert first.endswith("."), each.how
        assert len(first) <= 320, each.how


def test_only_a_value_that_is_too_long_is_a_row_that_does_not_fit() -> None:
    fits = "it does not take the rows as the sink writes them"
    for said in ("Data too long for column 'a' at row 1", "value too long for type character varying(3)"):
        refusal = likely_refusal(said)
        assert refusal is not None
        assert refusal.how == fits
    for said in ("ORA-12733: regular expression too long", "ORA-00972: identifier is too long", "it took too long"):
        refusal = likely_refusal(said)
        assert refusal is None or refusal.how != fits
