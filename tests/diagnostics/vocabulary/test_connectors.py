"""What sources and sinks guarantee, and the weakest part of all combinations."""

from __future__ import annotations

from itertools import product

import pytest

from diagnostics.vocabulary.connectors import (
    GUARANTEES,
    OF_SINK,
    OF_SOURCE,
    Guarantee,
    connector_named,
    connectors,
    weakest,
)


@pytest.mark.parametrize(("source", "checkpointing", "sink"), list(product(GUARANTEES, repeat=3)))
def test_the_weakest_part_holds_from_end_to_end(source: Guarantee, checkpointing: Guarantee, sink: Guarantee) -> None:
    part, guarantee = weakest(source=source, checkpointing=checkpointing, sink=sink)
    ranks = [GUARANTEES.index(each) for each in (source, checkpointing, sink)]

    assert GUARANTEES.index(guarantee) == min(ranks)
    assert {"source": source, "checkpointing": checkpointing, "sink": sink}[part] == guarantee


@pytest.mark.parametrize(
    ("name", "source"),
    [("kafka", "replays"), ("FlinkKafkaConsumer", "replays"), ("socketTextStream", "forgets"), ("jdbc", "depends")],
)
def test_a_source_is_known_to_replay_or_not(name: str, source: str) -> None:
    found = connector_named(name)
    assert found is not None
    assert found.source == source


@pytest.mark.parametrize(
    ("name", "sink"),
    [
        ("KafkaSink", "transactions"),
        ("upsert-kafka", "idempotent"),
        ("jdbc", "idempotent"),
        ("CassandraSink", "write-ahead log"),
        ("print", "at least once"),
    ],
)
def test_a_sink_is_known_to_be_idempotent_transactional_or_neither(name: str, sink: str) -> None:
    found = connector_named(name)
    assert found is not None
    assert found.sink == sink


def test_the_write_ahead_log_names_what_it_costs() -> None:
    note = connectors()["cassandra"].sink_note
    assert all(cost in note for cost in ("later results", "more state", "repeats some"))


def test_every_entry_says_something_about_a_source_or_a_sink() -> None:
    for each in connectors().values():
        assert each.source or each.sink, each.id
        assert not each.source or (each.source in OF_SOURCE and each.source_note), each.id
        assert not each.sink or (each.sink in OF_SINK and each.sink_note), each.id


def test_no_name_belongs_to_two() -> None:
    names = [name.lower() for each in connectors().values() for name in each.names]
    assert len(names) == len(set(names))
    assert connector_named("something else") is None
