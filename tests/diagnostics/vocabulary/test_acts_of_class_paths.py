"""What repairs a class, factory or interpreter that is not found: what to look at first, and what is not blamed."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import owner_of
from diagnostics.vocabulary.code_shapes import code_shape_of
from diagnostics.vocabulary.message_remedies import known_message, remedy_of
from diagnostics.vocabulary.setting_faults import setting_fault_of
from diagnostics.vocabulary.statement_traps import traps_in

NOT_FOUND = (
    "org.apache.flink.table.api.ValidationException: Could not find any factory for identifier '{}' that implements "
    "'org.apache.flink.table.factories.{}' in the classpath."
)
TWICE = (
    "org.apache.flink.table.api.ValidationException: Multiple factories for identifier 'lake' that implement "
    "'org.apache.flink.table.factories.{}' found in the classpath."
)


@pytest.mark.parametrize(
    ("chain", "named"),
    [
        (TWICE.format("DynamicTableFactory"), "FLINK-20187"),
        (TWICE.format("CatalogFactory"), "in two jars"),
        (NOT_FOUND.format("my_catalog", "CatalogFactory"), "META-INF/services"),
        ("TypeError: Could not found the Java class 'org.apache.flink.connector.jdbc.JdbcSink.sink'.", "chmod"),
        (
            "java.io.IOException: Failed to execute the command: e.zip/e/bin/python -c import pyflink\n"
            "Fatal Python error: init_fs_encoding\nModuleNotFoundError: No module named 'encodings'",
            "Miniconda",
        ),
        (
            "Could not restore operator state backend for X\njava.lang.IndexOutOfBoundsException: Index 3",
            "the fields that the classes",
        ),
    ],
)
def test_the_act_asks_first_what_is_there(chain: str, named: str) -> None:
    assert named in (remedy_of(chain) or "")


def test_a_class_of_a_newer_java_is_compiled_anew_or_its_library_goes_back() -> None:
    said = (
        "java.lang.UnsupportedClassVersionError: com/acme/Client has been compiled by a more recent "
        "version of the Java Runtime (class file version 61.0), this version of the Java Runtime only recognizes "
        "class file versions up to 55.0"
    )
    first = (remedy_of(said) or "").partition(":")[0]
    assert "com/acme/Client with maven.compiler.release 11 where it is your own" in first
    assert "the former release of the library that it is of" in first


@pytest.mark.parametrize(
    "frame",
    [
        "org.apache.flink.api.common.serialization.SimpleStringSchema.deserialize",
        "org.apache.flink.formats.json.JsonNodeDeserializationSchema.deserialize",
    ],
)
def test_a_schema_that_meets_no_value_names_tombstones(frame: str) -> None:
    assert "tombstone" in (remedy_of("java.lang.NullPointerException: null", ("java.lang.String.<init>", frame)) or "")


def test_a_connector_that_only_writes_blames_no_missing_jar() -> None:
    assert setting_fault_of(NOT_FOUND.format("elasticsearch-7", "DynamicTableSourceFactory")) is None
    assert setting_fault_of(NOT_FOUND.format("elasticsearch-7", "DynamicTableSinkFactory")) is not None


def test_a_program_of_flinks_scripts_is_not_sent_into_the_jar_of_the_job() -> None:
    owner = owner_of("org.apache.flink.client.cli.CliFrontend")
    assert owner is not None
    assert "flink-dist" in owner.advice_on("java.lang.ClassNotFoundException")


def test_a_garbled_name_of_a_class_of_flink_shows_two_releases_of_flink() -> None:
    said = "Caused by:java.lang.NoSuchMethodError:org.apache flink.core .fs.Path.of"
    shape = code_shape_of("class_loading", "", "", said, (), None)
    assert shape is not None
    assert "one version" in shape.advice


def test_a_trace_of_kryo_through_a_connectors_class_goes_to_the_connector() -> None:
    said = "com.esotericsoftware.kryo.KryoException: null\nSerialization trace:\nschema (org.apache.iceberg.Table)"
    own = "com.esotericsoftware.kryo.KryoException: null\nSerialization trace:\nitems (com.acme.Order)"
    shapes = [
        code_shape_of("serialization", "com.esotericsoftware.kryo.KryoException", "", each, (), None)
        for each in (said, own)
    ]
    assert [shape is not None and "of the connector" in shape.advice[:40] for shape in shapes] == [True, False]


def test_a_lake_table_read_from_its_end_is_remarked() -> None:
    read = "CREATE TABLE t (id INT); INSERT INTO s SELECT * FROM t /*+ OPTIONS('scan.mode' = 'latest') */"
    assert "only-new-rows-of-a-lake-table" in [name for name, _, _ in traps_in(read)]
    assert "only-new-rows-of-a-lake-table" not in [
        name for name, _, _ in traps_in(read.replace("'latest'", "'latest-full'"))
    ]


def test_formats_that_the_jobmanager_cannot_load_are_a_matter_of_jars_unless_the_cause_is_there() -> None:
    outer = "org.apache.flink.runtime.client.JobInitializationException: Could not start the JobMaster."
    said = f"{outer}\nJobExecutionException: Cannot initialize task 'a': Loading the input/output formats failed: "
    known = known_message(said)
    assert known is not None
    assert known.shows == "class_loading"
    assert known.remedy.startswith("Put the jars of the connectors and of the framework")
    other = known_message(f"{said}\njava.lang.OutOfMemoryError: Java heap space")
    assert other is None or other.id != known.id
