"""Tables that SQL declares with their connectors, and those that look-up joins ask."""

from __future__ import annotations

from diagnostics.notation.source_text import Lines
from diagnostics.notation.sql_tables import sql_tables, tables_looked_up

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
