"""The shape of an exception of the program shows what repairs it."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.code_shapes import code_shape_of, code_shapes
from diagnostics.wording.phrase import split_sentences


@pytest.mark.parametrize(
    ("origin", "exception", "missing", "message", "what"),
    [
        ("class_loading", "java.lang.NoClassDefFoundError", "org.apache.hadoop.conf.Configuration", "", "of Hadoop"),
        ("class_loading", "java.lang.NoClassDefFoundError", "com.acme.Client", "", "a class is missing"),
        (
            "class_loading",
            "java.lang.RuntimeException",
            "",
            "RuntimeException: class org.apache.hadoop.a.B not org.apache.hadoop.a.C",
            "two jars",
        ),
        (
            "class_loading",
            "java.lang.IllegalAccessError",
            "a.b.Writer",
            "tried to access method a.b.Writer.<init>(J)V from class a.b.DeltaWriter",
            "of one package",
        ),
        (
            "class_loading",
            "java.lang.IllegalAccessError",
            "a.b.DeltaWriter",
            "class a.b.DeltaWriter tried to access method 'void a.b.Writer.<init>(long)' (a.b.Writer is in module b)",
            "of one package",
        ),
        (
            "class_loading",
            "java.lang.IllegalAccessError",
            "a.b.C",
            "tried to access field a.b.C.d from class e.F",
            "two",
        ),
        (
            "serialization",
            "java.io.InvalidClassException",
            "",
            "java.io.InvalidClassException: a.CoderTypeSerializer;\nlocal class incompatible: stream classdesc",
            "the state holds",
        ),
        ("class_loading", "java.lang.NoClassDefFoundError", "a.B", "Could not initialize class a.B", "initialized"),
        ("class_loading", "java.lang.NoSuchMethodError", "a.B.c", "a.B.c(I)V", "two releases"),
        ("class_loading", "java.lang.LinkageError", "", "loader constraint violation", "twice"),
        ("serialization", "java.io.NotSerializableException", "", "com.acme.Options", "cannot be serialized"),
        ("serialization", "java.io.InvalidClassException", "", "a.B; local class incompatible", "another release"),
        (
            "serialization",
            "java.io.InvalidClassException",
            "",
            "java.io.InvalidClassException: org.apache.avro.A; local class incompatible",
            "a class of a library",
        ),
        (
            "serialization",
            "java.io.NotSerializableException",
            "",
            "java.io.NotSerializableException: io.opentelemetry.javaagent.shaded.A$B",
            "of an agent",
        ),
        (
            "serialization",
            "org.apache.flink.api.common.InvalidProgramException",
            "",
            "Object org.apache.flink.streaming.util.serialization.SchemaWrapper@6e is not serializable",
            "what the program gave",
        ),
        ("record", "java.sql.BatchUpdateException", "", "Duplicate entry '7' for key 'PRIMARY'", "this key already"),
        ("statement", "org.apache.calcite.CalciteException", "", "Object 'orders' not found", "the table"),
        ("own_code", "java.lang.ClassCastException", "", "class a.PageB cannot be cast to class a.PageB", "twice"),
        ("class_loading", "java.lang.ClassCastException", "", "cannot assign instance of a.B to field a.C.d", "twice"),
        ("unknown", "java.lang.ClassCastException", "", "class a.B cannot be cast to class a.C", "another type"),
        (
            "unknown",
            "java.lang.ClassCastException",
            "",
            "com.ververica.cdc.connectors.mongodb.A cannot be cast to com.ververica.cdc.connectors.mongodb.B",
            "Flink CDC in two releases",
        ),
        (
            "connector_code",
            "java.lang.ClassCastException",
            "",
            "class org.apache.kafka.connect.data.Struct cannot be cast to class"
            " org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct",
            "SQL jar of Flink CDC",
        ),
        (
            "class_loading",
            "java.lang.NoSuchMethodError",
            "",
            "io.debezium.data.Envelope.isEnvelopeSchema(Lcom/ververica/cdc/connectors/shaded/org/apache/kafka/connect/"
            "data/Schema;)Z",
            "SQL jar of Flink CDC",
        ),
        (
            "class_loading",
            "java.lang.NoClassDefFoundError",
            "org.apache.kafka.connect.data.Schema",
            "org/apache/kafka/connect/data/Schema",
            "Kafka Connect is missing",
        ),
        ("serialization", "org.apache.flink.api.common.InvalidProgramException", "", "the type erasure of x", "stream"),
        ("own_code", "java.lang.NullPointerException", "", "null", "null in the program"),
        ("own_code", "java.lang.NumberFormatException", "", "For input string: x", "no number"),
        (
            "flink",
            "java.lang.ClassCastException",
            "",
            "org.apache.iceberg.flink.data.FlinkParquetReaders$ReusableMapData cannot be cast to"
            " org.apache.flink.table.data.binary.BinaryMapData",
            "two implementations",
        ),
        (
            "flink",
            "java.lang.ClassCastException",
            "",
            "class java.lang.String cannot be cast to class org.apache.flink.table.data.StringData",
            "an object of Java",
        ),
        (
            "flink",
            "java.lang.ClassCastException",
            "",
            "org.apache.flink.table.data.binary.BinaryStringData cannot be cast to java.lang.String",
            "for an object of Java",
        ),
        (
            "own_code",
            "java.lang.ClassCastException",
            "",
            "java.lang.Long cannot be cast to java.lang.String",
            "than the program",
        ),
    ],
)
def test_a_failure_has_the_repair_of_its_shape(
    origin: str, exception: str, missing: str, message: str, what: str
) -> None:
    shape = code_shape_of(origin, exception, missing, f"{exception}: {message}", [], None)
    assert shape is not None
    assert what in shape.what


def test_a_general_shape_is_not_shown_beside_a_known_repair() -> None:
    failure = ("class_loading", "java.lang.NoSuchMethodError", "a.B.c", "java.lang.NoSuchMethodError: a.B.c()", [])
    assert code_shape_of(*failure, None) is not None
    assert code_shape_of(*failure, "Use one release.") is None


def test_a_failure_of_the_job_s_own_code_without_a_known_word_has_no_shape() -> None:
    assert (
        code_shape_of("own_code", "java.lang.IllegalStateException", "", "java.lang.IllegalStateException: x", [], None)
        is None
    )


def test_every_shape_has_advice_whose_first_sentence_stands_alone() -> None:
    for each in code_shapes():
        assert len(split_sentences(each.advice)[0]) <= 320, each.what


def test_own_code_is_told_by_its_method_and_no_other_failure_has_its_shapes() -> None:
    null, timer = "java.lang.NullPointerException", ["com.acme.Check.onTimer"]

    told = code_shape_of("own_code", null, "", f"{null}: null", timer, None)
    unknown = code_shape_of("unknown", null, "", f"{null}: null", timer, None)

    assert told is not None
    assert "timer" in told.what
    assert unknown is None


def test_a_connector_whose_parameters_are_read_misses_one() -> None:
    thrown = ["com.google.common.base.Preconditions.checkNotNull", "ru.ivi.opensource.sink.SinkCommonParams.<init>"]

    told = code_shape_of("connector_code", "java.lang.NullPointerException", "", "", thrown, None)

    assert told is not None
    assert "parameter" in told.what


def test_hadoop_that_lacks_a_class_of_hadoop_is_of_two_releases() -> None:
    missing, frames = "org.apache.hadoop.util.FastNumberFormat", ["org.apache.hadoop.yarn.ApplicationId.toString"]
    shape = code_shape_of("class_loading", "java.lang.NoClassDefFoundError", missing, "", frames, None)
    assert shape is not None
    assert shape.decides
    assert "one Hadoop release" in shape.advice


def test_an_object_of_a_connector_that_cannot_be_serialized_is_the_connectors_matter() -> None:
    of_connector = "InvalidProgramException: The implementation of the FlinkPulsarSource is not serializable."
    of_program = "InvalidProgramException: The implementation of the MapFunction is not serializable."
    said = (of_connector, of_program)
    shapes = [code_shape_of("serialization", "InvalidProgramException", "", each, (), None) for each in said]
    assert [shape and shape.what for shape in shapes] == [
        "an object of a connector cannot be serialized",
        "an object of the program cannot be serialized",
    ]


@pytest.mark.parametrize(
    ("exception", "frame", "named"),
    [
        ("java.lang.ArithmeticException", "StreamExecCalc$12.processElement", "NULLIF"),
        ("java.lang.NumberFormatException", "org.apache.flink.table.utils.DecimalUtils.castFrom", "TRY_CAST"),
        ("java.time.format.DateTimeParseException", "StreamExecCalc$3.processElement", "TRY_CAST"),
        ("java.lang.ArrayIndexOutOfBoundsException", "org.apache.flink.table.data.GenericRowData.getField", "Schema"),
        ("java.lang.IndexOutOfBoundsException", "org.apache.flink.core.memory.MemorySegment.getInt", "object-reuse"),
        ("java.util.ConcurrentModificationException", "com.esotericsoftware.kryo.Kryo.copy", "out.collect"),
    ],
)
@pytest.mark.parametrize("origin", ["own_code", "unknown"])
def test_code_that_flink_generates_or_calls_names_the_expression_or_the_object(
    origin: str, exception: str, frame: str, named: str
) -> None:
    shape = code_shape_of(origin, exception, "", f"{exception}: x", [frame], None)
    assert shape is not None
    assert named in shape.advice


@pytest.mark.parametrize(
    "said",
    [
        "java.io.InvalidClassException: org.apache.avro.A; local class incompatible",
        "java.io.NotSerializableException: datadog.trace.A",
    ],
)
def test_a_class_that_the_reader_does_not_own_asks_for_no_change_of_its_code(said: str) -> None:
    shape = code_shape_of("serialization", said.partition(":")[0], "", said, (), None)
    assert shape is not None
    assert "open()" not in shape.advice
    assert "states its serialVersionUID" not in shape.advice
