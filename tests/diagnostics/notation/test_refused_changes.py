"""Who makes the changes that a table refuses, and what helps against that."""

from __future__ import annotations

import pytest

from diagnostics.notation.refused_changes import act_on_refused_changes, refused_changes, with_connector
from diagnostics.vocabulary.message_remedies import remedy_of

SINK = "Table sink 'default_catalog.shop.`orders`' doesn't support consuming update and delete changes which is"
SCAN = f"{SINK} produced by node TableSourceScan(table=[[default_catalog, shop, orders_cdc]], fields=[id, price])"
COUNT = f"{SINK} produced by node GroupAggregate(groupBy=[city, day], select=[city, day, COUNT(*) AS n])"


@pytest.mark.parametrize(
    ("said", "by"),
    [
        (SCAN, "source"),
        (COUNT, "aggregate"),
        (f"{SINK} produced by node Join(joinType=[LeftOuterJoin], where=[=(id, id0)], select=[id])", "outer_join"),
        (f"{SINK} produced by node Rank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER])", "rank"),
        (f"{SINK} produced by node Deduplicate(keep=[LastRow], key=[id], order=[PROCTIME])", "rank"),
        (with_connector(SCAN, "kafka"), "source-kafka"),
        (with_connector(SCAN, "filesystem"), "source-files"),
        (with_connector(SCAN, "datagen"), "source"),
        (with_connector(COUNT, "kafka"), "aggregate-kafka"),
        (with_connector(COUNT, "filesystem"), "aggregate-files"),
    ],
)
def test_the_act_follows_who_makes_the_changes_and_the_connector(said: str, by: str) -> None:
    act = act_on_refused_changes(f"org.apache.flink.table.api.TableException: {said}")
    assert act is not None
    assert act[0] == by


@pytest.mark.parametrize(
    "said",
    [
        f"{SINK} produced by node Join(joinType=[InnerJoin], where=[=(id, id0)], select=[id])",
        f"{SINK} produced by node Union(all=[true], union=[id])",
        f"{SINK} produced by node GroupAggregate(groupBy=[$f0], select=[$f0, COUNT(*) AS n])",
        "StreamPhysicalIntervalJoin doesn't support consuming update changes which is produced by node Rank(x)",
    ],
)
def test_who_only_passes_changes_on_is_not_blamed(said: str) -> None:
    assert act_on_refused_changes(said) is None


def test_the_values_of_the_message_stand_in_the_act() -> None:
    remedy = remedy_of(with_connector(COUNT, "kafka"))
    assert remedy is not None
    assert remedy.startswith("Write orders with 'connector' = 'upsert-kafka'")
    assert "PRIMARY KEY (city, day) NOT ENFORCED" in remedy
    found = refused_changes(SCAN)
    assert found is not None
    assert (found.sink, found.values["table"]) == ("orders", "orders_cdc")


def test_another_operator_keeps_the_general_act() -> None:
    remedy = remedy_of(f"{SINK} produced by node Union(all=[true], union=[id])")
    assert remedy is not None
    assert remedy.startswith("Write the result to a sink that takes updates")
