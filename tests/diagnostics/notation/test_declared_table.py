"""Tables that SQL declares, and those that look-up joins ask."""

from __future__ import annotations

from diagnostics.notation.declared_table import declared_tables

SQL = """
CREATE TABLE IF NOT EXISTS `cat`.`db`.`orders` (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:mysql://db/test');
create temporary table dim (id BIGINT) with ('connector'='HBase-2.2');
CREATE TABLE plain (id BIGINT);
INSERT INTO orders SELECT a.id FROM events AS a
  LEFT JOIN dim FOR SYSTEM_TIME AS OF a.proc_time AS d ON a.id = d.id JOIN other ON a.id = other.id;
"""


def test_tables_are_read_with_their_connectors() -> None:
    found = list(declared_tables(SQL))
    assert [each for each in found if each[0] == "table"] == [
        ("table", "orders jdbc", 2),
        ("table", "dim hbase-2.2", 4),
    ]


def test_only_a_table_at_a_time_is_looked_up() -> None:
    assert [each for each in declared_tables(SQL) if each[0] == "look-up-table"] == [("look-up-table", "dim", 7)]
