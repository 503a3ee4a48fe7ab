"""What Fluss and Amoro say comes with the act that repairs it, named first; like words of others stay theirs."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message, remedy_of
from diagnostics.wording.phrase import split_sentences

FLUSS = "org.apache.fluss.exception."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            "UnsupportedFileSystemSchemeException: Could not find a file system implementation for scheme 's3'. "
            "File system schemes are supported by Fluss through the following plugin(s): fluss-fs-s3.",
            "fluss-fs-s3",
        ),
        (FLUSS + "SecurityTokenException: Get file access security token exception.", "s3.access-key"),
        (FLUSS + "KvSnapshotNotExistException: The kv snapshot is not exist.", "kv.snapshot.num-retained"),
        (FLUSS + "LogOffsetOutOfRangeException: The log offset is out of range.", "'table.log.ttl'"),
        (FLUSS + "PartitionNotExistException: Table partition 't(p=1)' does not exist.", "num-retention"),
        ("Exceed the maximum number of partitions.", "max.partition.num"),
        (FLUSS + "LeaderNotAvailableException: Server 2 is not found in metadata cache.", "tablet server"),
        (
            "Failed to allocate new segment within the configured max blocking time 10 ms.",
            "'client.writer.buffer.memory-size'",
        ),
        (FLUSS + "AuthenticationException: Authenticate protocol not match: protocol", "'client.security.protocol'"),
        ("Principal a have no authorization to operate WRITE on resource b", "sys.add_acl"),
        ("CatalogException: Fluss Catalog only supports fluss tables, but you specify", "CREATE TEMPORARY TABLE"),
        ("Table t has delete behavior set to 'disable' which does not support DELETE", "'table.delete.behavior'"),
        ("'table.x' is not a recognized Fluss table property in the current cluster version.", "Upgrade the Fluss"),
        ("UnsupportedOperationException: No LakeStoragePlugin available for data lake format: paimon.", "fluss-lake-"),
        (
            "ClassCastException: org.apache.paimon.privilege.PrivilegedFileStore cannot be cast to "
            "org.apache.paimon.KeyValueFileStore",
            "0.8 or newer",
        ),
        ("The Flink query schema is not matched to Fluss table schema. ", "Submit the statement anew"),
        ("Table ID mismatch: expected 3, but split contains 2 for table 'a.b'.", "dropped and created anew"),
        (
            "com.netease.arctic.shaded.org.apache.iceberg.exceptions.CommitFailedException: "
            "Failed to commit changes using rename: hdfs://c/t/change/metadata/v801.metadata.json",
            "0.4 or newer",
        ),
        ("Source parallelism has been changed, before parallelism is 4, now is 8", "former one"),
        ("RuntimeException: invalid ams url thrift://a", "'ams.uri'"),
        ("FlinkRuntimeException: Failed to get table snapshot for table d.t", "1.0 or newer"),
        ("WARN Fail to generate Tiering splits for table d.t.", "1.0 or newer"),
        (
            "IllegalStateException: The current table id 5 for table path d.t is different from the table id 4 in the "
            "committable. This usually happens when a table was dropped and recreated during tiering.",
            "created anew",
        ),
        ("FlinkRuntimeException: Found duplicate write results for bucket 3", "'table.datalake.freshness'"),
        ("WARN Fail to commit tiering write result, will try to tier again in next round.", "exception below"),
        ("FlinkRuntimeException: Failed to wait heartbeat response due to timeout", "CoordinatorServer"),
        ("WARN Received unknown table or bucket error in fetch for bucket TableBucket{1}", "Restart the job"),
    ],
)
def test_the_first_sentence_names_the_act(said: str, named: str) -> None:
    remedy = remedy_of(said)
    assert remedy is not None
    assert named in split_sentences(remedy)[0]


@pytest.mark.parametrize(
    "said",
    [
        "org.apache.kafka.common.errors.NotEnoughReplicasException: Messages are rejected since there are fewer "
        "in-sync replicas than required.",
        "org.apache.kafka.common.errors.NetworkException: The server disconnected before a response was received.",
        "org.apache.iceberg.exceptions.CommitFailedException: Failed to commit changes using rename: hdfs://c/t",
    ],
)
def test_like_words_of_others_stay_theirs(said: str) -> None:
    known = known_message(said)
    assert known is not None
    assert not known.id.startswith(("fluss", "amoro"))


def test_a_server_of_fluss_that_hangs_up_is_fluss_s() -> None:
    said = FLUSS + "NetworkException: The server disconnected before a response was received."
    known = known_message(said)
    assert known is not None
    assert known.system == "Fluss"
