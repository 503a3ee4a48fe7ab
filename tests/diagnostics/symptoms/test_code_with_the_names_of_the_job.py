"""Blocks of code of the runbooks repeat the names of the job's source, and mark what it does not tell."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks

SUBJECT = {"job": "a" * 32, "vertex": "score", "vertex_id": "b" * 32}
SKEW = {"key_distribution": {"hot_key_multiple_ratio": 3.6, "top_key": "M-17"}}
NAMES = {
    "key_by_calls": 1,
    "previous_result_calls": 0,
    "key_part": "getMerchant()",
    "keyed_function": "RiskScore",
    "state_class": "ValueStateDescriptor",
    "state_name": "user-profile",
    "state_types": "byte[].class",
    "event_type": "Reading",
    "event_time": "eventTime",
}


def blocks(book: str, facts: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks of code of a runbook."""
    stored = [
        {"key": key, "subject": {}, "level": "case", "facts": known, "citations": [], "citation_count": 0}
        for key, known in facts.items()
    ]
    steps = fill(runbooks()[book], {"subject": SUBJECT}, stored)["steps"]
    return [change for step in steps for change in step["change"] if change["kind"] == "code"]


def test_a_key_is_split_where_the_job_partitions_and_before_its_own_function() -> None:
    [block] = blocks("data-skew", {**SKEW, "job_code": NAMES})
    assert "stream.keyBy(r -> r.getMerchant())" in block["from"]
    assert ".process(new RiskScore(...))" in block["from"]
    assert 'salted.f1.getMerchant() + "#" + salted.f0' in block["to"]


def test_what_no_source_tells_is_marked_as_a_gap() -> None:
    [block] = blocks("data-skew", SKEW)
    assert "stream.keyBy(r -> r.<key>)" in block["from"]
    assert ".process(new <function>(...))" in block["from"]
    assert "new <function that merges them>()" in block["to"]


def test_a_time_to_live_is_given_to_the_state_of_the_job() -> None:
    [block] = [each for each in blocks("rocksdb-slow-upload", {"job_code": NAMES}) if "StateTtl" in each["to"]]
    assert 'new ValueStateDescriptor<>("user-profile", byte[].class)' in block["from"]
    assert 'new ValueStateDescriptor<>("<another name>", byte[].class)' in block["to"]


def test_a_map_is_moved_entry_by_entry() -> None:
    carts = {"state_class": "MapStateDescriptor", "state_name": "carts", "state_types": "String.class, Item.class"}
    [block] = [each for each in blocks("rocksdb-slow-upload", {"job_code": carts}) if "StateTtl" in each["to"]]
    assert 'new MapStateDescriptor<>("carts", String.class, Item.class)' in block["from"]
    assert "for (var entry : former.entries())" in block["to"]


def test_time_stamps_are_clamped_where_the_job_assigns_them() -> None:
    clocks = {"device_clocks": {"fast_devices": 2, "bound_ms": 5000, "kept_bound_ms": 5000}, "job_code": NAMES}
    [block, *_] = blocks("out-of-order-events", clocks)
    assert "WatermarkStrategy.<Reading>forBoundedOutOfOrderness" in block["from"]
    assert "event.eventTime" in block["to"]


@pytest.mark.parametrize("name", ["x;rm", "a b", 'q"', "x -> y", "new X() {}"])
def test_a_name_that_is_more_than_a_name_stays_a_gap(name: str) -> None:
    [block] = blocks("data-skew", {**SKEW, "job_code": {**NAMES, "key_part": name}})
    assert "stream.keyBy(r -> r.<key>)" in block["from"]


def test_without_a_source_one_block_stands_for_all_kinds_of_state() -> None:
    [block] = [each for each in blocks("rocksdb-slow-upload", {}) if "StateTtl" in each["to"]]
    assert "<name of the present state>" in block["from"]
