"""The catalogue of Flink's options, and the messages about unknown names and values."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.settings import near_miss, setting_catalogue, version_of, wrong_value


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("execution.checkpointing.intervall", "execution.checkpointing.interval"),
        ("taskmanager.numberoftaskslots", "taskmanager.numberOfTaskSlots"),
        ("state.backend.rockdb.localdir", "state.backend.rocksdb.localdir"),
        ("state.backend.rocksdb.compaction-style", "state.backend.rocksdb.compaction.style"),
        ("execution.checkpointing.min_pause", "execution.checkpointing.min-pause"),
        ("xecution.checkpointing.intervall", "execution.checkpointing.interval"),
        ("taskmanager.memory.manged.fracton", "taskmanager.memory.managed.fraction"),
    ],
)
def test_a_typing_error_is_reported_with_the_intended_name(written: str, meant: str) -> None:
    assert near_miss(written) == meant


@pytest.mark.parametrize("key", ["rest.port", "jobmanager.rpc.address", "state.backend.incremental", "my.own.option"])
def test_names_that_are_known_or_like_no_other_are_left_alone(key: str) -> None:
    assert near_miss(key) is None


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("execution.checkpointing.interval", "5 ms", ">=10 ms"),
        ("execution.checkpointing.timeout", "soon", "a time such as 30 s"),
        ("execution.checkpointing.max-concurrent-checkpoints", "0", ">=1"),
        ("taskmanager.memory.managed.fraction", "1.5", "0..1"),
        ("taskmanager.numberOfTaskSlots", "2.5", "a whole number"),
        ("execution.checkpointing.unaligned.enabled", "yes", "true or false"),
        ("execution.checkpointing.mode", "ONCE", "one of EXACTLY_ONCE, AT_LEAST_ONCE"),
    ],
)
def test_a_value_that_flink_refuses_is_reported_with_what_it_allows(key: str, value: str, expected: str) -> None:
    assert wrong_value(setting_catalogue().by_key[key], value) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("execution.checkpointing.interval", "500 ms"),
        ("execution.checkpointing.interval", "PT30S"),
        ("heartbeat.timeout", "50000"),
        ("execution.buffer-timeout.interval", "-1"),
        ("execution.checkpointing.mode", "at-least-once"),
        ("slotmanager.number-of-slots.max", "infinite"),
        ("taskmanager.memory.segment-size", "32kb"),
        ("execution.checkpointing.interval", "${CHECKPOINT_INTERVAL}"),
        ("restart-strategy.type", "fixed-delay"),
    ],
)
def test_values_that_flink_reads_are_left_alone(key: str, value: str) -> None:
    assert wrong_value(setting_catalogue().by_key[key], value) is None


def test_every_default_is_a_value_that_its_option_allows() -> None:
    defaults = [
        (option, each.partition(" since ")[0])
        for option in setting_catalogue().by_key.values()
        for each in option.default.split("; ")
    ]
    assert [(option.key, value) for option, value in defaults if value != "none" and wrong_value(option, value)] == []


def test_an_option_has_the_default_of_its_version() -> None:
    catalogue, option = setting_catalogue(), "restart-strategy.exponential-delay.max-backoff"
    assert catalogue.default_in(option, version_of("1.18.1")) == "5 min"
    assert catalogue.default_in(option, version_of("1.20.5")) == "1 min"
    assert catalogue.default_in(option, None) is None, "it changed"
    assert catalogue.default_in("execution.checkpointing.timeout", None) == "10 min"
    assert catalogue.default_in("no.such.option", version_of("1.20.5")) is None


def test_an_option_has_the_name_that_a_version_reads() -> None:
    catalogue = setting_catalogue()
    assert catalogue.name_in("execution.checkpointing.dir", version_of("1.17.2")) == "state.checkpoints.dir"
    assert catalogue.name_in("execution.checkpointing.dir", version_of("2.0.0")) == "execution.checkpointing.dir"
    assert catalogue.by_former["state.checkpoints.dir"].key == "execution.checkpointing.dir"
