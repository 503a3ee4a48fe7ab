"""Whether bounds and formats are compatible with the unit in a fact's name."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.wording.unit import bound_mismatch, format_mismatch


@pytest.mark.parametrize(
    ("fact", "value", "meaning", "told"),
    [
        ("a.lasted_ms", "30 s", "", "30 s is 30000"),
        ("a.state_bytes", "2 GiB", "", "2 GiB is 2.14748e+09"),
        ("a.busy_ratio", "80 %", "", "80 % is 0.8"),
        ("a.hot_share_ratio", 80, "", "80 % is 0.8"),
        ("a.idle_ratio", 20, "share of the samples in which it waited", "a share from 0 to 1"),
        ("a.rate_per_s", True, "", "a number is expected"),
    ],
)
def test_a_bound_in_another_unit_is_refused_with_the_right_number(
    fact: str, value: Any, meaning: str, told: str
) -> None:
    assert told in bound_mismatch(fact, "==", value, meaning)


@pytest.mark.parametrize(
    ("fact", "op", "value"),
    [
        ("a.lasted_ms", ">=", 30_000),
        ("a.skew_ratio", ">=", 5),
        ("a.hot_share_ratio", ">=", 1),
        ("a.position", "==", "sink"),
        ("a.refused", ">=", 1),
    ],
)
def test_a_bound_in_the_unit_of_the_fact_is_right(fact: str, op: str, value: Any) -> None:
    assert bound_mismatch(fact, op, value, "") == ""


@pytest.mark.parametrize(("fact", "form"), [("a.x_ms", "bytes"), ("a.x_bytes", "percent"), ("a.x_ratio", "duration")])
def test_a_format_of_another_unit_is_refused(fact: str, form: str) -> None:
    assert "cannot be written as" in format_mismatch(fact, form)


@pytest.mark.parametrize(("fact", "form"), [("a.x_ms", "time"), ("a.bytes_per_s", "bytes"), ("a.x_ms", "plain")])
def test_a_format_of_the_facts_unit_is_right(fact: str, form: str) -> None:
    assert format_mismatch(fact, form) == ""
