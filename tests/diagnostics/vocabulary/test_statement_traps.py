"""Statements that do without an error what nobody wants of them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.statement_traps import statement_traps, traps_in

KAFKA = "CREATE TABLE s (id BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'format' = 'json');\n"
JDBC = "CREATE TABLE o (id BIGINT, city STRING, {key}) WITH ('connector' = 'jdbc', 'table-name' = 'o');\n"
KEYED = JDBC.format(key="PRIMARY KEY (id) NOT ENFORCED")
FILES = (
    "CREATE TABLE f (id BIGINT, dt STRING, h STRING) PARTITIONED BY (dt, h) "
    "WITH ('connector' = 'filesystem', 'path' = 's3://b/p', {options});\nINSERT INTO f SELECT id, dt, h FROM s;"
)
COMMITS = "'sink.partition-commit.trigger' = 'partition-time'"
POLICY = "'sink.partition-commit.policy.kind' = 'success-file'"
CHECKPOINTS = "SET 'execution.checkpointing.interval' = '10 s';\n"


CDC = "CREATE TABLE c (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = '{}-cdc', {});\nSELECT * FROM c"
SINK = "CREATE TABLE t (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = '{}', {});\n"
BUCKETS = "'index.type' = 'BUCKET'"
MYSQL = "'url' = 'jdbc:mysql://db:3306/shop{}', 'table-name' = 't'"
LATEST, STREAMED = "'scan.startup.mode' = 'latest'", "'streaming' = 'true'"
BOUNDS = "'scan.partition.column' = 'id', 'scan.partition.lower-bound' = '0', 'scan.partition.upper-bound' = '999'"
FRONT_END = "CREATE TABLE m (at TIMESTAMP(3)) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://fe:9030/d{}');\n"
READ = "INSERT INTO o SELECT id FROM s"
BEYOND = (
    f"{CHECKPOINTS}CREATE TABLE c (id BIGINT, day DATE, PRIMARY KEY (id) NOT ENFORCED) "
    "WITH ('connector' = 'mysql-cdc');\n"
    "CREATE TABLE t (id BIGINT, day DATE, PRIMARY KEY ({}) NOT ENFORCED) WITH ('connector' = '{}'{});\n"
    "INSERT INTO t SELECT id, day FROM c;"
)
ROWS, INTERVAL = "sink.buffer-flush.max-rows", "sink.buffer-flush.interval"


def found(sql: str) -> list[str]:
    return [name for name, _, _ in traps_in(sql)]


@pytest.mark.parametrize(
    ("sql", "trap"),
    [
        (f"{KAFKA}INSERT INTO o SELECT id FROM s WHERE ts <> NULL", "equals-null"),
        (f"{KEYED}INSERT INTO o SELECT s.city, s.id FROM s", "columns-by-position"),
        (f"{KAFKA}INSERT INTO o SELECT DATE_FORMAT(ts, 'YYYY-MM-dd') FROM s", "date-pattern-letters"),
        (f"{KAFKA}INSERT INTO o SELECT TO_TIMESTAMP(t, 'yyyy-MM-dd hh:mm:ss') FROM s", "date-pattern-of-12-hours"),
        (f"{KAFKA}INSERT INTO o SELECT FROM_UNIXTIME(event_ms) FROM s", "milliseconds-as-seconds"),
        (FILES.format(options=COMMITS), "commit-without-policy"),
        (FILES.format(options=f"{COMMITS}, {POLICY}"), "commit-by-one-column"),
        (FILES.format(options="'format' = 'json'"), "shown-by-checkpoints"),
        (CHECKPOINTS + FILES.format(options="'format' = 'json'"), "rows-wait-for-their-file"),
        ("INSERT INTO o SELECT a.x FROM a LEFT JOIN b ON a.x = b.x WHERE b.x IS NULL", "left-join-of-a-release"),
        (f"{KAFKA}INSERT INTO o SELECT CAST(id AS DECIMAL) FROM s", "cast-of-no-scale"),
        (f"{KAFKA}INSERT INTO o SELECT CAST(id AS CHAR) FROM s", "char-of-one"),
        (SINK.format("jdbc", f"'{ROWS}' = '0', '{INTERVAL}' = '0s'"), "rows-wait-for-a-checkpoint"),
        (SINK.format("jdbc", f"'{ROWS}' = '5000', '{INTERVAL}' = '0'"), "rows-wait-for-more-rows"),
        (SINK.format("elasticsearch-7", "'sink.flush-on-checkpoint' = 'false'"), "not-flushed-at-checkpoints"),
        (SINK.format("starrocks", "'sink.properties.max_filter_ratio' = '1.0'"), "refused-rows-left-out"),
        (SINK.format("doris", f"'sink.enable.batch-mode' = 'true', '{INTERVAL}' = '100ms'"), "many-small-loads"),
        (JDBC.format(key="x DECIMAL") + "INSERT INTO o SELECT id, city, x FROM s", "rows-without-key"),
        (JDBC.format(key="x DECIMAL") + "INSERT INTO o SELECT id, city, x FROM s", "decimal-of-no-scale"),
        (f"{KAFKA}INSERT INTO o SELECT id FROM s WHERE id NOT IN (SELECT k FROM b)", "not-in-with-null"),
        (FILES.replace("dt, h)", "dt, `_h`)").format(options="'format' = 'parquet'"), "hidden-partitions"),
        (CDC.format("mysql", "'table-name' = 'orders'"), "changes-after-a-checkpoint"),
        ('MySqlSource.<String>builder().databaseList("shop").tableList("orders")', "cdc-tables-without-database"),
        (f"{SINK.format('jdbc', MYSQL.format(''))}INSERT INTO t SELECT id FROM s", "mysql-rows-one-by-one"),
        (f"{CHECKPOINTS}{SINK.format('hudi', LATEST)}INSERT INTO t SELECT id FROM s", "hudi-index-in-state"),
        (CDC.format("oracle", "'table-name' = 'ORDERS'"), "dictionary-in-the-redo-log"),
        (CDC.format("oracle", "'table-name' = 'ORDERS'"), "columns-in-lower-case"),
        (CDC.format("mongodb", "'collection' = 'orders'"), "no-heartbeat-of-a-quiet-collection"),
        (
            CDC.format("postgres", "'scan.startup.mode' = 'initial', 'debezium.snapshot.mode' = 'never'"),
            "two-starts",
        ),
        ("SELECT * FROM t1 /*+ OPTIONS('scan.mode' = 'latest') */", "only-new-rows-of-a-lake-table"),
        (f"{KEYED}INSERT INTO x SELECT id FROM o", "table-read-once"),
        (
            "SET 'table.exec.state.ttl' = '30 min';\nINSERT INTO o SELECT a.x FROM a JOIN b ON a.x = b.x",
            "state-forgotten",
        ),
        (
            SINK.format("starrocks", "'sink.semantic' = 'exactly-once'") + "INSERT INTO t SELECT id FROM s",
            "loaded-in-one-transaction",
        ),
        (
            SINK.format("doris", "'table.identifier' = 'd.t'") + "INSERT INTO t SELECT id FROM s",
            "loaded-by-checkpoints",
        ),
        (CDC.format("oracle", "'database-name' = 'xe'"), "upper-and-lower-case-of-a-database"),
        (
            CDC.format("oracle", "'debezium.log.mining.strategy' = 'redo_log_catalog'"),
            "dictionary-in-the-redo-log",
        ),
        (BEYOND.format("id, day", "starrocks", ""), "key-beyond-that-of-the-source"),
        (BEYOND.format("`id`, `day`", "doris", ""), "key-beyond-that-of-the-source"),
        (
            SINK.format("kafka", "'format' = 'debezium-json'") + "INSERT INTO t SELECT id FROM s",
            "changes-of-a-row-in-many-partitions",
        ),
        (KAFKA.replace("'json'", "'json', 'json.ignore-parse-errors' = 'true'") + READ, "errors-of-parsing-ignored"),
        (CDC.format("mysql", "'scan.incremental.snapshot.backfill.skip' = 'true'"), "changes-played-again"),
        (
            'p.setProperty("debezium.log.mining.strategy", "online_catalog");\nbuilder.debeziumProperties(p);\n',
            "prefix-of-a-table-in-a-program",
        ),
        ("'changelog-producer' = 'input'\n'merge-engine' = 'aggregation',\n", "changes-without-old-values"),
        (SINK.format("paimon", "'sequence.field' = 'o_orderdate'"), "sequence-that-stands"),
        (SINK.format("paimon", "'sequence.field' = 'create_time'"), "sequence-that-stands"),
        (SINK.format("hudi", "'write.operation' = 'insert'"), "hudi-inserts-keep-each-row"),
        (SINK.format("hudi", "'index.state.ttl' = '1.5'"), "hudi-index-forgets-keys"),
        (SINK.format("hudi", "'index.global.enabled' = 'false'"), "hudi-key-in-two-partitions"),
        (SINK.format("hudi", "'write.ignore.failed' = 'true'"), "failed-writes-left-out"),
        (SINK.format("hudi", "'hoodie.datasource.query.type' = 'read_optimized'"), "only-compacted-rows"),
        (SINK.format("hudi", "'compaction.schedule.enabled' = 'false'"), "compaction-not-planned"),
        (SINK.format("hudi", "'table.type' = 'MERGE_ON_READ'"), "merge-on-read-shows-log-files"),
        (SINK.format("paimon", "'bucket' = '-1', 'write-only' = 'true'"), "one-writer-of-dynamic-buckets"),
        (SINK.format("paimon", "'merge-engine' = 'partial-update'"), "nulls-do-not-overwrite"),
        (SINK.format("paimon", "'partial-update.ignore-delete' = 'true'"), "deletes-ignored"),
        (SINK.format("doris", "'sink.enable-delete' = 'false'"), "deletes-ignored"),
        (SINK.format("fluss", "'table.merge-engine' = 'first_row'"), "first-row-counts"),
        (SINK.format("fluss", "'table.auto-partition.enabled' = 'true'"), "seven-partitions-kept"),
        (f"USE CATALOG fluss;\nSELECT * FROM t /*+ OPTIONS({LATEST}) */", "fluss-from-the-end"),
        (f"USE CATALOG iceberg;\nSELECT * FROM t /*+ OPTIONS({STREAMED}) */", "only-appends-are-streamed"),
        (SINK.format("iceberg", "'catalog-name' = 'c'") + "INSERT INTO o SELECT id FROM t", "iceberg-table-read-once"),
        (SINK.format("jdbc", BOUNDS) + "INSERT INTO o SELECT id FROM t", "rows-outside-the-bounds"),
        (FRONT_END.format("?useSSL=false"), "mysql-times-without-zone"),
    ],
)
def test_a_trap_is_found(sql: str, trap: str) -> None:
    assert trap in found(sql)


@pytest.mark.parametrize(
    "sql",
    [
        f"{KAFKA}INSERT INTO o SELECT id FROM s WHERE ts IS NOT NULL AND id = 3",
        f"{KAFKA}UPDATE t SET a = NULL",
        f"{KEYED}INSERT INTO o SELECT id, city FROM s",
        f"{KEYED}INSERT INTO o (city, id) SELECT city, id FROM s",
        f"{KEYED}INSERT INTO o SELECT s.id, UPPER(s.city) FROM s",
        f"{KAFKA}INSERT INTO o SELECT DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm:ss'), TO_TIMESTAMP_LTZ(event_ms, 3) FROM s",
        CHECKPOINTS + FILES.format(options="'format' = 'parquet'"),
        "SET 'execution.runtime-mode' = 'batch';\n" + FILES.format(options="'format' = 'json'"),
        "CREATE TABLE native (price NUMERIC, name TEXT);\nINSERT INTO native VALUES (1, 'a');",
        SINK.format("jdbc", f"'{ROWS}' = '1000', '{INTERVAL}' = '2s'"),
        SINK.format("doris", f"'sink.enable.batch-mode' = 'true', '{INTERVAL}' = '10s'"),
        "SET 'table.exec.state.ttl' = '36 h';\nINSERT INTO o SELECT a.x FROM a JOIN b ON a.x = b.x",
        f"{KAFKA}INSERT INTO o SELECT CAST(id AS DECIMAL(10, 2)), CAST(id AS STRING) FROM s",
        'MySqlSource.<String>builder().databaseList("shop").tableList("shop.orders", "shop.items")',
        f"{SINK.format('jdbc', MYSQL.format('?rewriteBatchedStatements=true'))}INSERT INTO t SELECT id FROM s",
        f"{CHECKPOINTS}{SINK.format('hudi', BUCKETS)}INSERT INTO t SELECT id FROM s",
        CHECKPOINTS + CDC.format("mysql", "'table-name' = 'orders_.*'"),
        f"{KEYED}INSERT INTO x SELECT s.id FROM s JOIN o FOR SYSTEM_TIME AS OF s.p ON s.id = o.id",
        FILES.format(options="'format' = 'parquet'")
        .replace("SELECT id, dt, h FROM s", "VALUES (1, 'a', 'b')")
        .replace("dt, h)", "dt_, h_)"),
        SINK.format("paimon", "'sequence.field' = 'update_time', 'changelog-producer' = 'input'"),
        SINK.format("paimon", "'sequence.field' = 'last_modified_date', 'changelog-producer' = 'lookup'"),
        BEYOND.format("id", "doris", ""),
        BEYOND.format("id, day", "doris", ", 'sink.ignore.update-before' = 'false'"),
        BEYOND.format("id, day", "jdbc", ""),
        CHECKPOINTS
        + CDC.format("oracle", "'database-name' = 'XE', 'debezium.log.mining.strategy' = 'online_catalog'").replace(
            "id", "ID"
        ),
        SINK.format("kafka", "'format' = 'debezium-json', 'key.fields' = 'id'") + "INSERT INTO t SELECT id FROM s",
        KAFKA.replace("'json'", "'json', 'json.ignore-parse-errors' = 'false'") + READ,
        'p.setProperty("log.mining.strategy", "online_catalog");\nbuilder.debeziumProperties(p);\n',
        "'changelog-producer' = 'lookup'\n'merge-engine' = 'aggregation'\n",
        "'sequence.field' = 'dt,version'\n",
        CHECKPOINTS + FILES.replace("dt, h)", "dt_, h_)").format(options="'format' = 'parquet'"),
        SINK.format("hudi", "'write.operation' = 'insert', 'write.precombine' = 'true'"),
        SINK.format("hudi", "'write.operation' = 'upsert', 'index.state.ttl' = '0', 'index.global.enabled' = 'true'"),
        SINK.format("hudi", "'table.type' = 'MERGE_ON_READ', 'compaction.delta_commits' = '1'"),
        SINK.format("hudi", "'table.type' = 'COPY_ON_WRITE', 'hoodie.datasource.query.type' = 'snapshot'"),
        SINK.format("paimon", "'bucket' = '8', 'write-only' = 'true', 'ignore-delete' = 'false'"),
        SINK.format("paimon", "'merge-engine' = 'partial-update', 'fields.v.sequence-group' = 'a,b'"),
        SINK.format("fluss", "'table.auto-partition.enabled' = 'true', 'table.auto-partition.num-retention' = '30'"),
        SINK.format("fluss", "'table.merge-engine' = 'versioned', 'scan.startup.mode' = 'full'"),
        f"USE CATALOG paimon;\nSELECT * FROM t /*+ OPTIONS({STREAMED}) */",
        SINK.format("iceberg", STREAMED).replace("iceberg", "lake") + "INSERT INTO o SELECT id FROM t",
        FRONT_END.format("?serverTimezone=Asia/Shanghai"),
    ],
)
def test_a_statement_without_a_trap_is_quiet(sql: str) -> None:
    assert [name for name in found(sql) if not statement_traps()[name].usual] == []


def test_two_tables_with_one_prefix_share_their_transactions() -> None:
    table = "CREATE TABLE {} (id BIGINT) WITH ('connector' = 'kafka', 'sink.transactional-id-prefix' = '{}');\n"
    inserts = "INSERT INTO a SELECT id FROM s;\nINSERT INTO b SELECT id FROM s;"
    assert "shared-transaction-prefix" in found(table.format("a", "x") + table.format("b", "x") + inserts)
    assert "shared-transaction-prefix" not in found(table.format("a", "x") + table.format("b", "y") + inserts)


def test_the_words_and_the_place_of_a_trap_are_those_of_the_source() -> None:
    name, words, place = next(iter(traps_in(f"{KAFKA}INSERT INTO o SELECT id FROM s WHERE\n  ts =\n NULL")))
    assert (name, words) == ("equals-null", "ts = NULL")
    assert place > len(KAFKA)


def test_what_is_certain_goes_first_and_what_is_usual_last() -> None:
    ranks = [(not each.certain, each.usual) for each in statement_traps().values()]
    assert ranks == sorted(ranks)
