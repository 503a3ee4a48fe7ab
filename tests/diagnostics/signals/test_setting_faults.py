"""Failures that a setting causes: its kind, its remedy, and what is left to other signals."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.setting_faults import measure
from diagnostics.vocabulary.setting_faults import setting_fault_of, setting_faults
from tests.diagnostics.hand_made import START, hand_made, line_of_jobs, needs, only


def failed(exception: str, message: str, *outer: str, second: float = 5) -> dict[str, Any]:
    return {
        "ts_ms": START + int(second * 1000),
        "process": "jobmanager",
        "message": "enrich (1/2) (x) switched from RUNNING to FAILED on tm-1 @ host.",
        "vertex": "enrich",
        "subtask": 0,
        "exception_class": exception,
        "root_cause_class": exception,
        "root_cause_message": message,
        "causes": "\n".join((*outer, f"{exception}: {message}")),
    }


def facts_of(*log: dict[str, Any]) -> dict[str, Any]:
    return dict(only(measure(hand_made(**line_of_jobs(), log_record=log)), "setting_faults").facts)


def test_an_exception_names_the_setting_and_the_signal_its_remedy() -> None:
    log = [
        failed("java.io.IOException", "Mkdirs failed to create file:/nas/recovery", second=place) for place in (5, 30)
    ]
    facts = facts_of(*log)
    assert facts["kind"] == "the user that Flink runs as may not read or write a file or directory"
    assert "chown" in facts["remedy"]
    assert (facts["of_settings"], facts["rounds"], facts["vertices"]) == (2, 2, ["enrich"])
    assert (facts["is_first"], facts["reported_by"]) == (True, "failure")


def test_a_failure_of_a_snapshot_is_left_to_the_declined_checkpoints() -> None:
    outer = "java.io.IOException: Could not perform checkpoint 3 for operator enrich"
    facts = facts_of(failed("java.io.IOException", "Mkdirs failed to create file:/ckp", outer))
    assert facts == {"failures": 1, "of_settings": 0}


def test_without_logs_nothing_is_measured() -> None:
    assert needs(measure(hand_made(**line_of_jobs()))) == {"setting_faults": "jobmanager-log"}


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ('pods is forbidden: User "system:serviceaccount:a:b" cannot list resource', "Kubernetes refuses"),
        (
            "A slave with the same server_uuid/server_id as this slave has connected to the master",
            "a reader or writer uses a name",
        ),
        ("Could not find any factory for identifier 'x' that implements", "a connector, a format or a file system"),
        ("ProgramInvocationException: JAR file does not exist", "the program's jar or its entry class"),
        ("java.lang.UnsatisfiedLinkError: libsnappy.so.1", "a native library"),
        ("InaccessibleObjectException: Unable to make field", "the version of Java"),
        ("Sum of configured Framework Heap Memory", "the memory that is configured"),
        ("ValidationException: Unsupported options found for 'kafka'.", "an option is missing"),
        ("Unable to load AWS credentials from any provider in the chain", "it has no credentials"),
        ("No savepoint directory configured. You can either specify", "the directory of checkpoints"),
        (
            "FlinkRuntimeException: Failed to create checkpoint storage at checkpoint coordinator side.",
            "the directory for",
        ),
        ("RECEIVED SIGNAL 1: SIGHUP. Shutting down as requested.", "the process belongs to a session"),
    ],
)
def test_the_words_of_flink_and_others_show_the_mistake(said: str, kind: str) -> None:
    found = setting_fault_of(said)
    assert found is not None
    assert found.what.startswith(kind)


@pytest.mark.parametrize(
    "said",
    [
        "java.lang.NullPointerException",
        "Connection refused: db/10.0.0.7:5432",
        "permission denied for table orders",
        "Failed to create checkpoint storage at checkpoint coordinator side.\nConnectException: Connection refused",
        "",
    ],
)
def test_other_exceptions_blame_no_setting(said: str) -> None:
    assert setting_fault_of(said) is None


def test_every_entry_has_texts_and_a_remedy_in_sentences() -> None:
    for each in setting_faults():
        assert all(isinstance(text, str) and len(text) >= 8 for text in each.texts), each.what
        assert each.remedy.endswith("."), each.what


def test_what_flink_throws_while_it_reads_settings_shows_the_mistake() -> None:
    at = "org.apache.flink.runtime.clusterframework.BootstrapTools.startRemoteActorSystem"
    thrown = failed("java.lang.IllegalArgumentException", "port out of range:70000")
    facts = facts_of({**thrown, "root_cause_frame": "java.net.InetSocketAddress.checkPort", "thrown_in": at})
    assert facts["kind"] == "a process or client of Flink cannot start with its settings"


BUILDER = "org.apache.flink.connector.pulsar.sink.PulsarSinkBuilder.build"
READER = "org.apache.flink.connector.pulsar.source.reader.PulsarPartitionSplitReader.fetch"


@pytest.mark.parametrize(
    ("exception", "frame", "is_setting"),
    [
        ("java.lang.IllegalArgumentException", BUILDER, True),
        ("org.apache.flink.table.api.ValidationException", "org.apache.iceberg.flink.FlinkDynamicTableFactory.x", True),
        ("java.lang.IllegalArgumentException", READER, False),
        ("java.lang.NullPointerException", BUILDER, False),
    ],
)
def test_what_a_connector_refuses_while_it_is_built_is_a_setting(exception: str, frame: str, is_setting: bool) -> None:
    thrown = failed(exception, "Invalid range 7")
    facts = facts_of({**thrown, "root_cause_frame": "x.Preconditions.checkArgument", "thrown_in": frame})
    assert facts["of_settings"] == int(is_setting)


@pytest.mark.parametrize(
    "said",
    [
        "Either 'topic' or 'topic-pattern' must be set.",
        "Option 'scan.mode' should be one of latest or earliest",
        "The value of 'lookup.max-retries' option shouldn't be negative, but is -1.",
        "'sink.buffer' must not be larger than 'sink.limit'.",
        "Only one of hosts and url can be specified.",
    ],
)
def test_a_text_that_names_an_option_blames_it_whatever_it_is_called(said: str) -> None:
    found = setting_fault_of(f"java.lang.IllegalArgumentException: {said}")
    assert found is not None
    assert found.what.startswith("an option is missing")


@pytest.mark.parametrize(
    "said",
    [
        "Primary key must be specified for the upsert mode",
        "Cannot apply 'SUM' to arguments of type 'SUM(<VARCHAR>)'",
        "Column 'id' is NOT NULL, however, a null value is being written into it.",
    ],
)
def test_a_text_about_columns_and_keys_blames_no_option(said: str) -> None:
    assert setting_fault_of(f"org.apache.flink.table.api.ValidationException: {said}") is None


def test_a_repair_of_the_message_goes_before_that_of_its_kind() -> None:
    message = "Invalid value x.S for configuration key.serializer: Class x.S could not be found."
    facts = facts_of(failed("org.apache.kafka.common.config.ConfigException", message))
    assert facts["kind"].startswith("a class that an option names")
    assert "Two jars bring the Kafka client" in facts["remedy"]
