"""What gives an operator room that is at its limit, evens out its subtasks, and bounds its state."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.operators_at_limit import (
    bound_of_state,
    look_up_relief_of,
    operators_at_limit,
    reads_change_log,
    relief_of,
    spread_of,
)


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
        ("Source: mysql-cdc orders", "change-log"),
        ("Source:_MySQL_Source", "change-log"),
        ("Source: Flink CDC Event Source: mysql -> SchemaOperator", "change-log"),
        ("Source: mysql-cdc orders -> Sink: doris", "doris"),
        ("IcebergFilesCommitter -> Sink: IcebergSink db.t", "iceberg-committer"),
        ("Writer : orders", "paimon"),
        ("Writer(write-only) : orders", "paimon"),
        ("Global Committer : orders", "paimon-committer"),
        ("dynamic-bucket-assigner", "paimon-assigner"),
        ("compact_task", "hudi-compaction"),
        ("clustering_task", "hudi-clustering"),
        ("bucket_assigner", "hudi-index"),
    ],
)
def test_a_name_shows_what_is_at_its_limit(task: str, entry: str) -> None:
    assert relief_of(task) == operators_at_limit()[entry].relief


@pytest.mark.parametrize(
    "task", ["LookupJoin[5]", "WindowJoin[6]", "JoinEnricher", "views-per-page", "Source: clicks", "out[3]: Writer"]
)
def test_other_names_show_nothing(task: str) -> None:
    assert relief_of(task) is None


@pytest.mark.parametrize("system", ["StarRocks", "Doris", "Elasticsearch", "Kafka", "HBase", "MongoDB", "PostgreSQL"])
def test_the_outside_system_of_a_stack_has_its_act(system: str) -> None:
    assert relief_of(system)


@pytest.mark.parametrize(
    ("task", "entry"),
    [
        ("GroupAggregate[5]", "group-aggregate"),
        ("GlobalGroupAggregate[5] -> Calc[6]", "global-group-aggregate"),
        ("GroupAggregate(groupBy=[day], select=[day, COUNT(DISTINCT user_id) AS $f1])", "distinct-aggregate"),
        ("Join[7] -> Calc[8]", "joins"),
        ("IntervalJoin[7]", "joins"),
        ("GlobalWindowAggregate_6_", "global-window-aggregate"),
        ("Window(TumblingEventTimeWindows(60000), EventTimeTrigger, Sum)", "windows"),
        ("Rank[3] -> doris_orders[4]: Writer", "rank"),
    ],
)
def test_a_name_shows_what_evens_out_its_subtasks(task: str, entry: str) -> None:
    assert spread_of(task) == operators_at_limit()[entry].spread


@pytest.mark.parametrize("task", ["Map -> Filter", "Source: clicks", "doris_orders[4]: Writer"])
def test_other_names_have_no_act_of_their_own_against_skew(task: str) -> None:
    assert spread_of(task) is None


def test_the_state_of_an_operator_that_keeps_its_rows_for_ever_is_bounded() -> None:
    assert bound_of_state(["Source: a[1]", "Calc[2] -> Join[5]"]) == operators_at_limit()["regular-join"].bound
    assert bound_of_state(["Source: a[1]", "IntervalJoin[5]", "views-per-page"]) is None


@pytest.mark.parametrize(
    "task", ["Source: ods_cdc_orders[1]", "Source: kafka -> Sink: mysql-cdc", "mysql-cdc-sink: Writer"]
)
def test_a_table_with_changes_in_its_name_is_no_source_of_changes(task: str) -> None:
    assert not reads_change_log(task)


TABLES = {"orders_pg": "jdbc", "events": "kafka", "dim": "hbase-2.2"}


@pytest.mark.parametrize(
    ("task", "entry"),
    [
        ("orders_pg[5]: Writer", "jdbc"),
        ("Calc[3] -> orders_pg[5]: Writer", "jdbc"),
        ("Sink: Sink(table=[default_catalog.default_database.orders_pg], fields=[id])", "jdbc"),
        ("Sink__orders_pg_5_", "jdbc"),
        ("Calc[3] -> SinkMaterializer[4] -> orders_pg[5]: Writer", "upsert-materializer"),
    ],
)
def test_the_connector_of_a_declared_table_shows_it(task: str, entry: str) -> None:
    assert relief_of(task, TABLES) == operators_at_limit()[entry].relief


@pytest.mark.parametrize("task", ["orders_pg_audit[5]: Writer", "Source: events[1]", "events[1] -> Calc[2]"])
def test_other_tables_and_sources_show_no_writer(task: str) -> None:
    assert relief_of(task, TABLES) is None


def test_a_look_up_is_known_by_the_table_that_it_asks() -> None:
    hbase = operators_at_limit()["hbase"].look_up
    assert look_up_relief_of("LookupJoin(table=[c.d.dim], joinType=[LeftOuterJoin])", TABLES, ()) == hbase
    assert look_up_relief_of("LookupJoin[4]", TABLES, {"dim"}) == hbase
    assert look_up_relief_of("LookupJoin[4]", TABLES, ()) is None
    assert look_up_relief_of("LookupJoin[4]", TABLES, {"dim", "orders_pg"}) is None
