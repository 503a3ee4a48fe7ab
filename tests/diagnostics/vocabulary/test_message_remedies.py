"""A failure whose message is known comes with what repairs it."""

from __future__ import annotations

import pytest

from diagnostics.language import CHINESE, Text
from diagnostics.vocabulary.fault_origins import origin_titles
from diagnostics.vocabulary.message_remedies import SETTING, message_remedies, remedy_of, shown_by_message


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("java.lang.IllegalArgumentException: Cannot write delete files in a v1 table", "'format-version' = '2'"),
        ('ERROR: could not access file "decoderbufs": No such file or directory', "pgoutput"),
        ("The types of the interface org.apache.flink.util.OutputTag could not be inferred.", "anonymous"),
        ('org.apache.flink.sql.parser.impl.ParseException: Encountered "(" at line 2, column 12.', "INT(11)"),
        ("ModuleNotFoundError: No module named 'streaming'", "-pyfs"),
        ("failed 1 times due to AM Container for appattempt_1 exited with  exitCode: 1", "yarn.provided.lib.dirs"),
        ("FlinkException: The TaskExecutor is shutting down.", "SIGTERM"),
        ("TaskExecutor x has no more allocated slots for job 8e4e.", "lower the parallelism"),
        ("TableException: Only insert statement is supported now.", "INSERT INTO sink SELECT"),
        ("org.apache.hudi.exception.HoodieRemoteException: IP:46302 failed to respond", "retry"),
        ("java.io.IOException: Could not retrieve the JobManager's blob port.", "blob.server.port"),
        ("ClusterBlockException[blocked by: [FORBIDDEN/12/index read-only]]", "read_only_allow_delete"),
        ("NoNodeAvailableException[None of the configured nodes are available: []]", "9300"),
        ("OffsetOutOfRangeException: Fetch position out of range", "retention.ms"),
        ("NoOffsetForPartitionException: Undefined offset with no reset policy for partitions: [a-0]", "startup.mode"),
        ("But there is no committed offset of this partition for group shop", "scan.bounded.mode"),
        ("Code: 252. DB::Exception: Too many parts (300)", "sink.batch-size"),
        ("Conflicts during commits. File deletion conflicts detected! Give up committing.", "'write-only'"),
        ("java.io.IOException: Filesystem closed", "fs.hdfs.impl.disable.cache"),
        ("RowTime field should not be null, please convert it", "Filter rows"),
        ("ValidationException: No match found for function signature tran", "Register the function"),
        ("ValidationException: Invalid function call:", "CAST each argument"),
        ("RuntimeException: The Nothing type cannot have a serializer.", "getResultType"),
        ("InvalidProgramException: Table program cannot be compiled. This is a bug.", "pipeline.jars"),
        (
            "ValidationException: Multiple factories for identifier 'default' that implement"
            " 'org.apache.flink.table.delegation.ExecutorFactory' found in the classpath.",
            "flink-table-planner-loader",
        ),
        ("Multiple factories for identifier 'kafka' that implement 'x' found in the classpath.", "SQL jar"),
        ("ValidationException: One or more required options are missing.", "Missing required options are:"),
        ("IllegalStateException: No container running for id a969a3cff543", "--environment_type=LOOPBACK"),
        ("LeaderRetrievalException: Could not retrieve the leader gateway.", "jobmanager.rpc.address"),
        ("java.sql.SQLException: ORA-27102: out of memory", "kernel.shmmax"),
        ("java.sql.SQLException: ORA-01343: LogMiner encountered corruption in the logstream", "ARCHIVELOG"),
        ("java.lang.RuntimeException: Flush exception found.", "system.query_log"),
        ("java.lang.RuntimeException: Error while getting state", "StateDescriptor"),
        (
            "Unable to create a sink for writing table 'a.b.c'.\n\nTable options are:\n\n'connector'='doris'",
            "flink-doris-connector-<Flink version>",
        ),
        (
            "ValidationException: Unable to create a sink\nCould not find any factory for identifier 'doris' that"
            " implements 'x'\n'connector'='doris'",
            "lib/ of the JobManager",
        ),
        (
            "com.aliyun.oss.OSSException: The difference between the request time and the current time is too large.",
            "chrony",
        ),
        ("AmazonS3Exception: The provided token has expired. (Error Code: ExpiredToken)", "role that renews"),
        ("JedisDataException: READONLY You can't write against a read only replica.", "replica"),
        ("JedisDataException: OOM command not allowed when used memory > 'maxmemory'.", "maxmemory"),
        ("OpenSearch exception [type=security_exception, reason=no permissions for [indices:data/write/bulk]]", "role"),
        ("Storage.Exception: flink@shop does not have storage.objects.create access", "roles/storage.objectAdmin"),
        ("IllegalArgumentException: java.net.UnknownHostException: nameservice1", "HADOOP_CONF_DIR"),
        ("Operation category READ is not supported in state standby", "name service"),
        ("ValueError: unsupported pickle protocol: 5", "--pyClientExecutable"),
        ("SQLNonTransientConnectionException: Public Key Retrieval is not allowed", "allowPublicKeyRetrieval=true"),
        ("PSQLException: ERROR: must be owner of table orders", "publication"),
        ("LoginException: Client not found in Kerberos database (6)", "kinit -kt"),
        ("SSLHandshakeException: PKIX path building failed", "trust store"),
        ("/mnt/checkpoints: Stale file handle", "mount it anew"),
        ("The state is cleared because of state ttl. This will result in incorrect result.", "table.exec.state.ttl"),
        ('ERROR: can no longer get changes from replication slot "flink"', "max_slot_wal_keep_size"),
        ("Access denied for user 'cdc'@'%' to database 'orders'", "LOCK TABLES"),
        ("CommunicationsException: Communications link failure", "sslMode=DISABLED"),
        ('no matches for kind "Issuer" in version "cert-manager.io/v1"', "cert-manager"),
        ("java.lang.NoSuchMethodError: java.nio.ByteBuffer.limit(I)Ljava/nio/ByteBuffer;", "maven.compiler.release"),
        ("binlog.000064 but this is no longer available on the server.", "binlog_expire_logs_seconds"),
        ("ServerException: A slave with the same server_uuid/server_id as this slave has connected", "'5401-5404'"),
        ('PSQLException: ERROR: replication slot "flink" is active for PID 974', "pg_terminate_backend"),
        ('The "before" field of UPDATE/DELETE message is null', "REPLICA IDENTITY FULL"),
        ("Command failed with error 280 (ChangeStreamFatalError): the resume token was not found", "3.1.0"),
        ("Exception authenticating MongoCredential{mechanism=SCRAM-SHA-1}", "authSource"),
        ("The transaction timeout is larger than the maximum value allowed by the broker", "900000"),
        ("ProducerFencedException: There is a newer producer", "setTransactionalIdPrefix"),
        ("unable to find LoginModule class: org.apache.kafka.common.security.plain.PlainLoginModule", "shaded"),
        ("NoSuchMethodError: 'void org.apache.flink.SingleThreadFetcherManager.<init>()'", "4.0.0-2.0"),
        (
            "com.amazonaws.services.kinesis.model.ExpiredIteratorException: Iterator expired.",
            "getrecords.intervalmillis",
        ),
        ("Encountered non-recoverable exception: AccessDeniedException", "sqs:SendMessage"),
        ("java.lang.RuntimeException: regionCDC error: epoch_not_match", "tikv_gc_life_time"),
        ("The oceanbase pipeline connector currently only supports add the column to the last.", "end of the table"),
        ("HttpException: Incorrect response code: 429", "retry-codes"),
        ("Attempted to get an access token but got http status code 401", "token.endpoint.url"),
        ('"This endpoint does not support BlobStorageEvents or SoftDelete.", 409', "soft delete"),
        ("Invalid configuration value detected for fs.azure.account.key", "dfs.core.windows.net"),
        ("Failed to create session, the count of active sessions exceeds the max count: 3", "max-num"),
        ("Can not find the submitted operation in the OperationManager with the 1.", "idle-timeout"),
        ("This split reader does not support pausing or resuming splits", "allow-unaligned-source-splits"),
        ("Malformed ORC file file.orc. Invalid postscript.", "orc-tools"),
        (
            "'scan.incremental.snapshot.chunk.key-column' must be set when the table doesn't have primary keys.",
            "key-column",
        ),
        ("SerializationException: Unknown magic byte!", "avro-confluent"),
        ("Subject 'orders-value' not found.; error code: 40401", "value.avro-confluent.subject"),
        ("Deadlock found when trying to get lock; try restarting transaction", "sink.parallelism"),
        ("Data truncation: Data too long for column 'name' at row 1", "type-length-enforcer"),
        ("BatchUpdateException: Duplicate entry '7' for key 'PRIMARY'", "PRIMARY KEY"),
        ("No suitable driver found for jdbc:mysql://db:3306/shop", "mysql-connector-j"),
        ("java.math.BigInteger cannot be cast to class java.lang.Long", "DECIMAL(20, 0)"),
        ("reason=id is too long, must be no longer than 512 bytes but was: 600", "512"),
        ("PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out.", "consumer_timeout"),
        ("DaemonException: The child process has been shutdown and can no longer accept", "KinesisStreamsSink"),
        ("StatusRuntimeException: NOT_FOUND: Resource not found (resource=orders-sub).", "gcloud pubsub"),
        ("Record has Long.MIN_VALUE timestamp (= no timestamp marker).", "assignTimestampsAndWatermarks"),
        ("InvalidProgramException: Parser@1f is not serializable. The object probably contains", "transient"),
        ("ValidationException: Too many fields referenced from an atomic type.", "Types.ROW_NAMED"),
        ("InvalidTypesException: could not be determined automatically, due to type erasure.", ".returns("),
        ("IllegalArgumentException: Hash collision on user-specified ID orders.", ".uid("),
        ("Class cannot be created (missing no-arg constructor): java.util.Arrays$ArrayList", "new ArrayList"),
        ("Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time", "PROCTIME()"),
        ("There is no operator for the state 0a448493b4782967b150582570326227", "--allowNonRestoredState"),
        ("Max parallelism mismatch between checkpoint/savepoint state (128)", "pipeline.max-parallelism"),
        ("FileNotFoundException: Cannot find meta data file '_metadata' in directory", "RETAIN_ON_CANCELLATION"),
        ("does not support enforcing a full snapshot. If you are restoring in NO_CLAIM mode", "-restoreMode CLAIM"),
        ("HA metadata not available to restore from last state.", "initialSavepointPath"),
        ("Checkpoint was declined (tasks not ready)", "checkpoints-after-tasks-finish"),
        ("Could not find a file system implementation for scheme 's3'.", "plugins/s3-fs-hadoop"),
        ("OutOfMemoryError: Cannot reserve 4096 bytes of direct buffer memory", "task.off-heap.size"),
        ("BlobClient - Failed to fetch BLOB 12/p-3 from jobmanager:6124", "blob.fetch.num-concurrent"),
        ('Internal error occurred: failed calling webhook "validationwebhook"', "webhook.create=false"),
        ("Container [pid=1] is running beyond physical memory limits.", "jvm-overhead"),
        ("ModuleNotFoundError: No module named 'encodings'", "PYTHONHOME"),
        ("LinkageError: loader constraint violation: loader x wants to load class a.B", "scope provided"),
        ("ClassCastException: org.codehaus.janino.CompilerFactory cannot be cast to org.codehaus.x", "scope provided"),
        ("NoClassDefFoundError: org/apache/hadoop/mapred/JobConf", "hadoop-mapreduce-client-core"),
        ("NoSuchMethodError: com.mysql.cj.CharsetMapping.getJavaEncodingForMysqlCharset(L)", "8.0.25"),
        ("Could not find any factory for identifier 'upsert-kafka' that implements", "flink-sql-connector-kafka"),
        ("Could not find any format factory for identifier 'csv' in the classpath.", "flink-csv"),
        ("IOException: Unrecognized version or corrupt state: 2", "flink stop"),
        ("IOException: Unexpected magic number 1a", "Flink's metadata"),
        ("Container [pid=1] is running 1B beyond the 'VIRTUAL' memory limit.", "vmem-check-enabled"),
        ("FileNotFoundException: File does not exist: /flink/ha/default/submittedJobGraph1", "jobgraphs"),
        ("KeeperErrorCode = Unimplemented for /flink", "3.5"),
        ("LoginException: Receive timed out", "udp_preference_limit"),
        ("{orders=LEADER_NOT_AVAILABLE}", "--unavailable-partitions"),
        ("SecretManager$InvalidToken: Invalid AMRMToken from appattempt_1", "recovery.enabled"),
        ("Plugin flink-s3-fs-hadoop-1.20.jar does not exist. Exit.", "ls /opt/flink/opt"),
        ("CoordinatorNotAvailableException: The coordinator is not available.", "transaction.state.log.min.isr"),
        ("RuntimeException: Could not start PrometheusReporter HTTP server on any configured port.", "9250-9260"),
        (
            "java.io.IOException: Failed to deserialize CSV row ''.\nMismatchedInputException: No content to map due to"
            " end-of-input",
            "upsert-kafka",
        ),
        ("errors.SaslAuthenticationException: [e2f3a1]: Access denied", "kafka-cluster:Connect"),
        ("errors.SaslAuthenticationException: [e2f3a1]: Too many connects", "reconnect.backoff.ms"),
        ("Could not find schema with id 7 in registry\nPKIX path building failed", "avro-confluent.ssl.truststore"),
        ("UnsupportedCompressionTypeException: The requesting client does not support the compression", "zstd"),
        ("errors.TimeoutException: The request timed out.", "under-replicated-partitions"),
        ("Message: Configured service account doesn't have access. x is forbidden: exceeded quota: a", "ResourceQuota"),
        ('pods "tm" is forbidden: violates PodSecurity "restricted:latest"', "runAsNonRoot"),
        ("PulsarClientException$AuthorizationException: Client is not authorized to Get", "grant-permission"),
        ('Unable to make field java.util.Arrays$ArrayList.a accessible: java.base does not "opens x', "--add-opens"),
        ("NOT_ALLOWED - access to vhost '/' refused for user 'a': connection limit (5) is reached", "set_vhost_limits"),
        ("Pod tm: container flink-main-container ended: Error, exit code 143", "PodDisruptionBudget"),
        (
            "Unable to execute HTTP request: flink.minio\njava.net.UnknownHostException: flink.minio",
            "path.style.access",
        ),
        ("CliArgsException: Could not parse the command: Unrecognized option: -ytm", "-Dyarn.application.queue"),
        ("VersionMismatchException: Incompatible version: found 2, compatible versions are [6]", "between the one"),
        (
            "GC Pressure 0.4 is above the allowed limit for scaling operations. Please adjust the available memory"
            " manually",
            "gc-pressure.threshold",
        ),
        (
            "SerializationException: Can't convert value of class [B to class x.StringSerializer\n"
            "ClassCastException: class [B cannot be cast to class java.lang.String",
            "setValueSerializationSchema",
        ),
        (
            "Could not find schema with id 7 in registry\nio.confluent.kafka.schemaregistry.client.rest.exceptions."
            "RestClientException: Unexpected character ('<' (code 60)): expected a valid value; error code: 50005",
            "/apis/ccompat/v7",
        ),
        (
            "RetriableCommitFailedException: Offset commit failed with a retriable exception.\n"
            "CoordinatorNotAvailableException: The coordinator is not available.",
            "commit.offsets.on.checkpoint",
        ),
        ("RestClientException: Register operation timed out; error code: 50002", "_schemas"),
        ("MqttException: Unable to connect to server (32103)", "listener 1883"),
        ("MalformedFrameException: AMQP protocol version mismatch; we are version 0-9-1", "5672"),
        ("failed to map segment from shared object: Operation not permitted", "noexec"),
        ("KeeperErrorCode = AuthFailed for /flink", "zookeeper.sasl.disable"),
        ("RocksDBException: file is too short (0 bytes) to be an sstable", "last completed checkpoint"),
        ("CodeGenException: Incomparable types: TIMESTAMP_LTZ(3) and STRING", "CAST"),
        ("StarRocksStreamLoadFailedException: Failed to flush data to StarRocks, Error", "SHOW COMPUTE NODES"),
        ("java.lang.ClassCastException: [B cannot be cast to java.lang.Comparable", "chunk.key-column"),
        ("java.io.IOException: Corrupt Canal JSON message '{}'", "FLINK-36877"),
        (
            "software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException: Consumer arn:aws:k not found",
            "SELF_MANAGED",
        ),
        ("Could not retrieve the execution result.", "high-availability.cluster-id"),
    ],
)
def test_the_remedy_names_what_to_change(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_bytes_that_are_no_text_are_not_taken_for_records_of_python() -> None:
    assert "Python" in (remedy_of("java.lang.ClassCastException: [B cannot be cast to java.lang.String") or "")
    assert "Python" not in (remedy_of("java.lang.ClassCastException: [B cannot be cast to java.lang.Comparable") or "")
    assert remedy_of("java.lang.ClassCastException: [B cannot be cast to java.sql.Blob") is None


def test_a_message_that_nobody_knows_has_no_remedy() -> None:
    assert remedy_of("java.lang.NullPointerException: x is null") is None


def test_every_entry_has_telling_texts_and_a_remedy_in_both_languages() -> None:
    for each in message_remedies():
        assert all(len(text) >= 9 for text in each.texts), each.id
        assert isinstance(each.remedy, Text), each.id
        assert each.remedy.translations[CHINESE].strip(), each.id
        assert each.shows in (None, SETTING, *origin_titles()), each.id
        assert each.system is None or each.shows == "outside_system", each.id


@pytest.mark.parametrize(
    ("said", "frames", "named"),
    [
        ("BindException: Cannot assign requested address", ("sun.nio.ch.Net.bind0",), "bind-host"),
        ("BindException: Cannot assign requested address", ("sun.nio.ch.Net.connect0",), "ip_local_port_range"),
        ("BindException: Cannot assign requested address (connect failed)", (), "ip_local_port_range"),
        (
            "io.netty.channel.AbstractChannel$AnnotatedSocketException: Cannot assign requested address: a/10.0.0.1\n"
            "java.net.BindException: Cannot assign requested address",
            (),
            "ip_local_port_range",
        ),
    ],
)
def test_an_address_of_a_client_is_told_from_one_to_listen_at(said: str, frames: tuple[str, ...], named: str) -> None:
    remedy = remedy_of(said, frames) or ""
    assert named in remedy
    assert ("0.0.0.0" in remedy) == (named == "bind-host")
    assert (shown_by_message(said, frames) == SETTING) == (named == "bind-host")


def test_each_remedy_has_an_id_of_its_own() -> None:
    ids = [each.id for each in message_remedies()]
    assert [each for each in ids if ids.count(each) > 1] == []


def test_no_text_of_a_remedy_is_hidden_by_one_before_it() -> None:
    known = [each for each in message_remedies() if not each.is_general]
    hidden = [
        (each.id, text, before.id)
        for place, each in enumerate(known)
        for text in each.texts
        for before in known[:place]
        if not before.beside and any(other in text for other in before.texts)
    ]
    assert hidden == []


def test_what_an_entry_gives_way_to_is_another_entry() -> None:
    ids = {each.id for each in message_remedies()}
    assert all(set(each.gives_way) <= ids - {each.id} for each in message_remedies())
    assert any(each.gives_way for each in message_remedies())


def test_hard_links_are_a_matter_of_rocksdbs_own_folder() -> None:
    said = "RocksDBException: while link file to /chk/7/000017.sst.tmp: /db/000017.sst: Operation not permitted"
    remedy = remedy_of(f"org.rocksdb.{said}") or ""
    assert "state.backend.rocksdb.localdir" in remedy


@pytest.mark.parametrize(
    ("frame", "leads", "not_told"),
    [
        (
            "org.apache.iceberg.common.DynClasses$Builder.impl",
            "classloader.check-leaked-classloader: false",
            "in close()",
        ),
        ("com.acme.Fetcher.run", "in close()", "No close()"),
    ],
)
def test_a_pool_that_a_library_keeps_is_not_to_be_closed_by_the_job(frame: str, leads: str, not_told: str) -> None:
    said = "java.lang.IllegalStateException: Trying to access closed classloader. Please check if you store"
    remedy = remedy_of(said, (frame,)) or ""
    assert leads in remedy.partition(".")[0] or leads in remedy[:160]
    assert not_told not in remedy
