"""What Paimon says comes with the act that repairs it, named first."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message, remedy_of, shown_by_message
from diagnostics.wording.phrase import split_sentences


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("IllegalArgumentException: Num bucket is illegal: -1", "--table_conf bucket=4"),
        (
            "UnsupportedOperationException: Combine mode Sink only supports FIXED bucket mode, but t is DYNAMIC",
            "divided",
        ),
        ("UnsupportedOperationException: Change 'merge-engine' is not supported yet.", "fixed once it has data"),
        ("Cannot change bucket number through dynamic options. You might need to rescale bucket.", "INSERT OVERWRITE"),
        ("The specified scan snapshotId 3 is out of available snapshotId range [4, 9].", "$snapshots"),
        ("[scan.timestamp-millis] must be null when you use latest for scan.mode", "scan.timestamp-millis"),
        ("Cannot scan from tag in streaming mode.", "'execution.runtime-mode' = 'batch'"),
        ("Merge engine partial-update doesn't support batch delete by default.", "remove-record-on-delete"),
        ("Data type for sum column must be 'NumericType' but was 'STRING'.", "'fields.<column>.aggregate-function'"),
        ("IllegalStateException: Expected node 'data' to be of type ArrayNode but was NullNode.", "value.format"),
        (
            "Also, can't infer primary keys from source table schemas because source tables have no primary keys",
            "--primary_keys",
        ),
        ('UnsupportedOperationException: Unknown action "mysql_sync_table".', "Flink 1.x"),
        ("RuntimeException: Acquire lock failed with time: PT8M7.098S", "SHOW LOCKS"),
        (
            "Exception occurs when preparing snapshot #1 (path file:/tmp/paimon/default.db/t/snapshot/snapshot-1)",
            "warehouse",
        ),
        ("IllegalStateException: Trying to add file {a} which is already added. Manifest might be corrupted.", "0.2.2"),
        (
            "Unsupported sequence fields definition for partial lookup when use deduplicate merge engine",
            "'lookup.cache' = 'full'",
        ),
        ("User p doesn't have privilege SELECT on table default.t. It's possible that", "sys.grant_privilege_to_user"),
        (
            "Failed to create the desired metastore client with proper constructors (class name: x)",
            "flink-sql-connector-hive-2.3.10",
        ),
        ("NoSuchFieldError: callback", "flink-sql-connector-kafka"),
        ("org.apache.paimon.rest.exceptions.NotAuthorizedException: Not authorized: expired", "'token.provider'"),
        ("org.apache.paimon.rest.exceptions.ServiceFailureException: Server error: a", "REST catalogue's server"),
        ("org.apache.paimon.catalog.Catalog$TableNotExistException: Table a.b does not exist.", "Create the table"),
        ("org.sqlite.SQLiteException: [SQLITE_BUSY] The database file is locked", "MySQL or PostgreSQL"),
        (
            "Cannot recover from this checkpoint because some files in the snapshot that need to be resubmitted have "
            "been deleted:",
            "newer checkpoint",
        ),
        ("Current page size 65536 is too small, one record cannot fit into a single page.", "'page-size'"),
        ("Cannot define bucket for row tracking table, it only support bucket = -1", "'bucket' = '-1'"),
        ("NoopCompactManager does not support user triggered compaction.", "'write-only' = 'false'"),
    ],
)
def test_the_first_sentence_names_the_act(said: str, named: str) -> None:
    remedy = remedy_of(said)
    assert remedy is not None
    assert named in split_sentences(remedy)[0]


def test_an_empty_list_is_of_buckets_only_where_they_are_assigned() -> None:
    said = "java.lang.IllegalArgumentException: list is empty"
    assert remedy_of(said) is None
    assert "dynamic-bucket.max-buckets" in str(remedy_of(said, ("org.apache.paimon.index.PartitionIndex.assign",)))


def test_the_restart_that_paimon_asks_for_asks_for_no_change() -> None:
    said = "RuntimeException: This exception is intentionally thrown after committing the restored checkpoints."
    assert str(remedy_of(said)).startswith("Change nothing")
    assert shown_by_message(said) == "restore"


def test_a_cast_between_two_classes_is_none_between_copies_of_one() -> None:
    loaders = "(String is in module java.base of loader 'bootstrap'; {0} is in unnamed module of loader {1})"
    other = "class java.lang.String cannot be cast to class org.acme.Order "
    for loader in ("'app'", "org.apache.flink.util.ChildFirstClassLoader @5b7f"):
        known = known_message("java.lang.ClassCastException: " + other + loaders.format("org.acme.Order", loader))
        assert known is None or known.id not in ("two-clients", "cast-same-class")
    copies = (
        "class org.acme.Order cannot be cast to class org.acme.Order (org.acme.Order is in unnamed module of loader"
    )
    known = known_message(
        f"java.lang.ClassCastException: {copies} org.apache.flink.util.ChildFirstClassLoader @5b7f; a)"
    )
    assert known is not None
    assert known.id == "cast-same-class"


def test_a_file_that_the_look_up_itself_wrote_is_none_of_the_table() -> None:
    local = ("org.apache.paimon.lookup.hash.HashLookupStoreReader.<init>",)
    said = "java.io.FileNotFoundException: /tmp/flink-io-1/lookup-1 (No such file or directory)"
    assert "io.tmp.dirs" in str(remedy_of(said, local))
    table = "java.io.FileNotFoundException: File does not exist: hdfs://n/w/d.db/t/manifest/manifest-1-0"
    assert "consumer-id" in str(remedy_of(table, ("org.apache.paimon.fs.hadoop.HadoopFileIO.newInputStream",)))
