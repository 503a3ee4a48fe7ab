"""The catalogue of errors that are logged while a job is well."""

from __future__ import annotations

import pyarrow as pa
import pytest

from diagnostics.aggregators.harmless_errors import harmless_kinds
from diagnostics.language import CHINESE, in_reader_language, reading_in
from diagnostics.notation.log_event import catalogue, harmless_events
from diagnostics.vocabulary.harmless_errors import harmless_errors


def test_every_harmless_event_belongs_to_one_entry() -> None:
    named = [event for entry in harmless_errors().values() for event in entry.events]
    assert sorted(named) == sorted(harmless_events())


def test_every_harmless_event_that_is_logged_as_an_error_is_named() -> None:
    errors = {event.id for event in catalogue() if event.harmless and "ERROR" in event.levels}
    named = {event for name, entry in harmless_errors().items() if name != "healthy-too" for event in entry.events}
    assert errors <= named


def test_every_entry_is_named_in_both_languages() -> None:
    for entry in harmless_errors().values():
        with reading_in(CHINESE):
            assert in_reader_language(entry.what) != entry.what


def test_a_question_for_the_back_pressure_of_a_task_that_does_not_run_is_not_one_for_something_unknown() -> None:
    [entry] = [each for each in harmless_errors().values() if "noise.back_pressure_handler" in each.events]
    assert entry.events == ("noise.back_pressure_handler",)
    assert entry.what == "the back pressure of a task was asked for while none of its subtasks ran"


@pytest.mark.parametrize(
    ("logger", "message", "kind"),
    [
        (
            "org.apache.flink.runtime.security.modules.HadoopModuleFactory",
            "Cannot create Hadoop Security Module.",
            "hadoop-security-module",
        ),
        (
            "org.apache.flink.runtime.metrics.util.SystemResourcesMetricsInitializer",
            "Failed to initialize system resource metrics because of missing class definitions.",
            "system-resource-metrics",
        ),
        ("org.apache.flink.client.cli.CliFrontend", "Could not load the table.", None),
        (
            "org.apache.flink.runtime.security.modules.HadoopModuleFactory",
            "Cannot create Hadoop Security Module. Terminating TaskManagerRunner with exit code 1.",
            None,
        ),
    ],
)
def test_an_error_of_the_jvm_is_harmless_where_flink_goes_on_after_it(
    logger: str, message: str, kind: str | None
) -> None:
    record = {
        "level": "ERROR",
        "logger": logger,
        "message": message,
        "event": None,
        "exception_class": "java.lang.NoClassDefFoundError",
        "root_cause_class": "java.lang.NoClassDefFoundError",
    }
    text = {name: pa.chunked_array([pa.array([value], pa.string())]) for name, value in record.items()}
    assert harmless_kinds(pa.table(text)).to_pylist() == [kind]


def _kind(logger: str, message: str, thrown: str | None) -> str | None:
    record = {
        "level": "ERROR",
        "logger": logger,
        "message": message,
        "event": None,
        "exception_class": thrown,
        "root_cause_class": None,
    }
    text = {name: pa.chunked_array([pa.array([value], pa.string())]) for name, value in record.items()}
    kind: str | None = harmless_kinds(pa.table(text)).to_pylist()[0]
    return kind


@pytest.mark.parametrize(
    ("logger", "message"),
    [
        (
            "org.apache.flink.runtime.taskmanager.Task",
            "Error during metrics de-registration of task Window (1/2)#0 (a).",
        ),
        (
            "org.apache.flink.runtime.blob.PermanentBlobCache",
            "Failed to delete locally cached BLOB p-1 at /tmp/blob_p-1",
        ),
        ("io.debezium.heartbeat.DatabaseHeartbeatImpl", "Exception while closing the heartbeat JDBC connection"),
    ],
)
def test_what_fails_while_things_are_given_up_is_no_trouble_of_the_job(logger: str, message: str) -> None:
    assert _kind(logger, message, "java.lang.IllegalStateException") == "cleaning-up"
    assert _kind(logger, message, "java.lang.NoClassDefFoundError") is None
    assert _kind(logger, f"The sink failed: {message}", "java.io.IOException") is None


def test_high_availability_data_that_the_operator_cannot_delete_is_left_for_the_next_start() -> None:
    message = "Could not delete HA Metadata at path /flink/orders in Zookeeper"
    assert _kind("org.apache.flink.kubernetes.operator.utils.FlinkUtils", message, "java.io.IOException") is None


def test_a_request_for_a_blob_is_harmless_where_its_client_went_away() -> None:
    logger, message = "org.apache.flink.runtime.blob.BlobServerConnection", "GET operation from /10.0.3.7:41234 failed."
    assert _kind(logger, message, "java.io.EOFException") == "blob-connection-ended"
    assert _kind(logger, message, "java.io.FileNotFoundException") is None
