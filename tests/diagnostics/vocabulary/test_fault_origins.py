"""The origin of a failure, from its exception chain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.vocabulary import message_remedies as catalogue
from diagnostics.vocabulary.fault_origins import is_in_snapshot, origin_of, origins
from diagnostics.vocabulary.setting_faults import setting_fault_of

OWN = "org.acme.Enrich.map"


@pytest.mark.parametrize(
    ("chain", "frame", "thrown_in", "origin"),
    [
        (["java.lang.NullPointerException: "], OWN, OWN, "own_code"),
        (["java.lang.NumberFormatException: For input string: x"], "java.lang.Integer.parseInt", OWN, "own_code"),
        (
            ["java.lang.NullPointerException: "],
            "java.lang.Math.floorDiv",
            "StreamExecCalc$12.processElement",
            "own_code",
        ),
        (["java.lang.IllegalStateException: x"], "org.apache.flink.A.b", None, "unknown"),
        (["java.lang.OutOfMemoryError: Java heap space"], OWN, OWN, "memory"),
        (["java.net.ConnectException: Connection refused"], "sun.nio.ch.Net.pollConnect", OWN, "network"),
        (["org.apache.zookeeper.KeeperException$ConnectionLossException: x"], "x.Y.z", None, "high_availability"),
        (["java.lang.Exception: Job leader for job id 1db41f lost leadership."], "x.Y.z", None, "high_availability"),
        (
            [
                "java.io.IOException: Could not flush to file and close the file system output stream to s3://b/c",
                "java.net.SocketTimeoutException: Read timed out",
            ],
            "java.net.SocketInputStream.socketRead0",
            None,
            "storage",
        ),
        (["java.io.IOException: No space left on device"], "java.io.FileOutputStream.writeBytes", OWN, "disk_full"),
        (
            ["java.lang.RuntimeException: Cannot instantiate", "java.lang.ClassNotFoundException: org.acme.Order"],
            "java.net.URLClassLoader.findClass",
            None,
            "class_loading",
        ),
        (
            ["com.esotericsoftware.kryo.KryoException: Buffer underflow"],
            "com.esotericsoftware.kryo.io.Input.require",
            None,
            "serialization",
        ),
        (
            [
                "java.io.IOException: Failed to deserialize JSON object.",
                "com.fasterxml.jackson.core.JsonParseException: x",
            ],
            "com.fasterxml.jackson.core.JsonParser._constructError",
            None,
            "record",
        ),
        (["org.apache.kafka.common.errors.ProducerFencedException: x"], None, None, "kafka_transactions"),
        (
            ["java.lang.NoSuchMethodError: x.Y.z()V"],
            "org.apache.hadoop.hdfs.NameNodeProxies.create",
            None,
            "class_loading",
        ),
        (["java.io.IOException: Too many open files"], "sun.nio.ch.FileDispatcher.open", None, "open_files"),
        (
            ["java.io.EOFException: "],
            "java.io.DataInputStream.readFully",
            "org.apache.flink.runtime.state.heap.HeapRestoreOperation.readStateHandleStateData",
            "restore",
        ),
        (
            ["java.lang.IllegalStateException: x"],
            "org.apache.flink.runtime.highavailability.FileSystemJobResultStore.createEntry",
            "org.apache.flink.runtime.highavailability.FileSystemJobResultStore.createEntry",
            "high_availability",
        ),
        (
            ["java.lang.IllegalArgumentException: x"],
            "org.apache.flink.table.planner.plan.Optimizer.optimize",
            "org.apache.flink.table.planner.plan.Optimizer.optimize",
            "statement",
        ),
        (
            ["java.net.ConnectException: Connection refused"],
            "sun.nio.ch.Net.pollConnect",
            "org.apache.flink.table.catalog.hive.HiveCatalog.open",
            "network",
        ),
        (["java.sql.SQLIntegrityConstraintViolationException: Column 'a' cannot be null"], None, None, "record"),
        (["org.apache.kafka.common.errors.RecordTooLargeException: The message is 9 bytes"], None, None, "record"),
        (
            ["org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint x"],
            "org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse",
            None,
            "record",
        ),
        (
            ["java.io.IOException: Server returned HTTP response code: 503 for URL: https://api"],
            "sun.net.www.protocol.http.HttpURLConnection.getInputStream0",
            OWN,
            "outside_system",
        ),
        (["org.apache.kafka.common.errors.TimeoutException: Expiring 5 record(s)"], None, None, "outside_system"),
        (
            [
                "java.lang.Exception: Exception while creating StreamOperatorStateContext.",
                "org.apache.flink.util.FlinkException: Could not restore keyed state backend for x from any of the 1",
                "org.apache.flink.util.StateMigrationException: The new state serializer must not be incompatible",
            ],
            "org.apache.flink.runtime.state.heap.HeapKeyedStateBackend.x",
            None,
            "restore",
        ),
        (
            [
                "org.apache.flink.util.FlinkException: Could not restore keyed state backend for x from any of the 1"
                " provided restore options.",
                "java.io.IOException: No space left on device",
            ],
            "java.io.FileOutputStream.writeBytes",
            "org.apache.flink.contrib.streaming.state.RocksDBStateDownloader.downloadDataForStateHandle",
            "disk_full",
        ),
    ],
)
def test_a_chain_shows_where_the_failure_comes_from(
    chain: list[str], frame: str | None, thrown_in: str | None, origin: str
) -> None:
    exception, _, message = chain[-1].partition(": ")
    assert origin_of(exception, message, frame, thrown_in, "\n".join(chain)).id == origin


def test_every_origin_has_something_to_know_it_by() -> None:
    shown = {entry.shows for entry in catalogue.message_remedies()}
    assert all(
        each.in_chain or each.at_root or each.frames or each.by_message or each.id in shown for each in origins()
    )


def test_a_chain_shows_that_a_snapshot_was_taken() -> None:
    assert is_in_snapshot("java.io.IOException: Could not perform checkpoint 7 for operator enrich (3/4)#1.")
    assert not is_in_snapshot("java.io.IOException: disk full")


def test_a_package_that_a_module_of_java_keeps_closed_is_no_missing_class() -> None:
    message = (
        "class com.acme.Keys (in unnamed module @0x69eee410) cannot access class sun.net.util.IPAddressUtil (in module "
        "java.base) because module java.base does not export sun.net.util to unnamed module @0x69eee410"
    )
    chain = f"java.lang.IllegalAccessError: {message}"
    assert origin_of("java.lang.IllegalAccessError", message, None, None, chain).id == "java_modules"


DESERIALIZING = "java.io.IOException: Failed to deserialize consumer record ConsumerRecord(topic = orders)"
FORWARDING = (
    "org.apache.flink.streaming.runtime.tasks.ExceptionInChainedOperatorException: "
    "Could not forward element to next operator"
)


@pytest.mark.parametrize(
    ("inside", "frame", "origin"),
    [
        ("java.net.SocketTimeoutException: Read timed out", "java.net.SocketInputStream.read", "network"),
        ("org.acme.StoreIsFull: rejected", "org.acme.StoreClient.send", "own_code"),
        ("java.sql.SQLException: refused", "org.postgresql.jdbc.PgStatement.execute", "outside_system"),
        ("java.io.IOException: writer is closed", "org.apache.flink.connector.x.Writer.write", "unknown"),
    ],
)
def test_a_failing_sink_in_the_chain_of_a_source_is_no_record_that_cannot_be_read(
    inside: str, frame: str, origin: str
) -> None:
    chain = [DESERIALIZING, FORWARDING, inside]
    exception, _, message = inside.partition(": ")
    assert origin_of(exception, message, frame, frame, "\n".join(chain)).id == origin


def test_a_record_that_cannot_be_read_stays_one() -> None:
    chain = [DESERIALIZING, "java.io.IOException: unexpected end of input"]
    assert origin_of("java.io.IOException", "unexpected end of input", None, None, "\n".join(chain)).id == "record"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A catalogue whose entries say what their messages show."""
    (tmp_path / "known.yaml").write_text(ENTRIES, "utf-8")
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    _forget()
    yield
    _forget()


ENTRIES = """
shuffled:
  texts: ["Could not shuffle the cards"]
  shows: statement
  remedy: Cut the deck.
deck:
  texts: ["The deck holds"]
  shows: setting
  remedy: Set the number of cards.
dealer:
  texts: ["The dealer sleeps"]
  shows: outside_system
  system: Croupier
  remedy: Wake the dealer.
"""


def _forget() -> None:
    for each in (
        catalogue.message_remedies,
        catalogue.searched_texts,
        catalogue.known_message,
        origin_of,
        setting_fault_of,
    ):
        each.cache_clear()


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("chain", "origin"),
    [
        ("java.lang.RuntimeException: Could not shuffle the cards", "statement"),
        ("java.sql.SQLException: The dealer sleeps", "outside_system"),
        ("java.io.IOException: Could not shuffle the cards: No space left on device", "disk_full"),
        ("java.lang.RuntimeException: Could not shuffle the cards: Duplicate entry '7' for key", "record"),
        ("java.lang.RuntimeException: The deck holds 51 cards", "unknown"),
    ],
)
def test_a_known_message_shows_where_it_comes_from_unless_a_narrower_place_does(chain: str, origin: str) -> None:
    exception, _, message = chain.partition(": ")
    assert origin_of(exception, message, None, None, chain).id == origin


@pytest.mark.usefixtures("known")
def test_a_known_message_blames_a_setting_unless_the_catalogue_of_settings_knows_it() -> None:
    blamed, known_there = map(setting_fault_of, ("The deck holds 51 cards", "The deck holds: no RBAC policy matched"))
    assert [bool(each and each.by_message) for each in (blamed, known_there)] == [True, False]
    assert known_there is not None
    assert setting_fault_of("Could not shuffle the cards") is None


@pytest.mark.parametrize(
    ("chain", "origin"),
    [
        (
            "java.lang.Exception: Could not create actor system\n"
            "java.util.concurrent.TimeoutException: Futures timed out after [10000 milliseconds]",
            "slow_start",
        ),
        ("java.lang.Exception: Could not create actor system\njava.net.UnknownHostException: jobmanager", None),
        (
            "java.lang.NoClassDefFoundError: org/apache/pekko/actor/dungeon/FaultHandling\n"
            "java.lang.ClassNotFoundException: org.apache.pekko.actor.dungeon.FaultHandling",
            "process_ending",
        ),
        (
            "javax.security.auth.login.LoginException: No JAAS configuration section named 'Client' was found in "
            "specified JAAS configuration file: '/tmp/jaas-1.conf'.",
            "without_sasl",
        ),
        (
            "java.lang.IllegalStateException: Trying to open gateway for unseen checkpoint: latest known = 0",
            "unseen_checkpoint",
        ),
        (
            "java.lang.NoClassDefFoundError: org/acme/Order\njava.lang.ClassNotFoundException: org.acme.Order",
            "class_loading",
        ),
        (
            "org.apache.flink.runtime.rpc.exceptions.RecipientUnreachableException: Could not send message "
            "[RemoteRpcInvocation(TaskExecutorGateway.submitTask(TaskDeploymentDescriptor, JobMasterId, Duration))] "
            "from sender [x] to recipient [y], because the recipient is unreachable.",
            "task_manager_loss",
        ),
    ],
)
def test_a_process_that_ends_or_starts_slowly_is_told_from_what_it_says_of_classes_and_settings(
    chain: str, origin: str | None
) -> None:
    exception, _, message = chain.rpartition("\n")[2].partition(": ")
    found = origin_of(exception, message, None, None, chain).id
    assert found == (origin or found)
    assert (setting_fault_of(chain) is not None) == (origin is None)
