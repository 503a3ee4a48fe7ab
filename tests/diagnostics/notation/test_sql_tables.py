"""Tables that SQL declares with their connectors, and those that look-up joins ask."""

from __future__ import annotations

import pytest

from diagnostics.notation.source_text import Lines, without_comments
from diagnostics.notation.sql_tables import hinted_options, is_statement, sql_tables, tables_looked_up

SQL = """
CREATE TABLE IF NOT EXISTS `cat`.`db`.`Orders` (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:mysql://db/test');
create temporary table dim (id BIGINT) with ('connector.type'='HBase-2.2');
CREATE TABLE plain (id BIGINT);
INSERT INTO orders SELECT a.id FROM events AS a
  LEFT JOIN dim FOR SYSTEM_TIME AS OF a.proc_time AS d ON a.id = d.id JOIN other ON a.id = other.id;
"""


def test_tables_are_read_with_their_connectors() -> None:
    tables = [(table.printed, table.name, table.connector) for table in sql_tables(SQL)]
    assert tables == [("Orders", "orders", "jdbc"), ("dim", "dim", "hbase-2.2")]


def test_only_a_table_at_a_time_is_looked_up() -> None:
    assert [(name, Lines(SQL).at(place)) for name, place in tables_looked_up(SQL)] == [("dim", 7)]


def test_options_of_a_hint_are_read_and_no_comment() -> None:
    sql = "SELECT * FROM t /*+ OPTIONS('scan.mode' = 'latest', 'consumer-id'='a') */ /* 'a' = 'b' */"
    stated = [(key, value) for key, value, _ in hinted_options(without_comments(sql))]
    assert stated == [("scan.mode", "latest"), ("consumer-id", "a")]


@pytest.mark.parametrize(
    ("text", "is_sql"),
    [
        ("-- does it end?\nCREATE TABLE t (id INT);\nINSERT INTO t SELECT 1", True),
        ("Flink SQL> select * from t1;", True),
        ("SELECT 1", False),
        ("Selected the leader from the ensemble", False),
        ("2026-11-28 10:00:00 INFO INSERT INTO t SELECT * FROM s", False),
    ],
)
def test_a_statement_is_known_by_its_first_word(text: str, is_sql: bool) -> None:
    assert is_statement(without_comments(text)) is is_sql
