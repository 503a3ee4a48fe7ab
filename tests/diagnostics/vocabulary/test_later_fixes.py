"""Later fixes: which change of a newer release repaired the code that failed."""

from __future__ import annotations

import csv

import pytest

from diagnostics.vocabulary.known_bug import Release, release_of
from diagnostics.vocabulary.later_fix import (
    FOLDER,
    LaterFix,
    fix_file,
    fixes_by_place,
    later_fixes,
    place_in_source,
    products,
)

MONGODB = "com.ververica.cdc.connectors.mongodb.table.MongoDBConnectorDeserializationSchema"
NULL = "java.lang.NullPointerException: null"


@pytest.mark.parametrize("product", sorted(products()))
def test_every_product_has_its_fixes_each_once_with_releases_in_order(product: str) -> None:
    with fix_file(product).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    releases = [[release_of(text) for text in row["releases"].split(" ")] for row in rows]
    assert rows
    assert all(each == sorted(each) and None not in each for each in releases)
    assert len({row["change"] for row in rows}) == len(rows)
    assert all(row["title"] and row["methods"] for row in rows)


def test_no_file_is_without_its_product() -> None:
    assert {path.stem for path in FOLDER.glob("*.csv")} == set(products())


@pytest.mark.parametrize(
    ("release", "is_in"),
    [((3, 1, 0), False), ((3, 2, 0), False), ((3, 2, 1), True), ((3, 3, 0), True), ((4, 0, 0), True)],
)
def test_a_release_has_a_fix_since_that_of_its_line(release: Release, is_in: bool) -> None:
    fix = LaterFix(products()["flink-cdc"], "FLINK-1", "Fix", ((3, 2, 1), (3, 3, 0)), frozenset())
    assert fix.is_in(release) is is_in


def test_a_release_upgrades_to_the_nearest_with_the_fix() -> None:
    fix = LaterFix(products()["flink"], "FLINK-1", "Fix", ((1, 14, 5), (1, 15, 1)), frozenset())
    assert (fix.first_after((1, 14, 2)), fix.first_after((1, 15, 0)), fix.first_after(None)) == (
        (1, 14, 5),
        (1, 15, 1),
        (1, 14, 5),
    )


@pytest.mark.parametrize(
    ("product", "change", "address"),
    [
        ("flink-cdc", "FLINK-1", "https://issues.apache.org/jira/browse/FLINK-1"),
        ("flink-cdc", "2107", "https://github.com/apache/flink-cdc/pull/2107"),
        ("inlong", "INLONG-12", "https://github.com/apache/inlong/issues/12"),
        ("aws-msk-iam-auth", "f4abcc5477", "https://github.com/aws/aws-msk-iam-auth/commit/f4abcc5477"),
    ],
)
def test_a_change_has_the_address_where_it_is_described(product: str, change: str, address: str) -> None:
    assert products()[product].address_of(change) == address


def test_a_fix_of_hudi_comes_with_the_patch_line_that_has_it_too() -> None:
    fixes = {fix.change: fix for found in fixes_by_place("hudi").by_class.values() for fix in found}
    assert fixes["HUDI-7447"].releases == ((0, 15, 0), (1, 0, 0))
    assert {(0, 12, 1), (0, 12, 2), (0, 14, 1)} <= {each for fix in fixes.values() for each in fix.releases}


def test_a_fix_of_debezium_comes_with_the_release_of_flink_cdc_that_has_it_inside() -> None:
    fixes = {fix.change: fix for found in fixes_by_place("debezium").by_class.values() for fix in found}
    assert fixes["DBZ-7181"].releases == ((3, 1, 0),)
    assert fixes["DBZ-7181"].product.program == "Flink CDC"
    frame = "io.debezium.connector.postgresql.PostgresOffsetContext.initialContext"
    said = "org.postgresql.util.PSQLException: ERROR: recovery is in progress, not available in recovery mode"
    assert [each.fix.change for each in later_fixes([frame], said, {})][:1] == ["DBZ-7181"]
    assert "DBZ-7181" not in [each.fix.change for each in later_fixes([frame], said, {"debezium": (3, 1, 0)})]


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        ("org.acme.Writer.write", ("Writer", "write")),
        ("org.acme.Writer.lambda$open$3", ("Writer", "open")),
        ("org.acme.Writer$Buffer.flush", ("Writer", "flush")),
        ("org.acme.Writer$Buffer.<init>", ("Writer", "Buffer")),
        ("org.acme.Writer$1.<init>", ("Writer", "Writer")),
    ],
)
def test_a_frame_is_looked_up_as_its_source_is_written(frame: str, place: tuple[str, str]) -> None:
    assert place_in_source(frame) == place


def test_the_fix_of_the_method_that_failed_in_the_same_way_leads() -> None:
    found = later_fixes([f"{MONGODB}.deserialize"], NULL, {})
    assert (found[0].fix.change, found[0].is_close, found[0].fix.releases[0]) == ("2107", True, (2, 4, 0))
    assert found[0].fix.product.address_of("2107") == "https://github.com/apache/flink-cdc/pull/2107"


def test_a_fix_that_the_running_release_has_is_not_proposed() -> None:
    found = later_fixes([f"{MONGODB}.deserialize"], NULL, {"flink-cdc": (2, 4, 1)})
    assert "2107" not in [each.fix.change for each in found]


def test_a_fix_of_the_method_that_says_nothing_of_the_failure_is_not_listed() -> None:
    assert later_fixes([f"{MONGODB}.deserialize"], "java.io.EOFException: end of data", {}) == []


def test_a_fix_that_says_something_of_the_failure_is_listed_and_does_not_lead() -> None:
    frame = "com.starrocks.connector.flink.row.sink.StarRocksTableRowTransformer.typeConvertion"
    said = "java.lang.StringIndexOutOfBoundsException: String index out of range: 0"
    assert [(each.fix.change, each.is_close) for each in later_fixes([frame], said, {})] == [("380", False)]


def test_a_fix_whose_title_names_the_class_that_failed_and_nothing_else_is_listed() -> None:
    extractor = "org.apache.paimon.flink.action.cdc.watermark.CdcTimestampExtractorFactory$MysqlCdcTimestampExtractor"
    said = "java.lang.ClassCastException: java.lang.String cannot be cast to org.acme.JsonNode"
    found = later_fixes([f"{extractor}.extractTimestamp"], said, {})
    assert {each.fix.change for each in found} == {"3640", "2732"}


def test_beside_a_repair_of_its_own_only_titles_that_quote_the_message_count() -> None:
    frame = "org.apache.flink.cdc.connectors.mongodb.source.reader.fetch.MongoDBStreamFetchTask.openChangeStreamCursor"
    said = "com.mongodb.MongoCommandException: cannot resume stream; the resume token was not found."
    found = later_fixes([frame], said, {}, quoting_only=True)
    assert [(each.fix.change, each.frame) for each in found] == [("1938", None)]
    assert later_fixes([f"{MONGODB}.deserialize"], NULL, {}, quoting_only=True) == []


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ("org.apache.flink.api.java.ClosureCleaner.clean", "java.io.NotSerializableException: org.acme.Rows"),
        ("org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer.checkErroneous", "java.lang.Exception: sent"),
        ("org.apache.hudi.hive.HoodieHiveClient.<init>", "java.lang.NoClassDefFoundError: org/acme/Hive"),
        ("org.apache.flink.util.InstantiationUtil.deserializeObject", "java.io.EOFException: closed"),
    ],
)
def test_code_that_only_meets_or_reports_what_is_wrong_has_no_fixes(frame: str, said: str) -> None:
    assert later_fixes([frame], said, {}) == []


def test_code_of_the_job_and_of_other_libraries_has_no_fixes() -> None:
    assert later_fixes(["org.acme.Enrich.map", "java.util.HashMap.get"], NULL, {}) == []


def test_words_that_every_title_has_weigh_nothing() -> None:
    index = fixes_by_place("flink-cdc")
    assert "fix" not in index.bits
    assert "exception" not in index.bits


def test_a_change_of_what_is_said_of_a_failure_repairs_none() -> None:
    frame = "org.apache.flink.runtime.checkpoint.CheckpointFailureManager.handleCheckpointException"
    said = "org.apache.flink.util.FlinkRuntimeException: Exceeded checkpoint tolerable failure threshold."
    assert "FLINK-29969" not in {each.fix.change for each in later_fixes([frame], said, {"flink": (1, 13, 0)})}
