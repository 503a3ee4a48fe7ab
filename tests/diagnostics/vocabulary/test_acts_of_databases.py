"""The errors of databases and stores that their own manuals explain are shown with the act that these name."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.class_owners import owner_of
from diagnostics.vocabulary.message_remedies import known_message, remedy_of

SQL = "java.sql.SQLException: "
PG = "org.postgresql.util.PSQLException: "
MSSQL = "com.microsoft.sqlserver.jdbc.SQLServerException: "
DB2 = "com.ibm.db2.jcc.am.SqlException: DB2 SQL Error: "
MONGO = "com.mongodb.MongoCommandException: Command failed with error "
REDIS = "redis.clients.jedis.exceptions.JedisDataException: "
CASSANDRA = "com.datastax.driver.core.exceptions."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (SQL + "ORA-01013: user requested cancel of current operation", "query.timeout.ms"),
        (SQL + "ORA-00600: internal error code, arguments: [kdli_iread], [1]", "32209850"),
        (SQL + "ORA-00600: internal error code, arguments: [kcbz], [1]", "My Oracle Support"),
        ("java.sql.SQLFeatureNotSupportedException: ORA-17023: Unsupported feature: getOCIHandles", "jdbc:oracle:oci"),
        ("LogFileNotFoundException: an archive log with sequence 12345 is not available", "query.max.retries"),
        ("SQLRecoverableException: IO Error: The Network Adapter could not establish the connection", "lsnrctl"),
        (SQL + "ORA-30036: unable to extend segment by 8 in undo tablespace 'UNDOTBS1'", "undo tablespace"),
        (SQL + 'ORA-00904: "ts": invalid identifier', "capitals"),
        (SQL + "ORA-00911: invalid character", "semicolon"),
        (SQL + "ORA-01424: missing or illegal character following the escape character", "slash"),
        (SQL + "ORA-01461: can bind a LONG value only for insert into a LONG column", "CLOB"),
        (SQL + "ORA-02049: timeout: distributed transaction waiting for lock", "DBA_2PC_PENDING"),
        (SQL + "ORA-14400: inserted partition key does not map to any partition", "ADD PARTITION"),
        (SQL + "ORA-01333: failed to establish LogMiner dictionary", "online_catalog"),
        (SQL + "Non supported character set (add orai18n.jar in your classpath): ZHS16GBK", "orai18n"),
        (SQL + "Illegal mix of collations (utf8mb4_0900_ai_ci,IMPLICIT) and (x) for operation '='", "COLLATE"),
        (SQL + "Prepared statement contains too many placeholders", "sink.buffer-flush.max-rows"),
        (SQL + "The client was disconnected by the server because of inactivity. See wait_timeout", "wait_timeout"),
        (SQL + "Your password has expired. To log in you must change it", "PASSWORD EXPIRE NEVER"),
        ("ServerException: Misconfigured master - server id was not set", "server_id"),
        ("ServerException: Binary log is not open", "log_bin"),
        ("IllegalArgumentException: Can't find any matched tables, please check your configured", "table-name"),
        ("FlinkRuntimeException: Can't obtain schema for table shop.orders by running SHOW CREATE TABLE", "SELECT"),
        ("text.ParsingException: Trying to alter table shop.o, which does not exist. Query: ALTER", "skip.unparseable"),
        (SQL + "Cannot add or update a child row: a foreign key constraint fails (`shop`", "foreign_key_checks=0"),
        (PG + 'ERROR: replication slot "flink" does not exist', "without its state"),
        (PG + 'ERROR: replication slot "flink" already exists', "pg_drop_replication_slot"),
        (PG + 'ERROR: replication slot name "Flink-Slot" contains invalid character', "lower-case"),
        (PG + "ERROR: permission denied for database shop", "GRANT CONNECT, CREATE ON DATABASE"),
        (PG + 'ERROR: column "userid" of relation "orders" does not exist', "lower case"),
        (PG + "ERROR: canceling statement due to statement timeout", "statement_timeout"),
        (PG + "FATAL: terminating connection due to idle-in-transaction timeout", "idle_in_transaction"),
        (PG + "ERROR: out of shared memory\n  Hint: You might need to increase max_locks_per_transaction.", "256"),
        (PG + "ERROR: invalid memory alloc request size 1243650064", "1 GB"),
        (PG + "ERROR: operator does not exist: uuid = character varying", "stringtype=unspecified"),
        (PG + 'ERROR: no partition of relation "orders" found for row', "PARTITION OF"),
        (PG + "ERROR: unsupported startup parameter: extra_float_digits", "ignore_startup_parameters"),
        (PG + "Database connection failed when reading from copy", "wal_sender_timeout"),
        (PG + 'ERROR: syntax error at or near "CONFLICT"', "ON DUPLICATE KEY UPDATE"),
        (PG + 'ERROR: syntax error at or near "user"', "reserved words"),
        (PG + "Invalid or unsupported by client SCRAM mechanisms", "password_encryption_type"),
        (MSSQL + "The transaction log for database 'shop' is full due to 'REPLICATION'.", "sp_cdc_start_job"),
        (MSSQL + "Invalid column name 'ts'.", "sp_cdc_enable_table"),
        (MSSQL + "Client with IP address '1.2.3.4' is not allowed to access the server.", "firewall-rule"),
        (DB2 + "SQLCODE=-204, SQLSTATE=42704, SQLERRMC=ASNCDC.IBMSNAP_REGISTER", "ASNCDCSERVICES"),
        (DB2 + "SQLCODE=-204, SQLSTATE=42704, SQLERRMC=FLINK.ORDERS", "currentSchema"),
        (DB2 + "SQLCODE=-668, SQLSTATE=57007, SQLERRMC=7;FLINK.ORDERS", "REORG TABLE"),
        (DB2 + "SQLCODE=-911, SQLSTATE=40001, SQLERRMC=68", "LOCKTIMEOUT"),
        (MONGO + "10107 (NotWritablePrimary): 'not primary' on server db:27017.", "replicaSet=rs0"),
        (MONGO + "59 (CommandNotFound): 'no such command: 'splitVector''", "scan.partition.strategy"),
        (MONGO + "61 (ShardKeyNotFound): 'Failed to target upsert by query'", "2.0.0"),
        ("MongoConfigurationException: Unable to look up TXT record for host x.mongodb.net", "mongodb+srv://"),
        ("org.apache.hadoop.hbase.ipc.FailedServerException: This server is in the failed servers list", "16020"),
        ("org.apache.hadoop.hbase.UnknownScannerException: Name: 42, already closed?", "scanner.timeout.period"),
        (SQL + "ERROR 726 (43M10):  Inconsistent namespace mapping properties.", "isNamespaceMappingEnabled"),
        (REDIS + "NOREPLICAS Not enough good replicas to write.", "min-replicas-to-write"),
        (REDIS + "ERR DB index is out of range", "databases"),
        (CASSANDRA + "BusyPoolException: Pool is busy (no available connection", "setMaxConcurrentRequests"),
        (CASSANDRA + "CodecNotFoundException: Codec not found for requested operation", "InstantCodec"),
        ("KuduException: MANUAL_FLUSH is enabled but the buffer is too big", "kudu.max-buffer-size"),
        (SQL + "Transaction is too large, size: 104857601", "txn-total-size-limit"),
        (SQL + "Timeout, query has reached the maximum query timeout: 10000000(us)", "ob_query_timeout"),
        (SQL + "WSREP has not yet prepared node for application use", "wsrep_ready"),
        (SQL + "The total number of locks exceeds the lock table size", "innodb_buffer_pool_size"),
        (SQL + "Connections using insecure transport are prohibited", "sslMode=REQUIRED"),
        (SQL + "Unsupported character encoding 'utf8mb4'.", "characterEncoding=UTF-8"),
        (SQL + "Parameter index out of range (3 > number of parameters, which is 2).", "exactly once"),
        (SQL + "ORA-20001: balance below zero", "trigger"),
        (SQL + "ORA-02391: exceeded simultaneous SESSIONS_PER_USER limit", "SESSIONS_PER_USER UNLIMITED"),
        (SQL + "ORA-01691: unable to extend lob segment", "ADD DATAFILE"),
        (PG + 'FATAL: role "flink" does not exist', "CREATE ROLE"),
        (PG + "FATAL: no more connections allowed (max_client_conn)", "default_pool_size"),
        (PG + 'ERROR: could not resize shared memory segment "/PostgreSQL.1"', "--shm-size"),
        (PG + "Ran out of memory retrieving query results.", "scan.fetch-size"),
        (PG + "FATAL: SSL connection is required. Please specify SSL options and retry.", "sslmode=require"),
        (MSSQL + "Cannot resolve the collation conflict between", "COLLATE DATABASE_DEFAULT"),
        (MSSQL + "Database 'shop' cannot be opened because it is offline.", "SET ONLINE"),
        (MONGO + "100 (UnsatisfiableWriteConcern): 'Not enough data-bearing nodes'", "w=majority"),
        (MONGO + "166 (CommandNotSupportedOnView): 'Namespace shop.v is a view'", "below the view"),
        (MONGO + "13 (Unauthorized): 'command aggregate requires authentication'", "authSource"),
        ("IllegalArgumentException: [op_tss] cannot be found in mysql metadata.", "metadata.list"),
        ("RuntimeException: Timeout waiting for schema change request from SchemaOperator.", "rpc-timeout"),
        ("SchemaEvolveException: Failed to apply add column because of alter exception, event:", "try_evolve"),
        ("IllegalStateException: Chunk splitting has encountered exception", "chunk key"),
        ("ServerException: Slave has more GTIDs than the master has, using the master's SERVER_UUID.", "new snapshot"),
        ("ServerException: Cannot replicate anonymous transaction when AUTO_POSITION = 1", "gtid_mode = ON"),
        (MSSQL + "Cannot open user default database. Login failed.", "DEFAULT_DATABASE"),
        ("dm.jdbc.driver.DMException: 字符串截断", "Widen the column"),
        ("ValidationException: The precision of field 'ts' is out of the TIMESTAMP precision range", "TIMESTAMP(6)"),
        ("ValidationException: Failed connecting to jdbc:postgresql://db:5432/shop via JDBC.", "base-url"),
    ],
)
def test_the_act_of_a_database_s_error_is_named(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


def test_a_number_of_another_type_is_the_column_s_where_the_jdbc_connector_reads_it() -> None:
    said = "java.lang.ClassCastException: class java.lang.Long cannot be cast to class java.lang.Integer"
    converter = "org.apache.flink.connector.jdbc.converter.AbstractJdbcRowConverter.lambda$createExternalConverter$"
    assert "BIGINT" in (remedy_of(said, (converter,)) or "")
    assert known_message(said, ("com.acme.Enrich.map",)) is None


@pytest.mark.parametrize(
    "said",
    [
        'org.postgresql.util.PSQLException: ERROR: view "moods" does not exist',
        "java.io.IOException: Row length 12 is fine",
        "java.lang.IllegalStateException: order 7 already exists",
    ],
)
def test_a_part_of_such_a_message_alone_shows_nothing(said: str) -> None:
    assert known_message(said) is None


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ("oracle.xdb.XMLType", "xmlparserv2"),
        ("org.opengauss.Driver", "opengauss-jdbc"),
        ("com.kingbase8.Driver", "kingbase8"),
        ("com.datastax.driver.core.Cluster", "flink-connector-cassandra"),
        ("org.apache.kudu.client.KuduClient", "flink-sql-connector-kudu"),
        ("org.apache.phoenix.jdbc.PhoenixDriver", "phoenix-client"),
        ("org.tikv.common.TiConfiguration", "tikv-client-java"),
    ],
)
def test_the_jar_of_a_database_s_client_is_named(missing: str, named: str) -> None:
    owner = owner_of(missing)
    assert owner is not None
    assert named in (owner.absent or owner.advice)


@pytest.mark.parametrize(
    ("frame", "named"),
    [
        ("io.debezium.connector.oracle.logminer.processor.memory.MemoryTransactionCache.add", "retention.hours"),
        ("io.debezium.connector.base.ChangeEventQueue.enqueue", "debezium.max.queue.size"),
    ],
)
def test_the_heap_that_a_change_stream_fills_is_relieved_by_its_own_options(frame: str, named: str) -> None:
    assert named in (remedy_of("java.lang.OutOfMemoryError: Java heap space", (frame,)) or "")
