"""Kafka transactions: what went wrong, and each link of the exactly-once chain from settings and logs."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.log_scan.kafka_client import client_options
from diagnostics.signals.kafka_transactions import measure
from diagnostics.signals.signal import Signal
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs, needs, only, signals_of_key

FENCED = (
    "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer with the same transactionalId"
)
IDS = "FlinkKafkaInternalProducer{transactionalId='orders-sink-0-17', inTransaction=true}"


def record(second: float, message: str, event: str | None = None, **rest: Any) -> dict[str, Any]:
    return {"ts_ms": START + int(second * 1000), "process": "taskmanager", "event": event, "message": message, **rest}


def option(key: str, value: str, scope: str = "cluster") -> dict[str, Any]:
    return {"scope": scope, "key": key, "value": value}


def audit(facts: Any) -> dict[str, str]:
    return {name: state.partition(" (")[0] for name, _, state in (each.partition(": ") for each in facts["audit"])}


def test_a_fenced_producer_names_the_prefix() -> None:
    log = [
        record(5, "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1.", causes=f"x: Failed with {IDS}\n{FENCED}")
    ]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "kafka_transactions").facts
    assert (facts["fenced"], facts["prefixes"], facts["first_ms"]) == (1, ["orders-sink"], START + 5_000)
    assert facts["wrong"] == ["transactional id prefix, unique for each sink and stable"]


def taken(number: int, second: int, took: int, status: str) -> dict[str, Any]:
    """A checkpoint as REST tells of it; an expired one took its timeout."""
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": "COMPLETED" if status == "completed" else "FAILED",
        "failure_message": None if status == "completed" else "Checkpoint expired before completing.",
        "ts_ms": START + 1_000_000,
        "trigger_ms": START + second * 1000,
        "failure_ms": None if status == "completed" else START + (second + took) * 1000,
        "end_to_end_ms": took * 1000.0,
    }


def test_checkpoints_that_expired_before_a_producer_was_fenced_kept_its_transaction_open() -> None:
    """The last completed one began 20 s before the first of two that expired after 60 s each."""
    fenced = record(200, "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1.", causes=FENCED, job_id=JOB)
    course = [taken(1, 0, 5, "completed"), taken(2, 20, 60, "expired"), taken(3, 80, 60, "expired")]
    evidence = hand_made(**line_of_jobs(), log_record=[fenced], checkpoint=course)
    facts = only(measure(evidence), "kafka_transactions").facts
    assert (facts["expired_before"], facts["expired_before_ids"], facts["open_before_ms"]) == (2, [2, 3], 200_000)
    good = hand_made(**line_of_jobs(), log_record=[fenced], checkpoint=[*course, taken(4, 150, 5, "completed")])
    facts = only(measure(good), "kafka_transactions").facts
    assert facts["expired_before"] == 0, "one completed in between"
    assert "open_before_ms" not in facts


def test_a_refused_transactional_id_comes_with_its_repair() -> None:
    causes = (
        "org.apache.kafka.common.errors.TransactionalIdAuthorizationException: Transactional Id authorization failed"
    )
    log = [record(5, "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1.", causes=causes)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "kafka_transactions").facts
    assert "--transactional-id" in str(facts["remedy"])


def test_a_word_behind_transactional_id_is_no_prefix() -> None:
    causes = (
        "org.apache.kafka.common.errors.ProducerFencedException: it tried to use an old epoch with the transactionalId"
        "\norg.apache.kafka.common.errors.ProducerFencedException: a newer producer with the same transactionalId which"
    )
    log = [record(5, "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1.", causes=causes)]
    facts = only(measure(hand_made(**line_of_jobs(), log_record=log)), "kafka_transactions").facts
    assert "prefixes" not in facts


def test_a_transaction_that_outlived_its_timeout_comes_with_both_times() -> None:
    text = (
        "Transaction KafkaTransactionState [transactionalId=orders-0, epoch=3] has been open for 42551680 ms. This is"
        " close to or even exceeding the transaction timeout of 10000 ms."
    )
    facts = only(measure(hand_made(log_record=[record(5, text, "2pc.timeout.close")])), "kafka_transactions").facts
    assert (facts["near_timeout"], facts["longest_open_ms"], facts["timeout_ms"]) == (1, 42_551_680, 10_000)


def test_a_recovered_transaction_that_was_committed_before_is_no_fenced_producer() -> None:
    text = (
        "Encountered error org.apache.kafka.common.errors.ProducerFencedException: Producer attempted an operation with"
        " an old epoch. while recovering transaction KafkaTransactionState [transactionalId=out-7, epoch=3]. Presumably"
        " this transaction has been already committed before"
    )
    facts = only(measure(hand_made(log_record=[record(5, text, "kafka.legacy.recovered")])), "kafka_transactions").facts
    assert (facts["recommit_fenced"], facts["fenced"]) == (1, 0)


def test_a_fenced_producer_of_pulsar_is_not_kafkas() -> None:
    causes = "org.apache.pulsar.client.api.PulsarClientException$ProducerFencedException: fenced by another one"
    failure = {"ts_ms": START, "job_id": JOB, "exception_class": "x", "causes": causes}
    assert list(measure(hand_made(**line_of_jobs(), failure=[failure]))) == []


def test_a_timeout_that_comes_as_a_plain_kafka_exception_is_too_large() -> None:
    causes = (
        "org.apache.kafka.common.KafkaException: Unexpected error in InitProducerIdResponse; The transaction timeout is"
        " larger than the maximum value allowed by the broker (as configured by max.transaction.timeout.ms)."
    )
    failure = {"ts_ms": START, "job_id": JOB, "exception_class": "x", "causes": causes}
    facts = only(measure(hand_made(**line_of_jobs(), failure=[failure])), "kafka_transactions").facts
    assert (facts["too_large"], facts["fenced"]) == (1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "org.apache.kafka.common.errors.TransactionAbortedException: Failing batch since transaction was aborted",
        "org.apache.kafka.common.KafkaException: Cannot execute transactional method because we are in an error state",
    ],
)
def test_a_producer_that_gave_up_its_transaction_is_told(text: str) -> None:
    failure = {"ts_ms": START, "job_id": JOB, "exception_class": "x", "causes": text}
    facts = only(measure(hand_made(**line_of_jobs(), failure=[failure])), "kafka_transactions").facts
    assert (facts["given_up"], facts["fenced"]) == (1, 0)


def test_the_audit_says_ok_wrong_or_not_visible() -> None:
    options = [
        option("execution.checkpointing.interval", "60 s"),
        option("execution.checkpointing.mode", "AT_LEAST_ONCE"),
        option("transactional.id", "orders-0-1", "kafka producer"),
        option("transaction.timeout.ms", "30000", "kafka producer"),
    ]
    facts = only(measure(hand_made(**line_of_jobs(), config_option=options)), "kafka_transactions").facts
    assert audit(facts) == {
        "sources that can be read again": "not visible",
        "checkpointing": "ok",
        "checkpointing mode": "wrong",
        "delivery guarantee of the sink": "ok",
        "transactional id prefix, unique for each sink and stable": "ok",
        "transaction.timeout.ms up to the broker's transaction.max.timeout.ms": "ok",
        "transaction.timeout.ms above checkpoint interval, duration and outage": "wrong",
        "isolation.level of the readers of the topic": "not visible",
    }
    assert facts["timeout_to_need_ratio"] == pytest.approx(0.5)


def test_an_outage_counts_to_what_the_timeout_must_cover() -> None:
    def switched(second: int, before: str, after: str) -> dict[str, Any]:
        message = f"Job orders ({JOB}) switched from state {before} to {after}."
        return record(second, message, "job.state", process="jobmanager", job_id=JOB, state_from=before, state_to=after)

    log = [switched(10, "RUNNING", "RESTARTING"), switched(310, "RESTARTING", "RUNNING")]
    options = [
        option("execution.checkpointing.interval", "60 s"),
        option("transactional.id", "orders-0-1", "kafka producer"),
        option("transaction.timeout.ms", "300000", "kafka producer"),
    ]
    evidence = hand_made(**line_of_jobs(), log_record=log, config_option=options)
    facts = only(measure(evidence), "kafka_transactions").facts
    assert (facts["longest_outage_ms"], facts["needed_ms"]) == (300_000, 360_000)


def test_a_producer_belongs_to_the_job_whose_prefix_it_carries() -> None:
    other = "0000000000000000000000000000000b"
    started = [
        {**option(key, value, "kafka producer"), "file_id": 1, "ts_ms": START + second * 1000}
        for second, name, timeout in ((1, "orders-sink-0-1", "30000"), (2, "bills-1-4", "900000"))
        for key, value in (("transactional.id", name), ("transaction.timeout.ms", timeout))
    ]
    log = [
        record(5, f"Failed with {IDS}", causes=FENCED, job_id=JOB),
        record(6, "Failed with FlinkKafkaInternalProducer{transactionalId='bills-1-5'}", causes=FENCED, job_id=other),
    ]
    evidence = hand_made(log_record=log, config_option=started)
    facts = {each.subject.job: each.facts for each in signals_of_key(measure(evidence), "kafka_transactions")}
    assert (facts[JOB]["prefixes"], facts[JOB]["timeout_ms"]) == (["orders-sink"], 30_000)
    assert (facts[other]["prefixes"], facts[other]["timeout_ms"]) == (["bills"], 900_000)


def test_a_job_without_kafka_transactions_has_no_audit() -> None:
    options = [option("execution.checkpointing.interval", "60 s"), option("isolation.level", "read_committed")]
    log = [record(1, "Starting rest endpoint.")]
    assert not signals_of_key(measure(hand_made(log_record=log, config_option=options)), "kafka_transactions")


def test_nothing_is_measured_without_logs_and_options() -> None:
    assert needs(measure(hand_made())) == {"kafka_transactions": "taskmanager-log"}


def test_a_client_states_its_settings_at_its_start() -> None:
    behind = (
        b"\tacks = -1\n\tssl.truststore.password = null\n\ttransaction.timeout.ms = 900000\n\ttransactional.id = null\n"
    )
    assert list(client_options("ProducerConfig values: ", behind)) == [
        {"scope": "kafka producer", "key": "acks", "value": "-1"},
        {"scope": "kafka producer", "key": "transaction.timeout.ms", "value": "900000"},
    ]
    assert not list(client_options("AdminClientConfig values: ", behind))


def test_the_tightest_of_the_brokers_settings_is_held_against_the_sinks_timeout() -> None:
    brokers = [option("transaction.max.timeout.ms", each, "kafka broker") for each in ("900000", "600000")]
    asks = [option("sink.delivery-guarantee", "exactly-once", "table")]
    facts = only(measure(hand_made(config_option=[*brokers, *asks])), "kafka_transactions").facts
    assert (facts["broker_max_ms"], facts["timeout_to_broker_ratio"]) == (600_000, 3_600_000 / 600_000)
    assert "timeout_ms" not in facts, "Flink's default is no statement of the files"
    assert list(measure(hand_made(config_option=brokers))) == [], "a broker alone is no job"


LIMIT = "transaction.timeout.ms up to the broker's transaction.max.timeout.ms"
LENGTH = "transaction.timeout.ms above checkpoint interval, duration and outage"
PREFIX = "transactional id prefix, unique for each sink and stable"
ASKS = option("sink.delivery-guarantee", "EXACTLY_ONCE", "program")


def measured(**tables: list[dict[str, Any]]) -> Any:
    return only(measure(hand_made(**line_of_jobs(), **tables)), "kafka_transactions").facts


def test_defaults_that_do_not_fit_are_judged_as_assumed() -> None:
    facts = measured(config_option=[ASKS])
    assert facts["asks_exactly_once"] is True
    assert audit(facts)[LIMIT] == "wrong by default"
    assert (facts["asked_timeout_ms"], facts["broker_limit_ms"]) == (3_600_000, 900_000)
    assert (facts["timeout_assumed"], facts["broker_assumed"]) == (True, True)
    stated = option("transaction.timeout.ms", "600000", "program")
    assert audit(measured(config_option=[ASKS, stated]))[LIMIT] == "ok"


def checkpoint(number: int, status: str, since_s: int, until_s: int) -> dict[str, Any]:
    until_ms = START + until_s * 1000
    ended = {"latest_ack_ms": until_ms, "end_to_end_ms": (until_s - since_s) * 1000.0}
    expired = {"failure_ms": until_ms, "failure_message": "Checkpoint expired before completing."}
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": status,
        "trigger_ms": START + since_s * 1000,
        "ts_ms": START + 2_000_000,
        **(expired if status == "FAILED" else ended),
    }


INTERVAL = option("execution.checkpointing.interval", "60 s")


def test_a_job_that_completes_checkpoints_was_accepted_by_the_broker() -> None:
    facts = measured(config_option=[ASKS], checkpoint=[checkpoint(1, "COMPLETED", 0, 2)])
    assert audit(facts)[LIMIT] == "ok"
    assert facts["timeout_accepted"] is True


def test_expired_checkpoints_keep_a_transaction_open() -> None:
    options = [ASKS, INTERVAL, option("transaction.timeout.ms", "900000", "program")]
    well = [checkpoint(1, "COMPLETED", 0, 5), checkpoint(2, "COMPLETED", 60, 65)]
    assert audit(measured(config_option=options, checkpoint=well))[LENGTH] == "ok"
    expired = [
        checkpoint(1, "COMPLETED", 0, 5),
        checkpoint(2, "FAILED", 60, 660),
        checkpoint(3, "COMPLETED", 1000, 1010),
    ]
    facts = measured(config_option=options, checkpoint=expired)
    assert audit(facts)[LENGTH] == "wrong"
    assert facts["needed_ms"] == 1_005_000 + 600_000


def test_a_fenced_producer_of_too_short_a_timeout_accuses_the_timeout_and_not_the_prefix() -> None:
    log = [
        record(5, "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1.", causes=f"x: Failed with {IDS}\n{FENCED}")
    ]
    short = [INTERVAL, option("transaction.timeout.ms", "30000", "program")]
    facts = measured(log_record=log, config_option=short)
    assert facts["wrong"] == [LENGTH]
    assert audit(facts)[PREFIX] == "ok"


def test_sources_that_cannot_be_read_again_break_the_chain() -> None:
    tables = line_of_jobs()
    tables["vertex"] = [{**each, "name": "Source: Socket Stream"} for each in tables["vertex"][:1]] + tables["vertex"][
        1:
    ]
    facts = only(measure(hand_made(**tables, config_option=[ASKS])), "kafka_transactions").facts
    assert facts["wrong"] == ["sources that can be read again"]
    consumer = option("auto.offset.reset", "earliest", "kafka consumer")
    assert audit(measured(config_option=[ASKS, consumer]))["sources that can be read again"] == "ok"


@pytest.mark.parametrize(
    ("scope", "key", "value", "state"),
    [
        ("program", "connector.class", "socketTextStream", "wrong"),
        ("program", "connector.class", "PulsarSource", "ok"),
        ("program", "connector.class", "RMQSource", "not visible"),
        ("table", "connector", "mysql-cdc", "ok"),
        ("table", "connector", "jdbc", "not visible"),
    ],
)
def test_sources_other_than_kafka_have_their_place_in_the_chain(scope: str, key: str, value: str, state: str) -> None:
    """A table of most connectors may be read or written, so it says nothing of the sources."""
    facts = only(
        measure(hand_made(**line_of_jobs(), config_option=[ASKS, option(key, value, scope)])), "kafka_transactions"
    ).facts
    assert audit(facts)["sources that can be read again"] == state


@pytest.mark.parametrize(
    ("connector", "counts"), [("kafka", True), ("starrocks", False), ("fluss", False), ("upsert-kafka", True)]
)
def test_exactly_once_of_a_table_of_another_connector_is_not_kafkas(connector: str, counts: bool) -> None:
    declared = [
        {"kind": "table", "name": "orders kafka", "line": 1},
        {"kind": "table", "name": f"totals {connector}", "line": 5},
    ]
    stated = [{"scope": "table", "key": "sink.semantic", "value": "exactly-once", "line": 8}]
    evidence = hand_made(**line_of_jobs(), code_call=declared, config_option=stated)
    assert bool(signals_of_key(measure(evidence), "kafka_transactions")) is counts


@pytest.mark.parametrize(("sink", "counts"), [("KafkaSink", True), ("PulsarSink", False)])
def test_exactly_once_of_a_program_that_writes_elsewhere_is_not_kafkas(sink: str, counts: bool) -> None:
    stated = [
        {"scope": "program", "key": "connector.class", "value": "KafkaSource", "line": 3},
        {"scope": "program", "key": "connector.class", "value": sink, "line": 8},
        {"scope": "program", "key": "sink.delivery-guarantee", "value": "EXACTLY_ONCE", "line": 9},
    ]
    evidence = hand_made(**line_of_jobs(), config_option=stated)
    assert bool(signals_of_key(measure(evidence), "kafka_transactions")) is counts


READERS = "isolation.level of the readers of the topic"


@pytest.mark.parametrize(
    ("properties", "state"),
    [
        ({"group.id": "invoice-report", "isolation.level": "read_uncommitted"}, "wrong"),
        ({"group.id": "invoice-report"}, "wrong by default"),
        ({"group.id": "invoice-report", "isolation.level": "read_committed"}, "ok"),
        ({"group.id": "billing", "isolation.level": "read_uncommitted"}, "not visible"),
    ],
)
def test_the_properties_of_a_consumer_show_how_the_topic_is_read(properties: dict[str, str], state: str) -> None:
    """A consumer of the job's own group reads what the job reads, not what it writes."""
    own = [ASKS, option("group.id", "billing", scope="kafka consumer")]
    reader = [option(key, value, scope="kafka reader") | {"file_id": 7} for key, value in properties.items()]
    facts = only(measure(hand_made(config_option=[*own, *reader])), "kafka_transactions").facts
    assert audit(facts)[READERS] == state


def test_a_consumer_of_other_records_is_no_setting_of_the_sink() -> None:
    reader = [option("group.id", "invoice-report", scope="kafka reader")]
    assert not [each for each in measure(hand_made(config_option=reader)) if isinstance(each, Signal)]
