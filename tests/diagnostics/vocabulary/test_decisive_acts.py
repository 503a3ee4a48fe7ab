"""Failures as they are printed, with the option, value or statement that repairs them, and the class that leads."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import remedy_of
from tests.diagnostics.vocabulary.test_known_failures import shown_by

STATE = "java.lang.IllegalStateException: "
VALID = "org.apache.flink.table.api.ValidationException: "
DEBEZIUM = "io.debezium.DebeziumException: "
POSTGRES = "org.postgresql.util.PSQLException: ERROR: "
MYSQL = "com.mysql.cj.jdbc.exceptions.MysqlDataTruncation: Data truncation: "
ACTS = [
    ("ApplicationExecutionException: The application contains no execute() calls.", "user_code", "env.execute()"),
    ("IllegalArgumentException: Job client must be a CoordinationRequestGateway. This is a bug.", "user_code", "-d"),
    (
        "Exception: Cannot deploy task Map (1/8) - TaskManager (tm-1) not responding after a rpcTimeout of 1 ms",
        None,
        "pekko.ask.timeout",
    ),
    ("java.lang.SecurityException: Invalid signature file digest for Manifest main attributes", "user_code", "*.SF"),
    ("java.util.zip.ZipException: invalid LOC header (bad signature)", "user_code", "unzip -t"),
    ("java.io.IOException: JAR file can't be read '/opt/flink/usrlib/a.jar'", "misconfiguration", "chmod 644"),
    (
        "IllegalArgumentException: The fraction of memory to allocate should not be 0. Please make sure that all",
        "misconfiguration",
        "consumer-weights",
    ),
    ("java.net.ConnectException: Call From h/1 to 0.0.0.0/0.0.0.0:8032 failed", None, "HADOOP_CONF_DIR"),
    (
        'io.fabric8.kubernetes.client.KubernetesClientException: pods "a" is forbidden: exceeded quota: compute',
        None,
        "kubectl describe quota",
    ),
    (
        "UpgradeFailureException: Latest checkpoint not externally addressable",
        "restore_failure",
        "initialSavepointPath",
    ),
    (f"{VALID}Flink doesn't support ENFORCED mode for PRIMARY KEY constraint.", "user_code", "NOT ENFORCED"),
    (f"{VALID}The 'OPTIONS' hint is allowed only when the config option", None, "table.dynamic-table-options.enabled"),
    ("org.codehaus.janino.InternalCompilerException: Code grows beyond 64 KB", "user_code", "max-length"),
    ("TableException: unexpected correlate variable $cor0 in the plan", "user_code", "LEFT JOIN"),
    (f"{STATE}Attempted to migrate from flink-connector-kafka 3.X directly to a naming", "restore_failure", "POOLING"),
    ("DeserializationException: Invalid null value received in non-upsert mode.", "user_code", "upsert-kafka"),
    (
        "org.apache.kafka.common.InvalidRecordException: Compacted topic cannot accept message without key in",
        "outside_system",
        "key.fields",
    ),
    (
        "SaslMechanismException: Client SASL mechanism 'PLAIN' not enabled in the server, enabled mechanisms are",
        "misconfiguration",
        "sasl.mechanism",
    ),
    (f"{DEBEZIUM}Cannot get maximum archive log SCN as no archive logs are present.", "outside_system", "ARCHIVELOG"),
    (f"{DEBEZIUM}User does not have the 'LOCK TABLES' privilege required to obtain a", "outside_system", "GRANT LOCK"),
    ('RuntimeException: Cannot find factory with identifier "doris" in the classpath.', "misconfiguration", "--jar"),
    (f"{STATE}Unable to apply SchemaChangeEvent for table 'a.b' without existing schema", None, "3.0.1"),
    (
        f'{POSTGRES}column "a" is of type jsonb but expression is of type character varying',
        None,
        "stringtype=unspecified",
    ),
    (f'{POSTGRES}prepared statement "S_1" already exists', "misconfiguration", "prepareThreshold=0"),
    (f"{MYSQL}Incorrect string value: '\\xF0\\x9F' for column 'a'", None, "utf8mb4"),
    ("java.sql.SQLException: Field 'a' doesn't have a default value", "outside_system", "SET DEFAULT"),
    (
        "java.sql.SQLException: Listener refused the connection: ORA-12505, TNS:listener",
        "misconfiguration",
        "<service>",
    ),
    ("java.sql.SQLException: ORA-00257: archiver error", "outside_system", "DB_RECOVERY_FILE_DEST_SIZE"),
    ("SQLServerException: Cannot insert explicit value for identity column in table 'a'", "outside_system", "identity"),
    ("NullPointerException: You haven't enable transaction in Pulsar client.", "misconfiguration", "enableTransaction"),
    ("PulsarClientException$ProducerBlockedQuotaExceededException: quota", "outside_system", "set-backlog-quota"),
    ("software.amazon.Kinesis: Another active subscription exists for this consumer: a", None, "efo.consumer.name"),
    ('java.io.IOException: Cannot run program "docker": error=2', "misconfiguration", "--environment_type"),
    ("no such index [a] and [action.auto_create_index] ([b]) doesn't match", "outside_system", "PUT <index>"),
    ("only write ops with an op_type of create are allowed in data streams", "outside_system", "OpType.CREATE"),
    ("java.lang.IllegalArgumentException: KeyValue size too large", "misconfiguration", "keyvalue.maxsize"),
    ("com.mongodb.MongoCommandException: failed with error 13 (Unauthorized)", "outside_system", "grantRolesToUser"),
    ("java.io.IOException: Server asks us to fall back to SIMPLE auth", "misconfiguration", "fallback-to-simple"),
    ("KrbException: Server not found in Kerberos database (7)", "outside_system", "domain_realm"),
    ("java.io.IOException: RPC response exceeds maximum data length", "misconfiguration", "8020"),
    ("FlinkHiveException: Reading or writing ACID table db.t is not supported.", "misconfiguration", "'false'"),
    ("TApplicationException: Invalid method name: 'get_table_req'", "outside_system", "metastore's version"),
    ("IllegalArgumentException: Cannot write incompatible dataset to table", "misconfiguration", "COALESCE"),
    ("CommitFailedException: Cannot commit a because Glue detected concurrent update", "outside_system", "num-retries"),
    ("OutOfRangeException: The wanted read snapshot with id 4 has expired.", "outside_system", "consumer-id"),
    (
        "RuntimeException: Exception in bulkLoad, the most suspicious reason is that your",
        "user_code",
        "INSERT OVERWRITE",
    ),
    ("Status: Two phase commit (2PC) for stream load was disabled", "outside_system", "disable_stream_load_2pc"),
    ("MEM_LIMIT_EXCEEDED: primary key memory usage exceeds the limit", "outside_system", "enable_persistent_index"),
    (f"{STATE}checkpoint. This indicates that the retrieved state handle is broken.", "restore_failure", "cluster-id"),
    ("OutOfMemoryError: Could not allocate enough memory segments for NetworkBufferPool", None, "MaxDirectMemorySize"),
    ("org.apache.kafka.common.errors.NotLeaderOrFollowerException: a", "outside_system", "unavailable-partitions"),
    ("ImportError: cannot import name 'validate' from 'avro.io'", "user_code", "pip check"),
    ("TimeoutException: The heartbeat of JobManager with id a timed out.", None, "jobmanager.memory.process.size"),
    ("RpcConnectionException: Could not connect to rpc endpoint under address pekko.tcp://a", None, "6123"),
    ("java.net.BindException: Cannot assign requested address", "misconfiguration", "bind-host"),
    ("NoClassDefFoundError: com/sun/jersey/api/client/config/ClientConfig", "user_code", "timeline-service"),
    ("java.sql.SQLException: Unknown system variable 'tx_isolation'", None, "mysql-connector-j 8"),
    (f"{POSTGRES}must be superuser or replication role to start walsender", "outside_system", "REPLICATION"),
    ("java.sql.SQLException: ORA-01031: insufficient privileges", "outside_system", "LOGMINING"),
    ("org.apache.kafka.common.errors.UnsupportedVersionException: a", "outside_system", "2.1 or newer"),
    ("S3Exception: A header you provided implies functionality that is not implemented", None, "WHEN_REQUIRED"),
    ("TopicAuthorizationException: Not authorized to access topics: [a]", "outside_system", "--operation Describe"),
    ("java.sql.SQLSyntaxErrorException: Unknown database 'a'", "outside_system", "currentSchema"),
    (f'{POSTGRES.replace("ERROR: ", "")}ERROR: relation "a" does not exist', "outside_system", "lower case"),
    ("ElasticsearchStatusException: missing authentication credentials for REST request", None, "'username'"),
    (
        'AccessControlException: Permission denied: user=a, access=WRITE, inode="/":hdfs:hdfs:drwxr-xr-x',
        "misconfiguration",
        "hdfs dfs -chown a /<folder>",
    ),
    ("0/3 nodes are available: 3 Insufficient cpu.", None, "cpu.amount"),
    ("AmazonS3Exception: The specified key does not exist.", None, "life-cycle"),
    ("StarRocksStreamLoadFailedException: Failed to flush data to StarRocks, Error response", None, "SHOW BACKENDS"),
    ("org.apache.pulsar.client.admin.PulsarAdminException: HTTP 502 Bad Gateway", None, "adminUrl"),
    ("ConnectException: Error configuring an instance of PostgresConnectorTask; check the logs", None, "pgoutput"),
    (
        "TransactionCoordinatorClientException$TransactionNotFoundException: The transaction is not found",
        "outside_system",
        "pulsar.sink.transactionTimeoutMillis",
    ),
    ("PulsarClientException$ProducerFencedException: Producer was fenced", "outside_system", "exclusive access"),
    ("MQBrokerException: CODE: 14  DESC: service not available now, maybe disk full", None, "fileReservedTime"),
    ("MqttException: Connection lost (32109) - java.io.EOFException", "outside_system", "client id of its own"),
    (f"{STATE}None of log files contains offset SCN: 12, re-snapshot is required.", "outside_system", "initial"),
    ("java.sql.SQLException: ORA-01950: no privileges on tablespace 'USERS'", "outside_system", "QUOTA UNLIMITED"),
    (f"{DEBEZIUM}Postgres roles LOGIN and REPLICATION are not assigned to user: cdc", None, "ALTER ROLE"),
    (f"{POSTGRES}permission denied for table orders", "outside_system", "GRANT USAGE ON SCHEMA"),
    ("SQLServerException: Invalid object name 'cdc.change_tables'.", "outside_system", "sp_cdc_enable_table"),
    (f"{DEBEZIUM}Cannot replicate because the source purged required binary logs.", None, "binlog_expire_logs_seconds"),
    ("MongoCommandException: not authorized on shop to execute command { splitVector: 1", None, "db.createRole"),
    (f"{VALID}Cannot commit, missing data files: [a.parquet]", "outside_system", "partial-progress.enabled"),
    ("org.apache.iceberg.exceptions.NotFoundException: Location does not exist: s3://a", None, "rollback_to_snapshot"),
    (f"{STATE}You are writing data to expired partitions", "user_code", "partition.expiration-time"),
    ("org.apache.hudi.exception.HoodieLockException: Unable to acquire lock", "outside_system", "num_retries"),
    ("DorisRuntimeException: transaction [7] is already VISIBLE, not pre-committed.", None, "sink.ignore.commit-error"),
    ("DorisRuntimeException: [E-235]failed to init rowset builder", "outside_system", "max_tablet_version_num"),
    (
        "StreamLoadFailException: Target column count: 5 doesn't match source value column count: 6",
        "user_code",
        "sink.properties.columns",
    ),
    ("IllegalArgumentException: Cannot read unsupported version 3", "user_code", "Iceberg 1.7.0"),
    ("IOException: Unable to parse response body for Response{response=HTTP/1.1 200 OK}", None, "elasticsearch-8"),
    ("SQLException: Plugin 'mysql_native_password' is not loaded", "outside_system", "caching_sha2_password"),
    (f"{POSTGRES}could not serialize access due to concurrent update", "outside_system", "read committed"),
    ("ValidationException: Column types do not match.\nCause: Different number of columns.", None, "no more and no"),
    (f"{STATE}No operators defined in streaming topology. Cannot generate StreamGraph.", "user_code", "INSERT INTO"),
    ("written to 0 of the 1 minReplication nodes. There are 0 datanode(s) running", None, "Start the DataNodes"),
    ("StreamLoadFailException: there are 280 rows couldn't find a partition", "user_code", "ADD PARTITION"),
    ("DmlParserException: DML statement couldn't be parsed. Please open a Jira issue with the", None, "Upgrade"),
    ('UnsupportedFileSystemException: No FileSystem for scheme "oss"', "misconfiguration", "flink-oss-fs-hadoop"),
    (
        "java.lang.NoSuchMethodError: scala.Product.$init$(Lscala/Product;)V",
        "user_code",
        "or build the job with Scala 2.11",
    ),
    ("java.lang.NoClassDefFoundError: scala/Product$class", "user_code", "in place of _2.11"),
    (
        "NoSuchMethodError: 'scala.collection.immutable.ArraySeq scala.runtime.ScalaRunTime$.a()'",
        None,
        "Delete flink-scala",
    ),
    ("java.lang.NoClassDefFoundError: scala/collection/GenTraversableOnce", "user_code", "in place of _2.13"),
    ("java.lang.IllegalArgumentException: Invalid negative offset", "outside_system", "Upgrade the Kafka connector"),
    ("ValidationException: Cannot determine history between starting snapshot null and current 5", None, "0.13.0"),
    ("HoodieIOException: Fetching rollback plan failed for [==>1__rollback__REQUESTED]", None, ".rollback.requested"),
    ("Exception: Failed to abort transactions with label a-0-1, db: b, table: c", None, "'sink.label-prefix'"),
    ("HttpHostConnectException: Connect to 127.0.0.1:8040 failed: Connection refused", None, "priority_networks"),
    ("RuntimeException: UnknownHostException: [be-0.be.svc.cluster.local]", None, "Kubernetes cluster"),
    ("doris.shaded.org.apache.thrift.transport.TTransportException: Connection timed out", None, "be_port (9060)"),
]


@pytest.mark.parametrize(("said", "symptom_class", "act"), ACTS)
def test_a_message_names_the_act_that_repairs_it(said: str, symptom_class: str | None, act: str) -> None:
    assert act in (remedy_of(said) or "")
    assert symptom_class is None or shown_by(said) == symptom_class


def test_what_an_entry_wants_beside_its_text_must_be_there() -> None:
    assert "Kubernetes cluster" not in (remedy_of("java.net.UnknownHostException: hms") or "")


def test_a_commit_that_the_metastore_did_not_answer_is_known_by_where_it_was_thrown() -> None:
    said = "org.apache.thrift.transport.TTransportException: java.net.SocketTimeoutException: Read timed out"
    thrown = ("org.apache.iceberg.hive.HiveTableOperations.doCommit",)
    assert "metadata_location" in (remedy_of(said, thrown) or "")
    assert "metadata_location" not in (remedy_of(said) or "")
