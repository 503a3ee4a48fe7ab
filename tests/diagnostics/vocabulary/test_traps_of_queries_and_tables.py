"""Queries, sources and sinks of SQL that do without an error what nobody wants of them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.catalogue_file import FOLDER
from diagnostics.vocabulary.statement_traps import statement_traps, traps_in
from diagnostics.yaml_document import read_yaml

READ = "CREATE TABLE s (id BIGINT, age INT, name STRING, ts TIMESTAMP(3)) WITH ('connector' = 'kafka');\n"
WINDOW = "TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '{}' {}))"
LOOK_UP = "INSERT INTO o SELECT s.id FROM s LEFT JOIN d {} FOR SYSTEM_TIME AS OF s.proctime ON s.id = d.id;"


def source(connector: str, options: str, columns: str = "id BIGINT, name STRING, ts TIMESTAMP(3)") -> str:
    stated = f", {options}" if options else ""
    return f"CREATE TABLE c ({columns}) WITH ('connector' = '{connector}'{stated});\nINSERT INTO o SELECT id FROM c;"


def sink(connector: str, options: str, *, key: bool = True, between: str = "") -> str:
    keyed = ", PRIMARY KEY (id) NOT ENFORCED" if key else ""
    stated = f", {options}" if options else ""
    return (
        f"CREATE TABLE t (id BIGINT, name STRING{keyed}) {between}WITH ('connector' = '{connector}'{stated});\n"
        "INSERT INTO t SELECT id, name FROM s;"
    )


def query(text: str) -> str:
    return f"{READ}{text}"


CASES = [
    (query("SET 'table.exec.state.ttl' = '86400';"), "duration-without-unit"),
    (query("SET 'table.exec.source.idle-timeout' = '30';"), "duration-without-unit"),
    (query("INSERT INTO o SELECT id, COUNT(a) / COUNT(*) FROM s GROUP BY id;"), "quotient-of-counts"),
    (query("INSERT INTO o SELECT id, AVG(age) FROM s GROUP BY id;"), "average-of-whole-numbers"),
    (
        query(f"SELECT id, COUNT(*) FROM {WINDOW.format(1, 'HOUR')} GROUP BY id, window_start;"),
        "window-without-its-end",
    ),
    (
        query("INSERT INTO o SELECT s.id FROM s LEFT JOIN b AS x ON s.id = x.id WHERE s.id > 3 AND x.kind = 'a';"),
        "left-join-with-a-condition-behind",
    ),
    (query("INSERT INTO o SELECT id, x FROM s CROSS JOIN UNNEST(items) AS t(x);"), "rows-of-an-empty-list"),
    (query("INSERT INTO o SELECT id, x FROM s, LATERAL TABLE(split(name)) AS t(x);"), "rows-of-an-empty-list"),
    (query("INSERT INTO o SELECT id FROM s WHERE CAST(ts AS DATE) = CURRENT_DATE;"), "judged-once-by-the-clock"),
    (query("SET 'table.exec.legacy-cast-behaviour' = 'enabled';"), "failed-casts-are-null"),
    (query("SET 'table.exec.sink.not-null-enforcer' = 'DROP';"), "rows-with-null-dropped"),
    (query("SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';"), "values-cut-to-length"),
    (query("SET 'table.exec.sink.keyed-shuffle' = 'NONE';"), "changes-of-a-key-overtake"),
    (query("INSERT INTO o SELECT id, SUM(age) OVER (ORDER BY ts) FROM s;"), "all-rows-in-one-subtask"),
    (query("INSERT INTO o SELECT id FROM s ORDER BY age DESC LIMIT 10;"), "all-rows-in-one-subtask"),
    (READ.replace(" TIMESTAMP(3))", " TIMESTAMP(3), WATERMARK FOR ts AS ts)"), "late-without-a-bound"),
    (
        READ.replace(" TIMESTAMP(3))", " TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' DAY)"),
        "results-a-day-late",
    ),
    (query(f"SELECT id FROM {WINDOW.format(1, 'DAY')} GROUP BY window_start, window_end"), "days-of-which-zone"),
    (query(LOOK_UP.format("")), "looked-up-once"),
    (query("INSERT INTO a SELECT id FROM s;\nINSERT INTO b SELECT id FROM s;"), "several-inserts-several-jobs"),
    (query("INSERT INTO o SELECT id, COUNT(*) FROM s GROUP BY id;"), "state-without-a-limit"),
    (query("INSERT INTO o SELECT s.id FROM s JOIN b ON s.id = b.id;"), "state-without-a-limit"),
    (
        source("kafka", "'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1700000000'"),
        "seconds-as-start",
    ),
    (source("kafka", "'scan.bounded.mode' = 'latest-offset'"), "bounded-stream"),
    (source("kafka", "'scan.topic-partition-discovery.interval' = '0'"), "new-partitions-not-looked-for"),
    (source("kafka", "'format' = 'json'"), "new-partitions-of-an-old-connector"),
    (source("kafka", "'properties.isolation.level' = 'read_committed'"), "waits-for-open-transactions"),
    (source("kafka", "'properties.isolation.level' = 'read_uncommitted'"), "read-uncommitted"),
    (source("kafka", "'format' = 'canal-json', 'canal-json.table.include' = 'order'"), "changes-of-other-tables"),
    (source("mysql-cdc", "'scan.startup.mode' = 'latest-offset'"), "only-what-comes-after-the-start"),
    (source("mysql-cdc", "'scan.startup.mode' = 'snapshot'"), "only-the-snapshot"),
    (source("mysql-cdc", "'scan.incremental.snapshot.enabled' = 'false'"), "snapshot-in-one-piece"),
    (source("postgres-cdc", "'slot.name' = 's'"), "postgres-snapshot-in-one-piece"),
    (source("postgres-cdc", "'slot.name' = 's'"), "large-values-left-out"),
    (source("mysql-cdc", "'debezium.skipped.operations' = 'd'"), "operations-skipped"),
    (source("mysql-cdc", "'scan.incremental.snapshot.chunk.key-column' = 'u'"), "chunks-by-a-column-that-changes"),
    (source("mysql-cdc", "'table-name' = 't'"), "times-of-the-servers-zone"),
    (source("jdbc", "'table-name' = 't'"), "one-subtask-asks-the-database"),
    ("INSERT INTO o SELECT * FROM h /*+ OPTIONS('streaming-source.enable'='false') */;", "hive-table-read-once"),
    (
        query(LOOK_UP.format("/*+ OPTIONS('streaming-source.partition.include'='latest') */")),
        "hive-dimension-of-the-last-hour",
    ),
    (source("delta", "'table-path' = 's3://b/t'"), "delta-table-read-once"),
    (source("hudi", "'read.streaming.enabled' = 'true'") + "SELECT COUNT(*) FROM c;", "hudi-updates-without-old-row"),
    (sink("kafka", "'sink.partitioner' = 'fixed'"), "partitions-left-empty"),
    (sink("kafka", "'key.fields' = 'id', 'value.fields-include' = 'EXCEPT_KEY'"), "key-not-in-the-value"),
    (sink("upsert-kafka", "'sink.buffer-flush.max-rows' = '1000'"), "half-of-a-buffer"),
    (sink("upsert-kafka", "'sink.buffer-flush.interval' = '1s'"), "half-of-a-buffer-by-time"),
    (sink("elasticsearch-7", "'index' = 'o-{ts|yyyy-MM-dd}'"), "document-in-two-indexes"),
    (sink("elasticsearch-7", "'failure-handler' = 'ignore'"), "failed-documents-ignored"),
    (sink("doris", "'sink.enable-2pc' = 'false'"), "loads-that-come-twice"),
    (sink("starrocks", "'load-url' = 'f:8030'"), "separators-within-values"),
    (sink("clickhouse", "'table-name' = 't'"), "rows-of-a-key-until-a-merge"),
    (sink("jdbc", "'url' = 'jdbc:mysql://db/shop'"), "key-that-the-database-lacks"),
    (sink("jdbc", "'url' = 'jdbc:postgresql://db/shop'"), "postgres-rows-one-by-one"),
    (sink("hbase-2.2", "'table-name' = 't'"), "null-as-a-text"),
    (sink("iceberg", "'format-version' = '2', 'write.upsert.enabled' = 'true'"), "deletes-that-pile-up"),
    (sink("iceberg", "'catalog-type' = 'hive'", between="PARTITIONED BY (d) "), "files-of-each-writer"),
    (sink("filesystem", "'format' = 'parquet'", between="PARTITIONED BY (d) "), "small-files-of-partitions"),
    (sink("paimon", "'changelog-producer' = 'full-compaction'"), "changes-with-a-full-compaction"),
    (sink("paimon", "'bucket' = '1'"), "one-bucket"),
    (sink("paimon", "'merge-engine' = 'aggregation'"), "last-value-instead-of-a-sum"),
    (sink("paimon", "'merge-engine' = 'aggregation', 'fields.n.aggregate-function' = 'sum'"), "sums-that-count-again"),
    (sink("paimon", "'partition.expiration-time' = '7 d'"), "old-partitions-dropped"),
    (sink("paimon", "'record-level.expire-time' = '7 d'"), "old-rows-dropped"),
    (sink("fluss", "'bucket.num' = '4'", key=False), "log-of-seven-days"),
    (source("mysql-cdc", "'table-name' = 't'"), "server-id-by-chance"),
    (source("postgres-cdc", "'slot.name' = 's'"), "write-ahead-log-kept"),
    (source("kafka", "'scan.startup.mode' = 'latest-offset'"), "topic-from-its-end"),
    (sink("hudi", "'path' = 'hdfs:///t'"), "last-row-by-arrival"),
    (
        source("mysql-cdc", "'table-name' = 't'") + sink("iceberg", "'format-version' = '2'"),
        "rows-of-a-second-snapshot",
    ),
]


@pytest.mark.parametrize(("sql", "trap"), CASES)
def test_a_trap_is_found(sql: str, trap: str) -> None:
    assert trap in [name for name, _, _ in traps_in(sql)]


@pytest.mark.parametrize(
    "sql",
    [
        query("SET 'table.exec.state.ttl' = '36 h';\nSET 'table.exec.source.idle-timeout' = '30 s';"),
        query("SET 'table.exec.mini-batch.allow-latency' = '2000';"),
        query("INSERT INTO o SELECT id, CAST(COUNT(a) AS DOUBLE) / COUNT(*), 1.0 * COUNT(a) / COUNT(*) FROM s;"),
        query("INSERT INTO o SELECT id, AVG(CAST(age AS DOUBLE)), AVG(price) FROM s;"),
        query(f"SELECT id FROM {WINDOW.format(1, 'HOUR')} GROUP BY window_start, window_end, id;"),
        query("INSERT INTO o SELECT s.id FROM s LEFT JOIN b ON s.id = b.id AND b.kind = 'a' WHERE s.id > 3;"),
        query("INSERT INTO o SELECT s.id FROM s LEFT JOIN b ON s.id = b.id WHERE b.kind = 'a' OR b.id IS NULL;"),
        query("INSERT INTO o SELECT s.id FROM s LEFT JOIN b ON s.id = b.id WHERE b.id IS NULL;"),
        query("INSERT INTO o SELECT x FROM (SELECT s.id FROM s LEFT JOIN b ON s.id = b.id) AS q WHERE q.id = 3;"),
        query("INSERT INTO o SELECT id, x FROM s LEFT JOIN UNNEST(items) AS t(x) ON TRUE;"),
        query("INSERT INTO o SELECT id, CURRENT_TIMESTAMP FROM s WHERE id = 3;"),
        query("INSERT INTO o SELECT id, SUM(age) OVER (PARTITION BY id ORDER BY ts) FROM s;"),
        READ.replace(" TIMESTAMP(3))", " TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)"),
        source("kafka", "'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1700000000000'"),
        source("kafka", "'scan.bounded.mode' = 'unbounded', 'scan.topic-partition-discovery.interval' = '1 min'"),
        source("mysql-cdc", "'scan.startup.mode' = 'initial', 'scan.incremental.snapshot.enabled' = 'true'"),
        source("delta", "'table-path' = 's3://b/t'").replace("FROM c", "FROM c /*+ OPTIONS('mode' = 'streaming') */"),
        sink("kafka", "'sink.partitioner' = 'default', 'key.fields' = 'id', 'value.fields-include' = 'ALL'"),
        sink("upsert-kafka", "'sink.buffer-flush.max-rows' = '1000', 'sink.buffer-flush.interval' = '1s'"),
        sink("elasticsearch-7", "'index' = 'orders', 'failure-handler' = 'fail', 'sink.bulk-flush.interval' = '1s'"),
        sink("doris", "'sink.enable-2pc' = 'true', 'sink.properties.format' = 'json'").replace("doris", "dorisx"),
        sink("paimon", "'changelog-producer' = 'lookup', 'bucket' = '8'"),
        sink("paimon", "'merge-engine' = 'aggregation', 'fields.n.aggregate-function' = 'max'"),
    ],
)
def test_a_statement_without_a_trap_shows_usual_ones_at_most(sql: str) -> None:
    shown = {name for name, _, _ in traps_in(sql) if not statement_traps()[name].usual}
    assert shown & {trap for _, trap in CASES} == set()


def test_what_a_limit_of_the_state_covers_is_not_named() -> None:
    limited = query("SET 'table.exec.state.ttl' = '36 h';\nINSERT INTO o SELECT s.id FROM s JOIN b ON s.id = b.id;")
    assert "state-without-a-limit" not in [name for name, _, _ in traps_in(limited)]


def test_every_query_source_and_sink_of_these_files_has_a_case() -> None:
    files = (FOLDER / "statement_traps" / f"{name}.yaml" for name in ("queries", "sources", "writers"))
    assert {name for each in files for name in read_yaml(each.read_text("utf-8"), each.name).content} == {
        trap for _, trap in CASES
    }
