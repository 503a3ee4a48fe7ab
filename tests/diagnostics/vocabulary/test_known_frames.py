"""What stacks mean: whose operator, which system, waiting or working, idle or not."""

from __future__ import annotations

from importlib.resources import files

import pytest

from diagnostics.vocabulary.known_frames import OUTSIDE, known_frames, stack, upload_of
from diagnostics.yaml_document import read_yaml

TASK = ("java.lang.Thread.run", "org.apache.flink.streaming.runtime.tasks.StreamTask.invoke")
FLAT_MAP = "org.apache.flink.streaming.api.operators.StreamFlatMap.processElement"
SINK = "org.apache.flink.streaming.api.operators.StreamSink.processElement"
POLL = "sun.nio.ch.Net.poll"


def test_a_synchronous_query_is_a_look_up_that_waits_though_the_jvm_calls_it_runnable() -> None:
    found = stack(
        [*TASK, FLAT_MAP, "com.shop.Enrich.flatMap", "org.postgresql.jdbc.PgPreparedStatement.executeQuery", POLL]
    )
    assert (found.role, found.system, found.purpose) == ("transform", "PostgreSQL", "look-up")
    assert (found.waiting, found.idle, found.user) == (True, False, "com.shop.Enrich.flatMap")


def test_the_operator_nearest_to_the_top_counts() -> None:
    found = stack(
        [
            *TASK,
            FLAT_MAP,
            "com.shop.Map.flatMap",
            SINK,
            "com.shop.Index.invoke",
            "java.net.HttpURLConnection.getResponseCode",
            POLL,
        ]
    )
    assert (found.role, found.system, found.system_frame) == (
        "sink",
        "HTTP",
        "java.net.HttpURLConnection.getResponseCode",
    )


def test_waiting_for_input_is_idle() -> None:
    mailbox = "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.take"
    assert stack([*TASK, mailbox, "jdk.internal.misc.Unsafe.park"]).idle


def test_waiting_for_room_in_the_output_is_idle_also_inside_an_operator() -> None:
    pool = "org.apache.flink.runtime.io.network.buffer.LocalBufferPool.requestMemorySegmentBlocking"
    assert stack([*TASK, FLAT_MAP, "com.shop.Enrich.flatMap", pool, "jdk.internal.misc.Unsafe.park"]).idle


def test_an_operator_that_waits_in_the_mailbox_waits_for_its_own_calls() -> None:
    operator = "org.apache.flink.streaming.api.operators.async.AsyncWaitOperator.addToWorkQueue"
    mailbox = "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.take"
    found = stack([*TASK, operator, mailbox, "jdk.internal.misc.Unsafe.park"])
    assert (found.idle, found.waiting, found.purpose) == (False, True, "look-up")


def test_a_regular_expression_uses_the_cpu() -> None:
    found = stack(
        [
            *TASK,
            FLAT_MAP,
            "com.shop.Parse.flatMap",
            "java.util.regex.Matcher.find",
            "java.util.regex.Pattern$Loop.match",
        ]
    )
    assert (found.waiting, found.purpose, found.system) == (False, "regex", "regular expressions")


@pytest.mark.parametrize(
    ("frame", "system", "purpose"),
    [
        ("com.mysql.cj.jdbc.ClientPreparedStatement.executeQuery", "MySQL", "look-up"),
        ("com.mysql.cj.jdbc.ClientPreparedStatement.executeBatch", "MySQL", "sink"),
        ("redis.clients.jedis.Jedis.hget", "Redis", "look-up"),
        ("org.apache.hadoop.hbase.client.HTable.get", "HBase", "look-up"),
        ("org.apache.kafka.clients.producer.KafkaProducer.send", "Kafka", "sink"),
        ("org.elasticsearch.client.RestHighLevelClient.bulk", "Elasticsearch", "sink"),
        ("com.esotericsoftware.kryo.Kryo.writeObject", "Kryo", "serialization"),
    ],
)
def test_known_clients_show_what_they_are_for(frame: str, system: str, purpose: str) -> None:
    found = stack([*TASK, FLAT_MAP, "com.shop.F.call", frame, POLL])
    assert (found.system, found.purpose) == (system, purpose)


def test_an_upload_of_rocksdb_files_is_known_by_its_frames() -> None:
    frames = [
        "java.lang.Thread.run",
        "org.apache.flink.contrib.streaming.state.RocksDBStateUploader.uploadLocalFileToCheckpointFs",
    ]
    assert upload_of(frames) == "RocksDB upload"
    assert upload_of(["java.lang.Thread.run", "java.util.concurrent.ThreadPoolExecutor.getTask"]) is None


@pytest.mark.parametrize(
    ("frame", "purpose"),
    [
        ("com.esotericsoftware.kryo.Kryo.writeClassAndObject", "serialization"),
        ("com.fasterxml.jackson.databind.ObjectMapper.readTree", "parsing"),
        ("java.lang.String.format", "formatting"),
        ("java.text.SimpleDateFormat.parse", "dates"),
        ("java.lang.Throwable.fillInStackTrace", "exceptions"),
        ("org.apache.logging.log4j.spi.AbstractLogger.info", "logging"),
        ("java.util.zip.Deflater.deflate", "compression"),
        ("java.security.MessageDigest.digest", "hashing"),
        ("java.math.BigDecimal.divide", "arithmetic"),
        ("org.codehaus.janino.SimpleCompiler.cook", "scripts"),
        ("java.util.ArrayList.contains", "collections"),
        ("java.lang.Class.forName", "reflection"),
    ],
)
def test_well_known_functions_are_described_by_their_purpose(frame: str, purpose: str) -> None:
    assert stack([*TASK, FLAT_MAP, "com.shop.Map.flatMap", frame]).purpose == purpose
    assert purpose in known_frames().computing


def test_every_purpose_of_a_known_frame_is_an_outside_call_state_or_computing() -> None:
    known = {*OUTSIDE, *known_frames().computing, "state", "coordination"}
    content = read_yaml((files("diagnostics.vocabulary") / "frames.yaml").read_text("utf-8"), "frames.yaml").content
    assert {entry["purpose"] for entry in content["systems"]} <= known
