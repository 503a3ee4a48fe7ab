"""What gives an operator room that is at its limit."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.operators_at_limit import operators_at_limit, relief_of


@pytest.mark.parametrize(
    ("task", "entry"),
    [
        ("Join[5]", "regular-join"),
        ("Join_5_", "regular-join"),
        ("Join(joinType=[InnerJoin], where=[(id = id0)])", "regular-join"),
        ("Calc[4] -> Join[5] -> Calc[6] -> SinkMaterializer[7] -> out[8]: Writer", "upsert-materializer"),
        ("GlobalGroupAggregate[9] -> Calc[10]", "group-aggregate"),
        ("Rank[3]", "rank"),
        ("doris_orders[4]: Writer", "doris"),
        ("IcebergStreamWriter", "iceberg"),
        ("bucket_write: default_database.orders", "hudi"),
        ("hoodie_stream_write: orders", "hudi"),
        ("IntervalJoin[7]", "interval-join"),
    ],
)
def test_a_name_shows_what_is_at_its_limit(task: str, entry: str) -> None:
    assert relief_of(task) == operators_at_limit()[entry].relief


@pytest.mark.parametrize("task", ["LookupJoin[5]", "WindowJoin[6]", "JoinEnricher", "views-per-page", "Source: clicks"])
def test_other_names_show_nothing(task: str) -> None:
    assert relief_of(task) is None


@pytest.mark.parametrize("system", ["StarRocks", "Doris", "Elasticsearch", "Kafka", "HBase", "MongoDB", "PostgreSQL"])
def test_the_outside_system_of_a_stack_has_its_act(system: str) -> None:
    assert relief_of(system)
