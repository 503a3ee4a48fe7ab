"""Averages of whole numbers and conditions behind a LEFT JOIN."""

from __future__ import annotations

from diagnostics.notation.sql_queries import conditions_behind_left_joins, whole_averages
from diagnostics.notation.sql_tables import sql_tables

TABLE = "CREATE TABLE {} (id BIGINT, x {}, y AS id + 1, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka');\n"


def averages(text: str) -> list[str]:
    return [words for words, _ in whole_averages(text, tuple(sql_tables(text)))]


def behind(text: str) -> list[str]:
    return [words for words, _ in conditions_behind_left_joins(text, ())]


def test_an_average_counts_where_each_declared_type_is_one_of_whole_numbers() -> None:
    assert averages(TABLE.format("a", "INT NOT NULL") + "SELECT AVG(DISTINCT t.x) FROM a AS t") == ["AVG(DISTINCT t.x)"]
    assert averages(TABLE.format("a", "DOUBLE") + "SELECT AVG(x) FROM a") == []
    assert averages(TABLE.format("a", "INT") + TABLE.format("b", "DECIMAL(10, 2)") + "SELECT AVG(x) FROM b") == []
    assert averages("SELECT AVG(x) FROM a") == []


def test_a_condition_counts_by_the_alias_of_the_joined_table() -> None:
    look_up = (
        "SELECT * FROM s LEFT JOIN dim FOR SYSTEM_TIME AS OF s.p AS d ON s.id = d.id WHERE d.kind IN ('a', 'b') LIMIT 3"
    )
    assert behind(look_up) == ["d.kind IN ('a', 'b')"]
    assert behind("SELECT * FROM s LEFT OUTER JOIN `db`.`b` ON s.id = b.id WHERE b.x > 3 AND s.y = 1") == ["b.x > 3"]


def test_a_condition_of_another_query_does_not_count() -> None:
    assert behind("SELECT * FROM (SELECT * FROM s LEFT JOIN b ON s.id = b.id) WHERE b.x = 3") == []
    assert behind("SELECT * FROM s LEFT JOIN b ON s.id = b.id; SELECT * FROM b WHERE b.x = 3") == []
    assert behind("SELECT * FROM s LEFT JOIN b ON s.id = b.id WHERE COALESCE(b.x, 0) = 3 AND b.y = 2") == []
