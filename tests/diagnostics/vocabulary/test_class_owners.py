"""A class tells its artifact, and the artifact the release for each Flink."""

from __future__ import annotations

import pytest

from diagnostics.language import Text
from diagnostics.vocabulary.class_owners import (
    caller_of,
    class_named,
    class_owners,
    is_conflict,
    names_two_loaders,
    owner_of,
    package_of,
)


@pytest.mark.parametrize(
    ("exception", "message", "named", "owner"),
    [
        (
            "java.lang.NoClassDefFoundError",
            "org/apache/flink/shaded/guava30/com/google/common/collect/Lists",
            "org.apache.flink.shaded.guava30.com.google.common.collect.Lists",
            "guava of flink-shaded",
        ),
        (
            "java.lang.NoSuchMethodError",
            "'void org.apache.avro.Schema$Field.addProp(java.lang.String, java.lang.Object)'",
            "org.apache.avro.Schema$Field",
            "Avro",
        ),
        (
            "java.lang.NoSuchMethodError",
            "org.apache.commons.cli.Option.builder(Ljava/lang/String;)Lorg/apache/commons/cli/Option$Builder;",
            "org.apache.commons.cli.Option",
            "commons-cli",
        ),
        (
            "java.lang.NoSuchMethodError",
            "'org.apache.flink.table.types.DataType org.apache.flink.table.factories.DynamicTableFactory$Context.x()'",
            "org.apache.flink.table.factories.DynamicTableFactory$Context",
            "Flink's Table API",
        ),
        (
            "java.lang.AbstractMethodError",
            "Receiver class org.apache.flink.connector.jdbc.table.JdbcDynamicTableSource does not define or inherit an"
            " implementation of the resolved method",
            "org.apache.flink.connector.jdbc.table.JdbcDynamicTableSource",
            "flink-connector-jdbc",
        ),
        (
            "java.lang.IncompatibleClassChangeError",
            "Found interface org.apache.hadoop.mapreduce.JobContext, but class was expected",
            "org.apache.hadoop.mapreduce.JobContext",
            "Hadoop",
        ),
        (
            "java.io.InvalidClassException",
            "org.apache.flink.streaming.api.operators.StreamMap; local class incompatible: stream classdesc",
            "org.apache.flink.streaming.api.operators.StreamMap",
            "Flink's own runtime",
        ),
        ("java.lang.ClassNotFoundException", "com.mysql.cj.jdbc.Driver", "com.mysql.cj.jdbc.Driver", "the JDBC driver"),
        ("java.lang.ClassNotFoundException", "scala.Product$class", "scala.Product$class", "the Scala library"),
        (
            "java.lang.NoSuchMethodError",
            "scala.Predef$.refArrayOps([Ljava/lang/Object;)L",
            "scala.Predef$",
            "the Scala library",
        ),
        ("java.lang.ClassNotFoundException", "com.acme.Job", "com.acme.Job", None),
        (
            "java.lang.NoSuchMethodError",
            "'java.util.List java.util.List.of(java.lang.Object)'",
            "java.util.List",
            "the library of a newer Java",
        ),
        (
            "java.lang.NoClassDefFoundError",
            "java/net/http/HttpClient",
            "java.net.http.HttpClient",
            "the library of a newer Java",
        ),
        (
            "java.lang.NoSuchMethodError",
            "org.apache.kafka.clients.producer.KafkaProducer.flush()V",
            "org.apache.kafka.clients.producer.KafkaProducer",
            "the Kafka client",
        ),
        ("java.lang.NoSuchFieldError", "INSTANCE", None, None),
        (
            "java.lang.NoClassDefFoundError",
            "org/apache/flink/streaming/api/functions/source/RichSourceFunction",
            "org.apache.flink.streaming.api.functions.source.RichSourceFunction",
            "an interface that Flink 2.0 moved or removed",
        ),
        (
            "java.lang.NoClassDefFoundError",
            "com/sun/jersey/api/client/config/ClientConfig",
            "com.sun.jersey.api.client.config.ClientConfig",
            "Jersey and JAX-RS",
        ),
        (
            "java.lang.ClassNotFoundException",
            "org.datanucleus.NucleusContext",
            "org.datanucleus.NucleusContext",
            "the embedded metastore of Hive",
        ),
        (
            "java.lang.ClassCastException",
            "org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct cannot be cast to org.apache",
            "org.apache.flink.cdc.connectors.shaded.org.apache.kafka.connect.data.Struct",
            "the Kafka Connect inside of a Flink CDC SQL jar",
        ),
        (
            "java.lang.NoSuchMethodError",
            "org.bson.Document.getEmbedded(Ljava/util/List;)Ljava/lang/Object;",
            "org.bson.Document",
            "the MongoDB driver",
        ),
        (
            "java.lang.ClassCastException",
            "class org.codehaus.janino.CompilerFactory cannot be cast to class org.codehaus.commons.compiler.I",
            "org.codehaus.janino.CompilerFactory",
            "Janino, which the planner of Flink SQL has inside",
        ),
        (
            "java.lang.NoSuchMethodError",
            "org.apache.calcite.sql.parser.SqlParser.config()Lorg/apache/calcite/sql/parser/SqlParser$Config;",
            "org.apache.calcite.sql.parser.SqlParser",
            "Calcite, which the planner of Flink SQL has inside",
        ),
        (
            "java.lang.NoClassDefFoundError",
            "org/apache/flink/util/concurrent/ExecutorThreadFactory",
            "org.apache.flink.util.concurrent.ExecutorThreadFactory",
            "Flink 1.14 and newer",
        ),
    ],
)
def test_the_class_of_an_error_has_an_owner(exception: str, message: str, named: str | None, owner: str | None) -> None:
    assert class_named(exception, message) == named
    found = owner_of(named)
    assert (found.what if found else None) == owner


def test_the_longest_beginning_counts() -> None:
    kafka = owner_of("org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer")
    assert kafka is not None
    assert "4.0.0 removed" in kafka.advice


@pytest.mark.parametrize(
    ("name", "line", "release"),
    [
        ("org.apache.flink.connector.kafka.source.KafkaSource", "1.18", "flink-connector-kafka 3.2.0-1.18"),
        ("org.apache.flink.connector.jdbc.JdbcSink", "1.20", "flink-connector-jdbc 3.3.0-1.20"),
        ("org.apache.iceberg.flink.FlinkCatalog", "1.17", "iceberg-flink-runtime-1.17-1.6.1"),
        ("org.apache.flink.cdc.connectors.mysql.MySqlSource", "1.18", "Flink CDC 3.2.1"),
        ("org.apache.flink.connector.kafka.source.KafkaSource", "1.12", None),
        ("org.apache.paimon.flink.sink.FlinkSink", "1.20", "paimon-flink-1.20-2.0.0"),
        ("org.apache.fluss.flink.catalog.FlinkCatalog", "1.19", "fluss-flink-1.19-0.9.1-incubating"),
        ("org.apache.doris.flink.sink.DorisSink", "1.18", "flink-doris-connector-1.18-26.2.0"),
        (
            "com.starrocks.connector.flink.StarRocksSink",
            "1.19",
            "flink-connector-starrocks 1.2.16_flink-1.19",
        ),
    ],
)
def test_an_artifact_has_a_release_for_a_version_of_flink(name: str, line: str, release: str | None) -> None:
    owner = owner_of(name)
    assert owner is not None
    assert owner.release_for(line) == release


@pytest.mark.parametrize(
    ("frames", "caller"),
    [
        (["org.apache.flink.connector.jdbc.table.JdbcTableSource.copy"], "flink-connector-jdbc"),
        (["scala.Option.getOrElse", "org.apache.iceberg.flink.FlinkCatalog.open"], "iceberg-flink-runtime"),
        (["java.net.URLClassLoader.findClass", "org.dinky.executor.Executor.build"], "Dinky"),
        (["org.apache.flink.util.ChildFirstClassLoader.loadClass", "org.apache.hudi.A.b"], "hudi-flink-bundle"),
        (["org.apache.flink.connector.acme.AcmeWriter.write"], None),
        (["org.apache.flink.runtime.taskmanager.Task.run", "org.apache.hudi.A.b"], None),
        (["scala.Option.getOrElse", "org.apache.flink.table.planner.A.b"], None),
        (["com.acme.Job.main", "org.apache.hudi.A.b"], None),
        ([], None),
    ],
)
def test_the_caller_is_the_first_frame_that_does_not_only_pass_a_call_on(frames: list[str], caller: str | None) -> None:
    found = caller_of(frames)
    assert (found[0].what if found else None) == caller


def test_a_class_of_another_release_is_repaired_otherwise_than_one_that_is_missing() -> None:
    driver = owner_of("com.clickhouse.jdbc.ClickHouseDriver")
    assert driver is not None
    assert driver.advice_on("java.lang.ClassNotFoundException") == driver.absent
    assert "keep one driver jar" in driver.advice_on("java.lang.NoSuchMethodError")
    avro = owner_of("org.apache.avro.Schema")
    assert avro is not None
    assert avro.advice_on("java.lang.NoSuchMethodError") == avro.advice


@pytest.mark.parametrize(
    ("caller", "called", "act"),
    [
        ("org.apache.hudi.hive.HiveSyncTool", "org.apache.hadoop.hive.conf.HiveConf", "-Pflink-bundle-shade-hive3"),
        ("org.apache.hudi.io.HoodieParquetWriter", "org.apache.parquet.schema.Types", "old Parquet"),
        ("org.apache.iceberg.hive.HiveCatalog", "org.apache.hadoop.hive.conf.HiveConf", "flink-sql-connector-hive"),
        ("org.apache.iceberg.parquet.Parquet", "org.apache.parquet.schema.Types", "iceberg-flink-runtime"),
        ("com.ververica.cdc.debezium.DebeziumSourceFunction", "org.apache.kafka.common.utils.Utils", "-cdc alone"),
    ],
)
def test_a_call_between_two_artifacts_has_its_own_repair(caller: str, called: str, act: str) -> None:
    owner = owner_of(caller)
    assert owner is not None
    assert act in (owner.advice_beside(owner_of(called)) or "")


def test_each_pair_names_an_owner_of_the_catalogue() -> None:
    names = {each.what for each in class_owners()}
    assert {other for each in class_owners() for other in each.beside} <= names
    assert all(isinstance(said, Text) for each in class_owners() for said in each.beside.values())


def test_every_owner_has_advice_in_both_languages_and_no_beginning_is_claimed_twice() -> None:
    owners = class_owners()
    said = [(each.what, text) for each in owners for text in (each.advice, each.absent) if text]
    assert [what for what, text in said if not isinstance(text, Text)] == []
    beginnings = [prefix for each in owners for prefix in each.classes]
    assert len(beginnings) == len(set(beginnings))


@pytest.mark.parametrize(
    ("exception", "message", "conflict"),
    [
        ("java.lang.NoSuchMethodError", "a.B.c()V", True),
        ("java.io.InvalidClassException", "a.B; local class incompatible", True),
        ("java.lang.NoClassDefFoundError", "Could not initialize class a.B", False),
        ("java.io.NotSerializableException", "org.apache.flink.streaming.api.environment.Env", False),
    ],
)
def test_only_some_errors_are_conflicts_of_releases(exception: str, message: str, conflict: bool) -> None:
    assert is_conflict(exception, message) is conflict


@pytest.mark.parametrize(
    ("message", "named", "twice"),
    [
        (
            "loader constraint violation: loader (instance of org/apache/flink/util/ChildFirstClassLoader) previously"
            ' initiated loading for a different type with name "org/apache/kafka/clients/consumer/ConsumerRecord"',
            "org.apache.kafka.clients.consumer.ConsumerRecord",
            True,
        ),
        (
            "loader constraint violation: loader org.apache.flink.util.ChildFirstClassLoader @4f wants to load class"
            " org.apache.avro.specific.SpecificRecord. A different class with the same name was previously loaded.",
            "org.apache.avro.specific.SpecificRecord",
            True,
        ),
        (
            "loader (instance of  org/apache/flink/util/ChildFirstClassLoader): attempted  duplicate class definition"
            ' for name: "com/acme/Event"',
            "com.acme.Event",
            False,
        ),
    ],
)
def test_a_linkage_error_is_about_the_class_and_not_about_its_loader(message: str, named: str, twice: bool) -> None:
    assert class_named("java.lang.LinkageError", message) == named
    assert names_two_loaders(message) is twice


def test_a_pattern_of_class_loading_has_at_most_three_parts_of_the_package() -> None:
    assert package_of("org.apache.kafka.clients.consumer.ConsumerRecord") == "org.apache.kafka"
    assert package_of("scala.Option") == "scala"


def test_what_is_inside_the_jar_of_a_connector_comes_with_its_releases() -> None:
    cdc, debezium = owner_of("org.apache.flink.cdc.Source"), owner_of("io.debezium.connector.mysql.MySqlConnector")
    assert cdc is not None
    assert debezium is not None
    assert debezium.release_for("1.20") == cdc.release_for("1.20")
