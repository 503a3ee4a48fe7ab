"""Messages of writers of table formats, and of clients of stores below them, name their act first."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message, remedy_of
from diagnostics.wording.phrase import split_sentences

HUDI = "org.apache.hudi.exception."
COMMIT = "org.apache.iceberg.exceptions.CommitFailedException: "
NUMBER = 'java.lang.NumberFormatException: For input string: "64M"'


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("java.lang.IllegalArgumentException: bucket is null/empty", "s3a://<bucket>"),
        ("java.lang.NullPointerException: null uri host.", "s3a://<bucket>"),
        ("DiskErrorException: Could not find any valid local directory for s3ablock-0001-", "fs.s3a.buffer.dir"),
        (
            "com.amazonaws.SdkClientException: Data read has a different length than the expected: dataLength=0",
            "checkpoint",
        ),
        (
            "SSLPeerUnverifiedException: Certificate for <a.b.s3.amazonaws.com> doesn't match any of the subject"
            " alternative names",
            "s3.path.style.access",
        ),
        ("NotReplicatedYetException: Not replicated yet: /a/b", "locateFollowingBlock"),
        (f'{HUDI}HoodieException: Ordering value is null for record: {{"id": 1}}', "COALESCE"),
        (f"{HUDI}HoodieUpsertException: Failed to merge old record into new file for key id:1", "nullable"),
        (f"{HUDI}MissingSchemaFieldException: Schema validation failed due to missing field. Fields", "NULL"),
        ("java.io.IOException: Could not load key generator class a.B", "keygenerator.class"),
        (f"{HUDI}HoodieKeyGeneratorException: Unable to parse input partition field: 2022", "write.partition.format"),
        ("IllegalArgumentException: Not in marker dir. Marker Path=s3a://b, Expected Marker Root=s3://b", "'path'"),
        (f"{HUDI}HoodieLockException: Unsupported scheme :s3a, since this fs can not support atomic creation", "lock"),
        ("Unsupported connector identity kafka, supported identity is hudi", "default_catalog"),
        ("Invalid catalog mode: hive, supported modes: [hms, dfs].", "'mode' = 'hms'"),
        (
            "Embedded metastore is not allowed. Make sure you have set a valid value for hive.metastore.uris",
            "thrift://",
        ),
        (f"{COMMIT}Timed out after 180421 ms waiting for lock on db1.events", "SHOW LOCKS"),
        (f"{COMMIT}Version 12 already exists: hdfs://ns/t/metadata/v12.metadata.json", "one job"),
        (
            "MetaException: (message:Unable to update transaction database PSQLException: ERROR",
            "lock-check-min-wait-ms",
        ),
        ("The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-west-1'", "region"),
        (
            "Unable to verify integrity of data upload. Client calculated content hash (contentMD5: a)",
            "disablePutObject",
        ),
        ("Unable to execute HTTP request: bucket.minio: Name or service not known", "path.style"),
        ("fs.AbstractFileSystem.s3.impl=null: No AbstractFileSystem configured for scheme: s3", "fs.s3a.S3A"),
        ("Could not initialize class org.apache.flink.runtime.util.HadoopUtils", "hadoop classpath"),
        ("Configuration property acc.dfs.core.windows.net not found.", "fs.azure.account.key"),
        ("Aliyun OSS endpoint should not be null or empty. Please set proper endpoint", "fs.oss.endpoint"),
        ("No file system found with scheme abc, referenced in file URI 'abc:/x'.", "scheme"),
        ("JAR file does not exist: gb", "without a blank"),
        ("you need to configure 'fine-grained.shuffle-mode.all-blocking' to 'true'", "all-blocking: true"),
        ("ParquetEncodingException: empty fields are illegal, the field should be ommited completely instead", "NULL"),
        ("native zStandard library not available", "codec"),
        ("org.apache.avro.SchemaParseException: Illegal initial character: 1st", "Rename"),
        ("org.apache.avro.AvroTypeException: Cannot encode decimal with scale 6 as scale 2", "CAST"),
        ("Didn't find primary keys for tables 'db.t'. These tables won't be synchronized.", "primary key"),
        ("RESTException: Unable to process (code: 404, type: null): Not found", "'uri'"),
        ("RESTException: Error occurred while processing POST request", "reach the REST catalogue"),
        ("BadRequestException: Malformed request: unauthorized_client: The client is not authorized", "'credential'"),
        ("NoSuchNamespaceException: Unable to list tables due to missing ref 'dev'", "'ref' = 'main'"),
        ("Cannot initialize HadoopCatalog because warehousePath must not be null or empty", "'warehouse'"),
        ("Cannot commit glue.db.t because Glue cannot access the requested resources", "glue:UpdateTable"),
        ("Multiple FileIO for scheme 's3' found in the classpath.", "one paimon-s3"),
        ("Can't find hive metastore uri to connect:  either set uri for paimon", "'uri' = 'thrift://"),
        ("Detected a data update in the source table at version 7.", "'ignoreChanges'"),
        ("Delta Table SQL/Table API was used without Delta Catalog.", "CREATE CATALOG"),
        ("FileNotFoundException: File does not exist: s3://a/t/.hoodie/7.compaction.requested", "one process"),
        ("Table type conflict : MERGE_ON_READ in s3://a/t and COPY_ON_WRITE in table options.", "'table.type'"),
        ("FileNotFoundException: File oss://a/db.db/t/snapshot/snapshot-7 not found", "'snapshot.time-retained'"),
        ("IllegalStateException: Cannot determine partition spec: no data files have been added", "overwrite"),
        ("ScannerExpiredException: The scanner session has expired due to inactivity.", "'snapshot-merge'"),
        ("TooManyScannersException: limit 8", "'server-scan'"),
    ],
)
def test_the_first_sentence_names_the_act(said: str, named: str) -> None:
    remedy = remedy_of(said)
    assert remedy is not None
    assert named in split_sentences(remedy)[0]


def test_a_number_that_is_none_is_told_by_the_code_that_reads_it() -> None:
    of_hadoop = known_message(NUMBER, ("org.apache.hadoop.conf.Configuration.getLong",))
    of_bucket = known_message(NUMBER, ("org.apache.hudi.index.bucket.BucketIdentifier.bucketIdFromFileId",))
    assert of_hadoop is not None
    assert of_bucket is not None
    assert of_hadoop.id == "hadoop-value-with-unit"
    assert of_bucket.id == "hudi-not-a-bucket-table"
    assert known_message(NUMBER, ("org.acme.Parser.parse",)) is None


def test_a_class_that_is_missing_is_no_file_that_expired() -> None:
    missing = known_message(
        "java.lang.ClassNotFoundException: org.apache.hudi.table.format.mor.MergeOnReadInputSplit",
        ("org.apache.hudi.table.HoodieTableSource.addFileDistributionStrategy",),
    )
    assert missing is None
