"""The page of a message of a file system, a format, Hive or a lake table names the act that repairs it."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message, remedy_of
from diagnostics.vocabulary.waits import wait_of, waits

METASTORE = (
    "MetaException(message:Could not connect to meta store using any of the URIs provided. Most recent failure: "
)
THRIFT = "org.apache.thrift.transport.TTransportException: "


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (f"{METASTORE}{THRIFT}java.net.ConnectException: Connection refused", "hive.metastore.uris"),
        (f"{METASTORE}{THRIFT}GSS initiate failed", "security.kerberos.login.keytab"),
        ("MetaException(message:Version information not found in metastore.)", "schematool"),
        ("MetaException(message:Got exception: org.apache.hadoop.fs.s3a.AWSS3IOException: Forbidden", "core-site.xml"),
        ("MetaException(message:java.lang.ClassNotFoundException Class a.HiveIcebergSerDe", "iceberg-hive-runtime"),
        ("FlinkHiveException: Unable to load the class of the input format org.a.B", "own catalog"),
        ("FlinkRuntimeException: Failed to create staging dir", "write access"),
        ("CatalogException: Configured default database a doesn't exist in catalog b.", "'default-database'"),
        ("There should be a hive-site.xml file under the directory /conf", "'hive-conf-dir'"),
        ("CatalogException: Unsupported Hive version 4.0.0", "'hive-version'"),
        ("UnsupportedOperationException: Flink doesn't support Hive data type UNION yet.", "view in Hive"),
        ("HiveCatalog currently only supports timestamp of precision 9", "TIMESTAMP(9)"),
        ("FlinkHiveException: Can not convert a to type INT for partition value", "DROP PARTITION"),
        (f"{THRIFT}MaxMessageSize reached", "message.size"),
        ("AlreadyExistsException(message:Partition already exists: Partition(values:[a])", "one job alone"),
        ("Field a does not exist in the table schema. Please check 'precombine.field' option.", "'no_precombine'"),
        ("HoodieNotSupportedException: Bucket index supports only upsert operation.", "'upsert'"),
        (
            "HoodieException: Timeout(300000ms) while waiting for instants [2025] to commit",
            "'write.commit.ack.timeout'",
        ),
        ("HoodieException: Buffer is too small to hold a single record.", "'write.task.max.size'"),
        ("CatalogException: Catalog hudi path hdfs://n/w does not exist.", "'catalog.path'"),
        ("UnsupportedOperationException: Unsupported type: optional int96 a = 4", "rewrite_data_files"),
        ("UnsupportedOperationException: Unsupported NullType.", "CAST(NULL AS STRING)"),
        ("Cannot write value as decimal(10,2), wrong scale: 1.234", "DECIMAL"),
        ("IllegalArgumentException: Don't have any available snapshot in table.", "$snapshots"),
        ("Table a exists in metastore but _delta_log was not found under path s3://b", "'table-path'"),
        ("Stream's partition columns are different from table's partitions columns.", "withPartitionColumns"),
        ("java.io.IOException: Cannot create file file:/some/path/_delta_log/0.json", "fs.defaultFS"),
        ("IOException: Found local file path with authority 'data' in path 'file://data/a'", "file:///"),
        ("java.io.EOFException: Unexpected end of ZLIB input stream", "complete files"),
        (
            "SimpleStreamFormat is not splittable, but found split end (10) different from file length (20)",
            "complete files",
        ),
        ("org.apache.orc.FileFormatException: Not a valid ORC file hdfs://n/x", "footer"),
        ("S3 File System cannot recover recoverable for other file system: a", "same scheme"),
        ("Error recovering writer: Downloading the last data chunk file gives incorrect length.", "_tmp_"),
        ("IOException: Unable to recover the job as the expected file is not found", "--allowNonRestoredState"),
        ("URISyntaxException: Relative path in absolute URI: part-2021-01-01 00:00:00", "DateTimeBucketAssigner"),
        ("IllegalArgumentException: get a.B descriptors error!", "message-class-name"),
        ("IOException: Class a.B set by fs.oss.credentials.provider not found", "fs.oss.accessKeyId"),
        ("ValidationException: Column a does not exists in definition of proto class.", ".proto"),
        ("Unexpected object type for TIMESTAMP logical type. Received: 1", "timestamp-millis"),
        ("NoClassDefFoundError: org/apache/iceberg/shaded/org/apache/parquet/hadoop/ParquetInputFormat", "mapreduce"),
        (
            "org.apache.iceberg.hive.HiveCatalog cannot be cast to org.apache.iceberg.catalog.Catalog",
            "-j",
        ),
        ("NoClassDefFoundError: org/apache/hudi/org/apache/hadoop/hive/conf/HiveConf", "-Pflink-bundle-shade-hive3"),
        (
            "NoClassDefFoundError: Could not initialize class org.apache.hudi.org.apache.hadoop.hbase.io.A",
            "1.1.0 or later",
        ),
        ("NoSuchElementException: FileID a-0 of partition path dt=1 does not exist.", "'index.bootstrap.enabled'"),
        (
            "HoodieIOException: Exception creating input stream from file: hdfs://n/.a.log.1_0-1-0",
            "'clean.retain_commits'",
        ),
        ("Signed expiry time [Tue] must be after signed start time [Tue]", "'adls.refresh-credentials-enabled'"),
        (
            "No AWS Credentials provided by DynamicTemporaryAWSCredentialsProvider A",
            "WebIdentityTokenCredentialsProvider",
        ),
        (
            "IllegalArgumentException: Cannot initialize FileIO implementation a.S3FileIO: Cannot find",
            "iceberg-aws-bundle",
        ),
        ("Detected LakeFormation enabled for Glue catalog, should use a client factory", "'client.factory'"),
        ("IllegalStateException: Cannot find Dynamo table locks", "'lock.table'"),
        ("LockException: Timed out after 181985 ms waiting for lock on db.t", "SHOW LOCKS"),
        ("Failed to start an embedded metastore because embedded Derby supports only one client at a time.", "'uri'"),
        ("UncheckedSQLException: Failed to connect: jdbc:postgresql://a:5432/b", "'jdbc.user'"),
        (
            "Cannot find Glue table a, maybe another process deleted it or revoked your access permission",
            "Create the table",
        ),
        (
            "CommitFailedException: Cannot commit a because base metadata location 'a' is not",
            "'commit.retry.num-retries'",
        ),
        ("HoodieIOException: Could not load Hoodie properties from s3a://b/.hoodie/hoodie.properties", ".backup"),
        ("HoodieException: Unknown versionCode:8", "one Hudi release"),
        ("HoodieTimeTravelException: Cleaner cleaned up the timestamp of interest.", "'read.start-commit'"),
        ("HoodieGlueSyncException: Fail to create db.t", "glue:GetDatabase, CreateDatabase"),
        ("IllegalArgumentException: Cannot change column type: a: string -> int", "new column"),
        ("Incompatible change: cannot add required column without a default value: a", "optional"),
        ("Invalid update timestamp 1: before last snapshot log entry at 2", "chrony"),
        ("IllegalArgumentException: Cannot find the starting snapshot: 12", "start-snapshot-id"),
        (
            "FlinkRuntimeException: Failed to load table into cache after 3 retries File does not exist: a",
            "new partitions",
        ),
        ("java.nio.file.FileAlreadyExistsException: s3a://b/t/_delta_log/0.json", "S3DynamoDBLogStore"),
        ("Following instants have timestamps >= compactionInstant (2) Instants :[[1]]", "'metadata.enabled'"),
        ('12 instances of "org.apache.hadoop.hive.conf.HiveConf", loaded by "A"', "0.13.1 or later"),
    ],
)
def test_the_remedy_names_the_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


@pytest.mark.parametrize(
    ("said", "frame", "named"),
    [
        ("java.lang.NullPointerException", "org.apache.hadoop.security.token.Token.decodeWritable", "delegation token"),
        (
            "ArrayIndexOutOfBoundsException: -3",
            "org.apache.hudi.io.hfile.HFileReaderImpl.readTrailer",
            ".hoodie/metadata",
        ),
        (
            "class GenericData$Record cannot be cast to class A",
            "org.apache.hudi.common.table.timeline.T.a",
            "bundle alone",
        ),
        ("OutOfMemoryError: Java heap space", "org.apache.hudi.sink.utils.HiveSyncContext.create", "0.13.1"),
        (
            "OutOfMemoryError: Java heap space",
            "org.apache.hudi.common.table.timeline.A.b",
            "jobmanager.memory.process.size",
        ),
        ("OutOfMemoryError: Java heap space", "org.apache.hudi.sink.StreamWriteFunction.a", "'write.task.max.size'"),
        (
            "OutOfMemoryError: GC overhead limit exceeded",
            "org.apache.iceberg.SnapshotParser.fromJson",
            "expire_snapshots",
        ),
        (
            "OutOfMemoryError: Java heap space",
            "org.apache.flink.connectors.hive.FileSystemLookupFunction.a",
            "dimension table",
        ),
        ("OutOfMemoryError: Java heap space", "org.apache.iceberg.parquet.ParquetWriter.a", "write.distribution-mode"),
    ],
)
def test_the_class_that_threw_it_decides_the_act(said: str, frame: str, named: str) -> None:
    known = known_message(said, (frame,))
    assert known is not None
    assert named in known.remedy


@pytest.mark.parametrize(
    ("said", "frame", "named"),
    [
        (
            "HoodieException: unable to read next record from parquet file\nParquetDecodingException: The requested"
            " schema is not compatible with the file schema. incompatible types: required binary a",
            "org.apache.parquet.io.ColumnIOFactory$ColumnIOCreatorVisitor.incompatibleSchema",
            "1.1.0 or later",
        ),
        (
            "java.io.FileNotFoundException: No such file or directory: s3a://a/b/.hoodie/.aux/ckp_meta",
            "org.apache.hudi.sink.meta.CkpMetadata.scanCkpMetadata",
            "0.14.0 or later",
        ),
        (
            "IllegalArgumentException: File hdfs://a/.hoodie/timeline/2025.inflight does not exist!",
            "org.apache.hudi.common.util.ValidationUtils.checkArgument",
            "hoodie.write.auto.upgrade",
        ),
        (
            "IllegalArgumentException: Cannot use marker based rollback strategy on completed instant:[2021]",
            "org.apache.hudi.common.util.ValidationUtils.checkArgument",
            "hoodie.rollback.using.markers",
        ),
        (
            "java.lang.ArrayIndexOutOfBoundsException: Index 51817 out of bounds for length 8",
            "org.apache.hudi.util.RowDataToAvroConverters$13.convert",
            "write.memory.segment.page.size",
        ),
        (
            "java.lang.NullPointerException: null",
            "org.apache.hudi.table.format.mor.MergeOnReadInputFormat$LogFileOnlyIterator.reachedEnd",
            "0.13.0 or later",
        ),
        (
            "java.time.format.DateTimeParseException: Text '00000000000001999' could not be parsed at index 0",
            "org.apache.hudi.table.action.compact.ScheduleCompactionActionExecutor.parsedToSeconds",
            "num_commits",
        ),
        (
            "java.lang.IllegalArgumentException: At least one file path has to be specified.",
            "org.apache.hudi.table.HoodieTableSource.baseFileOnlyInputFormat",
            "read_optimized",
        ),
        (
            "java.net.UnknownHostException: nsdev",
            "org.apache.hadoop.security.SecurityUtil.buildTokenService",
            "hdfs-site.xml",
        ),
        (
            "com.google.cloud.storage.StorageException: Anonymous caller does not have storage.objects.create access",
            "org.apache.flink.fs.gs.storage.GSBlobStorageImpl.writeBlob",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ),
        (
            "Cannot initialize Catalog implementation org.apache.iceberg.hadoop.HadoopCatalog: Cannot find constructor",
            "org.apache.iceberg.CatalogUtil.loadCatalog",
            "iceberg-flink-runtime",
        ),
        (
            "java.lang.ArrayIndexOutOfBoundsException: 3",
            "org.apache.hudi.operator.StreamWriteOperatorCoordinator.handleEventFromOperator",
            "parallelism of the write operator",
        ),
        (
            "java.lang.NumberFormatException: null",
            "org.apache.paimon.utils.TypeUtils.castFromString",
            "default partition",
        ),
        (
            "RuntimeException: You are writing data to expired partitions, and you can filter this data",
            "org.apache.paimon.operation.FileStoreCommitImpl.assertConflictForPartitionExpire",
            "'compaction.skip-expired-partitions'",
        ),
    ],
)
def test_a_failure_that_a_release_or_an_option_repairs_names_it_first(said: str, frame: str, named: str) -> None:
    remedy = remedy_of(said, [frame])
    assert remedy is not None
    assert named in str(remedy)


def test_an_index_that_is_out_of_bounds_in_another_program_is_not_the_buffer_of_hudi() -> None:
    entry = known_message("java.lang.ArrayIndexOutOfBoundsException: Index 8 out of bounds for length 8", ("a.B.map",))
    assert entry is None or entry.id != "hudi-row-larger-than-page"


def test_a_folder_that_the_user_may_not_create_is_no_lost_scheme() -> None:
    assert remedy_of("Mkdirs failed to create file:/nas/recovery") is None


def test_a_connection_that_a_job_itself_held_is_not_the_pool_of_a_catalog() -> None:
    idle = "com.mysql.cj.jdbc.exceptions.CommunicationsException: The last packet successfully received"
    assert "retryable_status_codes" not in (remedy_of(idle) or "")
    assert "retryable_status_codes" in (
        remedy_of(f"org.apache.iceberg.jdbc.UncheckedSQLException: Failed {idle}") or ""
    )


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Skipping committing checkpoint 7. 22 is already committed.", "rollback_to_snapshot"),
        ("No successful commits under path /data/t", "execution.checkpointing.interval"),
        ("---------- caution: the reader has fallen behind too much from the writer,", "'read.tasks'"),
    ],
)
def test_a_lake_table_that_gives_nothing_is_a_wait(said: str, named: str) -> None:
    name = wait_of(said)
    assert name is not None
    assert named in waits()[name].advice


def test_a_cast_of_two_connectors_classes_is_no_matter_of_the_class_path() -> None:
    """The page said so beside a verdict that blamed the class path."""
    said = "ClassCastException: org.apache.flink.api.java.io.CollectionInputFormat cannot be cast to org.apache.hudi.A"
    known = known_message(said)
    assert known is not None
    assert known.shows == "connector_code"
