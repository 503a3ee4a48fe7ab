"""What vendors' pages name for table formats, object stores and warehouses is what a page says first."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.wording.phrase import split_sentences

LOAD = "com.starrocks.data.load.stream.exception.StreamLoadFailException: Stream load failed because of error, db: a"
BULK = "Elasticsearch exception [type=illegal_argument_exception, reason="
TUNNEL = "com.aliyun.odps.tunnel.TunnelException: RequestId=1, "
CLICKHOUSE = "com.clickhouse.client.ClickHouseException: Code: 1. DB::Exception: "
S3 = "org.apache.hadoop.fs.s3a.AWSS3IOException: com.amazonaws.services.s3.model."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (f"{S3}MultiObjectDeleteException: One or more objects could not be deleted", "s3:DeleteObject"),
        (f"{S3}AmazonS3Exception: Invalid arn (Error Code: KMS.NotFoundException)", "fs.s3a.encryption.key"),
        ("org.apache.hadoop.fs.s3a.NoVersionAttributeException: Change detection policy requires ETag", "mode: none"),
        ("java.io.IOException: Upload failed for 'gs://b/x.parquet'", "NIO_CHANNEL_PIPE"),
        ("OSSException: The bucket you are attempting to access must be addressed using the", "fs.oss.endpoint"),
        ("AADToken: HTTP connection to x failed. AADSTS7000222: The provided client secret keys are expired", "secret"),
        ("java.io.IOException: Got error, status message , ack with firstBadLink as 10.0.0.5:9866", "DataNode"),
        ("IllegalArgumentException: Pathname /a:b from hdfs://n/a:b is not a valid DFS filename.", "colon"),
        ("InvalidRecordException: Parquet/Avro schema mismatch: Avro field 'col1' not found", "every column"),
        ("java.lang.IllegalArgumentException: Partitions must be in the same table", "lower case"),
        ("RuntimeException: hbase-default.xml file seems to be for an older version of HBase (1.2)", "version.skip"),
        ("CommitFailedException: Cannot commit: Reference hash is out of date. Update the reference", "newest hash"),
        ("Creating table with computed columns is not supported yet.", "physical columns"),
        ("Could not find a file io implementation for scheme 's3'", "paimon-s3-<release>.jar"),
        ("DataStream's schema is different from current table schema.", "withMergeSchema(true)"),
        (f'{LOAD}, responseBody: {{"Message": "The server is overcrowded"}}', "tablet_writer_ignore_eovercrowded"),
        (f'{LOAD}, responseBody: {{"Message": "Set ignore_json_size to skip the check"}}', "ignore_json_size"),
        (f'{LOAD}, responseBody: {{"Message": "Reached timeout=30000ms @10.0.0.2:8060"}}', "rpc_timeout_sec"),
        ("tablet writer write failed, tablet_id=190958, txn_id=3505530, err=-235", "Load less often"),
        (f"{CLICKHOUSE}Too many unfinished mutations (TOO_MANY_MUTATIONS)", "ReplacingMergeTree"),
        (f"{CLICKHOUSE}User is not allowed to connect from address (IP_ADDRESS_NOT_ALLOWED)", "addresses"),
        (f"{BULK}Limit of mapping depth [20] has been exceeded]", "flattened"),
        (f"{TUNNEL}ErrorCode=SchemaModified, ErrorMessage=The specified table has been modified", "Restart the job"),
        ("PSQLException: FATAL: Rejected by ip white list. db = d, usr=p4, ip=10.0.0.1", "IP white list"),
        ("Exceeded rate limits: too many table update operations for this table", "Write less often"),
        ("SnowflakeSQLException: IP 1.2.3.4 is not allowed to access Snowflake.", "network policy"),
        ("NonCoveredRangeException: accessed range partition does not exist in table t", "ADD RANGE PARTITION"),
        ('{"Status": "Label Already Exists", "TwoPhaseCommit": "false"}', "24.0.0 or newer"),
        ("IOException: The given file system URI (hdfs:///a) did not describe the authority", "HADOOP_CONF_DIR"),
        ("No FileSystem for scheme s3", "hadoop-aws"),
        ("RedshiftException: ERROR: 1023 Detail: Serializable isolation violation on table - 100", "one job"),
    ],
)
def test_the_first_sentence_names_the_act(said: str, named: str) -> None:
    remedy = remedy_of(said)
    assert remedy is not None
    assert named in split_sentences(remedy)[0]


def test_a_file_that_a_reader_of_a_table_misses_was_expired_and_another_one_is_to_be_created() -> None:
    said = "java.io.FileNotFoundException: File does not exist: hdfs://n/t/data/a.parquet"
    of_table = remedy_of(said, ("org.apache.iceberg.hadoop.HadoopInputFile.newStream",))
    other = remedy_of(said, ("org.acme.Reader.open",))
    assert of_table is not None
    assert other is not None
    assert "snapshot that still exists" in split_sentences(of_table)[0]
    assert "create the directory" in other


def test_a_change_event_that_was_not_read_blames_the_connection_only_where_it_ended() -> None:
    event = "EventDataDeserializationException: Failed to deserialize data of EventHeaderV4{timestamp=1}"
    ended = remedy_of(f"{event}\njava.io.EOFException: Failed to read next byte from position 7")
    assert ended is not None
    assert "net_write_timeout" in ended
    assert "net_write_timeout" not in (remedy_of(f"{event}\nMissingTableMapEventException: No TableMapEventData") or "")
