"""Unreachable outside systems, as opposed to Flink's own connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.citation import Citation
from diagnostics.reconstruction.failures.fault import Fault, is_report
from diagnostics.signals.outside_faults import (
    CONFLICT,
    advice_for,
    host_of,
    measure,
    refusal_in,
    system_of,
)
from diagnostics.signals.signal import Signal
from diagnostics.vocabulary.outside_refusals import refusals
from diagnostics.vocabulary.outside_systems import outside_systems
from tests.diagnostics.hand_made import START, hand_made, line_of_jobs, needs, only

if TYPE_CHECKING:
    from collections.abc import Mapping

    from diagnostics.evidence.subject import FactValue

DRIVER = "org.postgresql.util.PSQLException: The connection attempt failed."


def failed(second: float, exception: str, message: str, *, within: str = DRIVER, **rest: Any) -> dict[str, Any]:
    return {
        "ts_ms": START + int(second * 1000),
        "process": "jobmanager",
        "message": "Sink: documents (1/2) (x) switched from INITIALIZING to FAILED on tm-1 @ host.",
        "vertex": "Sink: documents",
        "subtask": 0,
        "exception_class": exception,
        "root_cause_class": exception,
        "root_cause_message": message,
        "root_cause_frame": "java.net.AbstractPlainSocketImpl.connect",
        "user_frame": "org.acme.DocumentSink.open",
        "causes": f"{within}\n{exception}: {message}",
        **rest,
    }


def facts_of(*log: dict[str, Any]) -> Mapping[str, FactValue]:
    return only(measure(hand_made(**line_of_jobs(), log_record=log)), "outside_faults").facts


def test_a_name_that_is_not_resolved_is_reported_with_system_and_host() -> None:
    facts = facts_of(*(failed(second, "java.net.UnknownHostException", "db.internal") for second in (1, 11, 21)))
    assert (facts["kind"], facts["system"], facts["host"]) == (
        "its name cannot be resolved",
        "PostgreSQL",
        "db.internal",
    )
    assert (facts["rounds"], facts["opening"], facts["is_first"]) == (3, True, True)


@pytest.mark.parametrize(("subtasks", "writers"), [((0, 3), 2), ((1,), None), ((0, 0), None)])
def test_commits_of_several_subtasks_conflict_with_one_another(subtasks: tuple[int, ...], writers: int | None) -> None:
    refused = "OpenSearch exception [type=version_conflict_engine_exception, reason=[7]: version conflict]"
    log = [
        failed(10 * at, "java.io.IOException", refused, within="org.opensearch.Wrapped: x", subtask=subtask)
        for at, subtask in enumerate(subtasks)
    ]
    facts = facts_of(*log)
    assert facts["kind"] == "another writer changed the same table at the same time"
    assert facts.get("own_writers") == writers


def test_a_connection_between_taskmanagers_is_not_counted() -> None:
    told = "org.apache.flink.runtime.io.network.netty.exception.RemoteTransportException: to task manager 'tm-2'"
    facts = facts_of(failed(1, "java.net.ConnectException", "Connection refused", within=told))
    assert facts["unreachable"] == 0


def test_the_server_of_a_socket_that_flink_reads_is_an_outside_system() -> None:
    frame = "org.apache.flink.streaming.api.functions.source.SocketTextStreamFunction.run"
    refused = failed(1, "java.net.ConnectException", "Connection refused", within="", user_frame=None, thrown_in=frame)
    facts = facts_of(refused | {"root_cause_frame": frame})
    assert (facts["kind"], facts["system"]) == ("it refuses the connection", "Socket server")


def test_without_logs_nothing_is_measured() -> None:
    assert needs(measure(hand_made())) == {"outside_faults": "jobmanager-log"}


def thrown(exception: str, message: str, *, thrown_in: str | None = None, within: str = "x.Wrapped: y") -> Fault:
    return Fault(
        ts_ms=START,
        job_id=None,
        exception=exception,
        message=message,
        thrown_in=thrown_in,
        causes=f"{within}\n{exception}: {message}",
        citation=Citation(file_id=0, line=1, kind="log", text=message),
    )


KAFKA = "org.apache.kafka.common.errors."
WRITER = "org.apache.flink.connector.elasticsearch.sink.ElasticsearchWriter.checkErrors"


@pytest.mark.parametrize(
    ("fault", "kind", "system", "host"),
    [
        (
            thrown(f"{KAFKA}TimeoutException", "Timed out waiting for a node assignment. Call: describeTopics"),
            "it does not answer",
            "Kafka",
            None,
        ),
        (
            thrown(f"{KAFKA}TimeoutException", "Timeout expired after 60000ms while awaiting InitProducerId"),
            "it does not answer",
            "Kafka",
            None,
        ),
        (thrown(f"{KAFKA}ProducerFencedException", "There is a newer producer"), None, "Kafka", None),
        (
            thrown(f"{KAFKA}SaslAuthenticationException", "Authentication failed: Invalid username or password"),
            "it refuses the login",
            "Kafka",
            None,
        ),
        (
            thrown(
                f"{KAFKA}TimeoutException", "Expiring 214 record(s) for out-3:120000 ms has passed since batch creation"
            ),
            "it does not take the records in time",
            "Kafka",
            None,
        ),
        (
            thrown("java.net.UnknownHostException", "es.svc: Temporary failure in name resolution", thrown_in=WRITER),
            "its name cannot be resolved",
            "Elasticsearch",
            "es.svc",
        ),
        (
            thrown(
                "java.net.ConnectException",
                "Connection refused",
                within="org.postgresql.util.PSQLException: Connection to db.prod:5432 refused. Check that",
            ),
            "it refuses the connection",
            "PostgreSQL",
            "db.prod",
        ),
        (
            thrown("org.postgresql.util.PSQLException", 'FATAL: password authentication failed for user "flink"'),
            "it refuses the login",
            "PostgreSQL",
            None,
        ),
        (
            thrown("org.postgresql.util.PSQLException", "FATAL: sorry, too many clients already"),
            "it has no connection free",
            "PostgreSQL",
            None,
        ),
        (
            thrown("java.io.IOException", "Server returned HTTP response code: 503 for URL: https://api.acme"),
            "it is overloaded or down",
            None,
            None,
        ),
        (thrown("java.lang.IllegalStateException", "x", thrown_in=WRITER), None, "Elasticsearch", None),
    ],
    ids=[
        "no broker",
        "no transaction",
        "fenced",
        "login",
        "records expire",
        "name",
        "connection",
        "password",
        "no connection",
        "overload",
        "something else",
    ],
)
def test_the_exception_chain_shows_how_an_outside_system_fails_the_job(
    fault: Fault, kind: str | None, system: str, host: str | None
) -> None:
    refusal = refusal_in(fault)
    assert (refusal and refusal.how, system_of(fault), host_of(fault)) == (kind, system, host)


@pytest.mark.parametrize(
    ("exception", "message", "system"),
    [
        ("java.sql.SQLSyntaxErrorException", "ORA-00942: table or view does not exist", "Oracle"),
        ("com.mysql.cj.jdbc.exceptions.MySQLTransactionRollbackException", "Lock wait timeout exceeded", "MySQL"),
        ("org.postgresql.util.PSQLException", "ERROR: something else", "PostgreSQL"),
        ("com.amazonaws.services.kinesis.model.AmazonKinesisException", "x (Service: AmazonKinesis; y", "Kinesis"),
        ("software.amazon.awssdk.services.glue.model.GlueException", "x (Service: Glue, y", "Glue"),
        ("java.net.ConnectException", "Connection refused: es-1/10.0.0.7:9200", "Elasticsearch"),
        ("java.sql.SQLException", "something else", "a database (JDBC)"),
        ("oracle.net.ns.NetException", "Invalid Packet Lenght", "Oracle"),
        ("org.apache.thrift.transport.TTransportException", "Connection refused", "Hive Metastore"),
        ("org.apache.rocketmq.client.exception.MQClientException", "The broker does not support it", "RocketMQ"),
        ("org.apache.hadoop.fs.FileAlreadyExistsException", "/t/.hoodie/metadata/a.parquet already exists", "Hudi"),
        ("org.apache.fluss.exception.LeaderNotAvailableException", "Server 2 is not found in metadata cache.", "Fluss"),
    ],
)
def test_the_system_itself_is_named_before_its_family(exception: str, message: str, system: str) -> None:
    assert system_of(thrown(exception, message)) == system


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ("Table 'shop.orders' doesn't exist", "it does not have the topic, table or index"),
        ("Unknown column 'a' in 'field list'", "it does not take the rows as the sink writes them"),
        ("INSERT command denied to user 'a'@'10.0.0.7' for table 'b'", "it does not allow what the job asks for"),
        ("something else", "its client reports an error"),
    ],
)
def test_a_refused_statement_is_no_missing_table_unless_it_says_so(message: str, how: str) -> None:
    refusal = refusal_in(thrown("java.sql.SQLSyntaxErrorException", message))
    assert refusal is not None
    assert refusal.how == how


def test_a_connection_between_flinks_own_ports_names_no_system() -> None:
    assert system_of(thrown("java.net.ConnectException", "Connection refused: tm-2/10.0.0.8:6122")) is None


def test_the_wrapper_that_python_prints_before_javas_exception_is_no_failure_of_its_own() -> None:
    assert is_report("py4j.protocol.Py4JJavaError", "An error occurred while calling o7.await.")


def test_what_only_the_class_of_a_client_shows_has_the_newest_release_of_its_connector() -> None:
    version = {"ts_ms": START, "level": "INFO", "message": " Starting X (Version: 1.18.1, S)", "kinds": "version"}
    doris = "org.apache.doris.flink.exception.DorisRuntimeException"
    vague = failed(5, doris, "the back end answered 7", within=f"{doris}: the back end answered 7")
    facts = facts_of(version, vague)
    assert (facts["connector_release"], facts["connector_flink"]) == ("flink-doris-connector-1.18-26.2.0", "1.18")
    refused = failed(5, "java.net.ConnectException", "Connection refused", within=f"{doris}: the back end")
    assert "connector_release" not in facts_of(version, refused)


def test_a_table_format_without_a_host_is_not_looked_for_in_the_network() -> None:
    waits = ("org.apache.hudi.exception.HoodieException", "Timeout(601000ms) while waiting for instant initialize")
    facts = facts_of(failed(1, *waits, within=waits[0]))
    assert (facts["system"], facts["answers"]) == ("Hudi", True)
    assert "advice" not in facts


def test_a_protocol_is_no_name_of_a_system() -> None:
    """A page that lets the job reach HTTP again tells nobody what to look at."""
    assert outside_systems().families >= set(outside_systems().protocols.values())


def test_the_kind_of_a_refusal_says_nothing_beside_the_repair_of_its_message() -> None:
    """On the tables of the server itself nobody grants a right; the kind would tell to grant it all the same."""
    refused = next(each for each in refusals() if each.how == "it does not allow what the job asks for")
    assert advice_for(refused, None, None) == refused.advice
    assert advice_for(refused, "Grant nothing.", None) is None


def test_writers_of_a_table_are_no_advice_for_a_system_without_tables() -> None:
    conflict = next(each for each in refusals() if each.how == CONFLICT)
    assert advice_for(conflict, None, "Pulsar") is None
    assert "retry_on_conflict" in (advice_for(conflict, None, "Elasticsearch") or "")
    assert advice_for(conflict, None, "LakeSoul") == conflict.advice


@pytest.mark.parametrize(
    ("logger", "goes_on", "counts"),
    [
        ("org.apache.hadoop.fs.s3a.Invoker", False, True),
        ("org.acme.AuditFunction", False, False),
        ("org.apache.flink.runtime.taskmanager.Task", False, False),
        ("org.apache.hadoop.fs.s3a.Invoker", True, False),
    ],
)
def test_an_answer_that_a_client_repeats_as_information_counts_while_nothing_goes_on_after_it(
    logger: str, goes_on: bool, counts: bool
) -> None:
    said = "retry #3: AmazonS3Exception: Please reduce your request rate."
    informed = {"ts_ms": START, "level": "INFO", "logger": logger, "message": said}
    completed = {
        "ts_ms": START + 60_000,
        "level": "INFO",
        "logger": "org.apache.flink.runtime.checkpoint.CheckpointCoordinator",
        "message": "Completed checkpoint 9",
        "event": "jm.ckpt.completed",
        "checkpoint_id": 9,
    }
    log = [informed, completed] if goes_on else [informed]
    measured = measure(hand_made(**line_of_jobs(), log_record=log))
    assert any(isinstance(each, Signal) for each in measured) is counts


def test_what_hudi_does_with_success_is_no_refusal() -> None:
    said = "Executor executes action [initialize instant ] success!"
    logger = "org.apache.hudi.sink.StreamWriteOperatorCoordinator"
    informed = {"ts_ms": START, "level": "INFO", "logger": logger, "message": said}
    assert not any(isinstance(each, Signal) for each in measure(hand_made(**line_of_jobs(), log_record=[informed])))
