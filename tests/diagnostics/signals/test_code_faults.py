"""Failures that a change of the job can repair: which, where, how often."""

from __future__ import annotations

import pytest

from diagnostics.signals.code_faults import measure
from tests.diagnostics.hand_made import hand_made, needs
from tests.diagnostics.signals.failed_program import OWN, facts_of, failed, of_version


def test_subtasks_that_fail_together_are_one_round() -> None:
    log = [failed(second, "java.lang.NullPointerException", subtask=place) for second in (10, 30) for place in (0, 1)]
    facts = facts_of(*log)
    assert (facts["count"], facts["rounds"], facts["interval_ms"]) == (4, 2, 20_000)
    assert (facts["vertices"], facts["subtasks"], facts["is_first"]) == (["enrich"], [0, 1], True)
    assert (facts["origin"], facts["own_frames"], facts["messages"]) == ("own_code", [OWN], 1)


def test_the_first_failure_is_reported() -> None:
    first = failed(5, "java.net.ConnectException", "Connection refused")
    facts = facts_of(first, failed(10, "java.lang.NullPointerException"))
    assert (facts["is_first"], facts["before"]) == (False, "ConnectException: Connection refused")
    assert (facts["failures"], facts["of_code"]) == (2, 1)


def test_a_missing_class_is_named() -> None:
    facts = facts_of(failed(5, "java.lang.NoClassDefFoundError", "org/acme/Order"))
    assert (facts["origin"], facts["missing"]) == ("class_loading", "org.acme.Order")


@pytest.mark.parametrize(
    ("exception", "message", "twice", "of_flink"),
    [
        ("ClassNotFoundException", "org.acme.Order", False, False),
        ("NoClassDefFoundError", "org/apache/flink/table/api/Table", False, True),
        ("NoClassDefFoundError", "Could not initialize class org.acme.Order", None, False),
        ("NoSuchMethodError", "com.google.common.base.Preconditions.checkArgument(ZLjava/lang/String;)V", None, False),
    ],
)
def test_a_class_that_no_loader_finds_is_not_there_twice(
    exception: str, message: str, twice: bool | None, of_flink: bool | None
) -> None:
    facts = facts_of(failed(5, f"java.lang.{exception}", message))
    assert (facts.get("twice"), facts.get("of_flink")) == (twice, of_flink)


def test_a_program_that_fails_in_main_has_no_job_yet_and_one_that_passes_on_a_failed_job_has() -> None:
    main = "org.apache.flink.client.program.ProgramInvocationException: The main method caused an error: x"
    job = "org.apache.flink.runtime.client.JobExecutionException: Job execution failed."
    own = "java.lang.IllegalArgumentException: x"
    exception = "java.lang.IllegalArgumentException"
    assert facts_of(failed(5, exception, "x", causes=f"{main}\n{own}"))["before_job"] is True
    assert "before_job" not in facts_of(failed(5, exception, "x", causes=f"{main}\n{job}\n{own}"))
    assert "before_job" not in facts_of(failed(5, exception, "x"))


def test_a_program_that_the_launcher_of_java_reports_has_no_job_unless_it_ran_one() -> None:
    """A value that it cannot read is no record of a job then: another rule speaks."""
    exception, main = "com.fasterxml.jackson.core.JsonParseException", 'Exception in thread "main" '
    before = failed(5, exception, "x") | {"message": f"{main}{exception}: x"}
    assert {name: facts_of(before)[name] for name in ("before_job", "origin")} == {
        "before_job": True,
        "origin": "record",
    }
    for text in ("RuntimeException: Failed to fetch next result", "TableException: Failed to wait job finish"):
        assert "before_job" not in facts_of(failed(5, exception, "x") | {"message": f"{main}{text}"})


def test_a_class_that_a_task_does_not_see_names_its_artifact() -> None:
    said = "Cannot load user class: org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer"
    facts = facts_of(failed(5, "org.apache.flink.streaming.runtime.tasks.StreamTaskException", said))
    assert (facts["owner"], "owner_advice" in facts) == ("flink-connector-kafka", False)


def test_a_class_cast_to_itself_has_two_class_loaders() -> None:
    message = "class org.acme.Order cannot be cast to class org.acme.Order (they are in unnamed modules)"
    facts = facts_of(failed(5, "java.lang.ClassCastException", message))
    assert (facts["cast_from"], facts["cast_same"]) == ("org.acme.Order", True)


@pytest.mark.parametrize(
    ("message", "loaders"),
    [
        (
            "class org.acme.Order cannot be cast to class org.acme.Order (org.acme.Order is in unnamed module of loader"
            " org.apache.flink.util.ChildFirstClassLoader @5b7f; org.acme.Order is in unnamed module of loader 'app')",
            "job_and_lib",
        ),
        (
            "class org.acme.Order cannot be cast to class org.acme.Order (org.acme.Order is in unnamed module of loader"
            " org.apache.flink.util.ChildFirstClassLoader @5b7f; org.acme.Order is in unnamed module of loader"
            " org.apache.flink.util.ChildFirstClassLoader @77aa)",
            "two_jobs",
        ),
        ("org.acme.Order cannot be cast to org.acme.Order", None),
    ],
)
def test_a_cast_names_whose_loaders_have_the_class(message: str, loaders: str | None) -> None:
    facts = facts_of(failed(5, "java.lang.ClassCastException", message))
    assert (facts.get("cast_loaders"), facts["cast_of_copies"]) == (loaders, True)


@pytest.mark.parametrize(
    ("source", "target", "relocated", "inside"),
    [
        (
            "com.ververica.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct",
            "org.apache.kafka.connect.data.Struct",
            "com.ververica.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct",
            "the Kafka Connect inside of a Flink CDC SQL jar",
        ),
        (
            "org.apache.kafka.common.serialization.StringSerializer",
            "org.apache.flink.kafka.shaded.org.apache.kafka.common.serialization.Serializer",
            "org.apache.flink.kafka.shaded.org.apache.kafka.common.serialization.Serializer",
            "org.apache.flink.kafka",
        ),
        (
            "org.apache.avro.generic.GenericData$Record",
            "org.apache.hudi.org.apache.avro.generic.GenericData$Record",
            "org.apache.hudi.org.apache.avro.generic.GenericData$Record",
            "hudi-flink-bundle",
        ),
    ],
)
def test_a_cast_between_a_relocated_and_a_plain_class_names_both_jars(
    source: str, target: str, relocated: str, inside: str
) -> None:
    frame = "org.apache.hudi.sink.Writer.write"
    facts = facts_of(
        failed(5, "java.lang.ClassCastException", f"{source} cannot be cast to {target}", root_cause_frame=frame)
    )
    assert (facts["relocated"], facts["relocated_in"]) == (relocated, inside)
    assert (facts["cast_of_copies"], facts["cast_same"], "plain_in" in facts) == (True, False, True)


@pytest.mark.parametrize(
    "message",
    [
        "java.lang.String cannot be cast to java.lang.Long",
        "org.apache.flink.table.data.GenericRowData cannot be cast to org.apache.flink.table.data.binary.BinaryRowData",
        "org.apache.hudi.A cannot be cast to org.apache.flink.shaded.guava30.com.google.common.B",
    ],
)
def test_a_cast_of_other_types_is_of_no_copies(message: str) -> None:
    facts = facts_of(failed(5, "java.lang.ClassCastException", message))
    assert (facts["cast_of_copies"], facts.get("relocated")) == (False, None)


def test_a_conflict_names_the_artifact_and_its_release_for_this_flink() -> None:
    missing = "org/apache/flink/connector/kafka/source/KafkaSource"
    facts = facts_of(of_version("1.18.1"), failed(5, "java.lang.NoClassDefFoundError", missing))
    assert (facts["owner"], facts["owner_release"]) == ("flink-connector-kafka", "flink-connector-kafka 3.2.0-1.18")
    assert facts["owner_includes"].startswith("org.apache.flink:flink-connector-kafka")


def test_a_method_that_flink_lacks_blames_the_connector_that_calls_it() -> None:
    said = "'void org.apache.flink.table.factories.FactoryUtil.checkWatermarkOptions(org.acme.Options)'"
    frame = "org.apache.flink.connector.jdbc.table.JdbcDynamicTableFactory.createDynamicTableSource"
    facts = facts_of(of_version("1.17.2"), failed(5, "java.lang.NoSuchMethodError", said, root_cause_frame=frame))
    assert (facts["owner"], facts["caller"]) == ("Flink's Table API", "flink-connector-jdbc")
    assert (facts["missing"], facts["owner_release"]) == (
        "org.apache.flink.table.factories.FactoryUtil",
        "flink-connector-jdbc 3.1.2-1.17",
    )


@pytest.mark.parametrize(
    ("frame", "asked_by"),
    [
        ("org.apache.flink.streaming.runtime.tasks.StreamTask.invoke", "flink"),
        ("org.acme.Enrich.open", "job"),
        ("org.apache.flink.streaming.connectors.acme.AcmeSource.open", None),
    ],
)
def test_a_method_that_flink_lacks_tells_who_was_built_for_another_flink(frame: str, asked_by: str | None) -> None:
    said = "org.apache.flink.api.common.state.OperatorStateStore.getSerializableListState(Ljava/lang/String;)L"
    facts = facts_of(of_version("1.18.1"), failed(5, "java.lang.NoSuchMethodError", said, root_cause_frame=frame))
    assert (facts["asks_another_flink"], facts.get("asked_by"), facts["owner_flink"]) == (True, asked_by, "1.18")
    assert "owner_release" not in facts


def test_the_release_in_the_message_goes_before_that_of_other_files() -> None:
    said = "org/apache/flink/api/X.y()V (loaded from file:/opt/flink/lib/flink-dist_2.11-1.11.3.jar by jdk"
    facts = facts_of(of_version("1.20.0"), failed(5, "java.lang.NoSuchMethodError", said))
    assert facts["owner_flink"] == "1.11"


def test_a_class_that_is_missing_is_brought_and_one_that_is_there_is_kept_at_one_release() -> None:
    missing = facts_of(failed(5, "java.lang.ClassNotFoundException", "org.apache.kafka.clients.producer.Producer"))
    other = facts_of(failed(5, "java.lang.NoSuchMethodError", "org.apache.kafka.clients.producer.Producer.close()V"))
    assert missing["owner_advice"].startswith("Put flink-sql-connector-kafka")
    assert other["owner_advice"].startswith("Use one release of kafka-clients")
    assert "shape" not in missing


def test_a_class_that_flink_always_has_is_missing_because_of_its_caller() -> None:
    frame = "org.apache.flink.connector.jdbc.JdbcSink.sink"
    facts = facts_of(
        of_version("1.18.1"),
        failed(5, "java.lang.NoClassDefFoundError", "org/apache/flink/util/Acme", root_cause_frame=frame),
    )
    assert (facts["owner"], facts["caller"]) == ("Flink's own runtime", "flink-connector-jdbc")
    assert facts["owner_release"] == "flink-connector-jdbc 3.2.0-1.18"


def test_a_class_that_may_be_missing_is_brought_whoever_calls_it() -> None:
    frame = "org.apache.flink.connector.jdbc.JdbcSink.sink"
    facts = facts_of(failed(5, "java.lang.ClassNotFoundException", "com.mysql.cj.jdbc.Driver", root_cause_frame=frame))
    assert (facts["owner"], "caller" in facts) == ("the JDBC driver", False)
    assert "Put the driver's jar" in facts["owner_advice"]


def test_a_driver_of_another_release_is_exchanged() -> None:
    said = "'com.clickhouse.jdbc.ClickHouseConnection com.clickhouse.jdbc.ClickHouseDriver.connect(java.lang.String)'"
    frame = "org.apache.flink.connector.clickhouse.internal.connection.ClickHouseConnectionProvider.createConnection"
    facts = facts_of(failed(5, "java.lang.NoSuchMethodError", said, root_cause_frame=frame))
    assert (facts["owner"], facts["caller_frame"]) == ("the JDBC driver", frame)
    assert "clickhouse-jdbc" in facts["owner_advice"]


def test_a_class_of_the_job_has_no_owner() -> None:
    assert "owner_advice" not in facts_of(failed(5, "java.lang.NoClassDefFoundError", "org/acme/Order"))


def test_a_failure_in_the_snapshot_belongs_to_the_checkpoints() -> None:
    causes = "java.io.IOException: Could not perform checkpoint 7 for operator enrich (1/2)#0.\nNullPointerException: "
    assert facts_of(failed(5, "java.lang.NullPointerException", causes=causes))["of_code"] == 0


def test_nothing_is_measured_without_logs_and_exceptions() -> None:
    assert needs(measure(hand_made())) == {"code_faults": "jobmanager-log"}


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        ("org/apache/flink/streaming/api/functions/source/SourceFunction", "org.apache.flink:*"),
        ("javax/ws/rs/core/Response", "com.sun.jersey:*,javax.ws.rs:*,org.glassfish.jersey.*:*"),
    ],
)
def test_a_class_that_is_there_twice_was_neither_removed_nor_is_it_missing(named: str, kept: str) -> None:
    message = (
        "loader constraint violation: loader (instance of org/apache/flink/util/ChildFirstClassLoader) previously "
        f'initiated loading for a different type with name "{named}"'
    )
    twice = facts_of(failed(5, "java.lang.LinkageError", message))
    assert (twice["twice"], twice["missing"], twice["owner_includes"]) == (True, named.replace("/", "."), kept)
    assert not {"owner", "owner_advice"} & {name for name, value in twice.items() if value is not None}
    missing = facts_of(failed(5, "java.lang.NoClassDefFoundError", named))
    assert missing["owner_advice"]


def test_a_class_that_flink_2_removed_is_missing_on_flink_1_where_its_own_jars_are() -> None:
    missing = failed(5, "java.lang.NoClassDefFoundError", "org/apache/flink/streaming/api/functions/sink/SinkFunction")
    assert "provided scope" in facts_of(of_version("1.20.1"), missing)["owner_advice"].partition(". ")[2]
    assert facts_of(of_version("2.0.0"), missing)["owner_advice"].startswith("Flink 2.0 removed it")
    assert facts_of(missing)["owner_advice"].startswith("Flink 2.0 removed it")


def test_what_a_shape_decides_counts_before_the_owner_of_the_class() -> None:
    said = "org.apache.iceberg.BaseFileScanTask; local class incompatible: stream classdesc serialVersionUID = 1"
    fault = failed(5, "java.io.InvalidClassException", said, causes=f"java.io.InvalidClassException: {said}")
    facts = facts_of(of_version("1.20.1"), fault)
    assert "owner_advice" not in facts
    assert "--allowNonRestoredState" in facts["advice"]


def test_what_a_worker_of_python_printed_is_repaired_first() -> None:
    ended = failed(5, "java.lang.RuntimeException", "Failed to create stage bundle factory! INFO:root:Starting")
    printed = {"level": None, "exception_message": "ImportError: cannot import name 'validate' from 'avro.io'"}
    facts = facts_of(ended, {"message": printed["exception_message"], "causes": None, **printed})
    assert facts["worker_error"] == printed["exception_message"]
    assert facts["remedy"].startswith("Make a fresh environment")


def test_a_format_that_lacks_a_method_is_itself_of_another_release() -> None:
    said = "org.apache.flink.formats.avro.typeutils.AvroSchemaConverter.convertToSchema(Lorg/acme/Type;)V"
    facts = facts_of(of_version("1.20.1"), failed(5, "java.lang.NoSuchMethodError", said))
    assert "asks_another_flink" not in facts
    assert facts["owner_release"] == "1.20.1"
    assert facts["owner_advice"].startswith("Put flink-sql-avro")


def test_a_connector_that_hands_a_method_of_the_jdk_a_null_fails_in_its_own_code() -> None:
    frame = "org.apache.flink.cdc.connectors.mysql.source.offset.BinlogOffset.compareTo"
    jdk = "java.lang.String$CaseInsensitiveComparator.compare"
    frames = {"root_cause_frame": jdk, "thrown_in": frame, "user_frame": None, "own_frames": None}
    facts = facts_of(failed(5, "java.lang.NullPointerException", **frames))
    assert (facts["origin"], facts["frame"]) == ("connector_code", frame)
