"""The errors of change data sources and of their pipelines are shown with the act that repairs them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.known_bug import bugs_that_fit
from diagnostics.vocabulary.message_remedies import remedy_of, shown_by_message

CDC = "org.apache.flink.cdc."


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            CDC + "x\nInvalidProgramException: Expression cannot be compiled. This is a bug. Please file an issue.",
            "3.2.0",
        ),
        ("Column name __table_name__ is reserved and shading it is not allowed.", "AS"),
        ("ParseException: Unrecognized projection expression: a + 1. Should be <EXPR> AS <IDENTIFIER>", "name"),
        (CDC + "common.utils.ParseException: Statements can not be parsed.", "projection"),
        ("RuntimeException: Failed to resolve UDF: UserDefinedFunctionDescriptor{name='f'}", "--jar"),
        ("NullPointerException: UDF function must provide at least one `eval` method.", "public method"),
        ("IllegalArgumentException: table option format error: a, it should be like `key1=value1", "table-options"),
        ('NullPointerException: Missing required field "type" in source configuration', "type"),
        ("IllegalArgumentException: Unexpected key `x` in YAML route block.", "--flink-conf"),
        ('IllegalArgumentException: Unknown deployment target "yarn".', "yarn-application"),
        ("NullPointerException: FLINK_CDC_HOME is not correctly set in environment variable", "unpacked folder"),
        ("sharding.suffix.separator is malformed, elasticsearch index only support lowercase.", "lower case"),
        ("IllegalStateException: Column size does not match the data size.", "without its state"),
        ("Unsupported index type 'BLOOM'. Currently only 'BUCKET' index type is supported. Other", "BUCKET"),
        ("fluss metadata applier only supports CreateTableEvent and AddColumnEvent now but receives x", "lenient"),
        ("NullPointerException: SessionManageOperator cannot be null, please setting", "operator-chaining"),
        ("Cannot find any table with by the option 'tables.exclude'  = shop.*", "tables.exclude"),
        ("scan.incremental.snapshot.chunk.key-column = a failed to be parsed in this part 'a'.", "shop.orders:"),
        ("Unable to coerce data record of shop.a from (schema: x) to (schema: y)", "wider"),
        ("The primary key column id of shop.a is not found in upstream schema.", "primary-keys"),
        ("Tables format must db.schema.table, can not 'tables' = a.b", "database.schema.table"),
        ('IllegalArgumentException: Unable to find evolved schema for table "shop.a"', "3.4.0"),
        ("NoSuchMethodError: 'void sun.misc.Unsafe.monitorEnter(java.lang.Object)'", "Java 8"),
        ("IOException: Unsupported to deserialize PendingSplitsState flag: 7", "without its state"),
        ("DebeziumException: Failed to authenticate to the MySQL database at db:3306 with user 'a'", "REPLICATION"),
        ("UnsupportedOperationException: Read only connection requires GTID_MODE to be ON", "gtid_mode"),
        ("Either binlog file / position or GTID set is required if offset kind is SPECIFIC", "specific-offset.file"),
        ("ValidationException: The table-name '*_a' is not a valid regular expression", "orders_.*"),
        ("The DB connection is not a valid replication connection", "PgBouncer"),
        ("Message with LSN 'LSN{1}' not present among LSNs seen in the location phase '[]'", "last checkpoint"),
        ("The log.mining.archive.log.only mode was recently enabled and the offset SCN 1", "SWITCH LOGFILE"),
        ('DmlParserException: Failed to parse insert DML: \'insert into "A"."B"', "redo_log_catalog"),
        ("DebeziumException: Failed to create flush table", "QUOTA"),
        ("IllegalArgumentException: The scheme should either be mongodb or mongodb+srv", "mongodb+srv"),
        ("FlinkRuntimeException: Fail to deserialize row: Row, table: 7", "new snapshot"),
        ("com.oceanbase.clogproxy.x\nLogProxy refused handshake request: code: 1", "2983"),
        ("Can't find any matched tables, please check your configured database-name: [a]", "ShardingSphere"),
        ("The db history topic or its content is fully or partially missing.", "schema-name"),
        (
            "Cannot obtain valid replication slot 'a' [attempt 1, concurrent tx probably blocks taking snapshot.",
            "End",
        ),
        ("Too few schema fields, internal schema representation is probably out of sync with real", "ALTER TABLE"),
        ("VIEW SERVER STATE permission was denied on object 'server', database 'master'.", "sp_cdc_start_job"),
        ("DebeziumException: Unable to find table in relational model: A.B", "capitals"),
        ("IllegalArgumentException: Column names must be unique, the duplicate column name: 'a'", "name of its own"),
        ("Invalid time zone. The valid value should be a Time Zone Database ID such as", "local-time-zone"),
        ('Unable to find column "id" which is defined as primary key', "primary-keys"),
        ("BEFORE type AddColumnEvent error: Column a does not exist in table shop.b", "lenient"),
        (CDC + "SchemaEvolveException: fail to truncate table", "DROP_PRIV"),
        ("Could not connect to Elasticsearch cluster using the provided hosts [es:9200]", "http://es:9200"),
        ("Unsupported operation type: DELETE for log table shop.a", "primary key table"),
        ("FlinkRuntimeException: The assigner is not ready to offer finished split information, this should", "3.2.0"),
        ("Error during binlog processing. Last offset stored = null, binlog reader near position = a/1", "2.4.0"),
    ],
)
def test_a_known_message_is_shown_with_its_act(said: str, named: str) -> None:
    assert named in (remedy_of(said) or "")


@pytest.mark.parametrize(
    ("said", "frame", "named"),
    [
        ("java.io.EOFException", "com.ververica.cdc.connectors.mysql.source.split.MySqlSplitSerializer.a", "2.2.0"),
        ("java.sql.SQLException: Invalid column type", "oracle.jdbc.driver.Redirector.redirect", "ojdbc8"),
        ("java.lang.NoSuchFieldError: names", CDC + "runtime.parser.TransformParser.generate", "Calcite"),
    ],
)
def test_what_a_place_throws_is_known_there_alone(said: str, frame: str, named: str) -> None:
    assert named in (remedy_of(said, (frame,)) or "")
    assert remedy_of(said, ("com.acme.Job.main",)) is None


def test_two_jars_of_a_connector_are_a_matter_of_class_loading() -> None:
    said = "ClassCastException: class io.debezium.connector.mysql.A cannot be cast to class io.debezium.relational.B"
    assert shown_by_message(said) == "class_loading"


@pytest.mark.parametrize(
    ("said", "bug"),
    [
        ("IllegalStateException: Invalid assigner status {} [NEWLY_ADDED_ASSIGNING_FINISHED]", "FLINK-36771"),
        (
            "FlinkRuntimeException: The assigner is not ready to offer finished split information, this should not be"
            " called",
            "FLINK-34688",
        ),
        ('java.lang.NumberFormatException: For input string: "Struct{scale=0,value=[B@1}"', "CDC-560"),
    ],
)
def test_a_fault_of_a_release_is_known(said: str, bug: str) -> None:
    assert bug in list(bugs_that_fit(said, []))
