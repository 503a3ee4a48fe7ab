"""What a condition may not demand at once."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.rules.condition import ConditionParser
from diagnostics.rules.contradiction import contradiction


def at_least(value: Any, fact: str = "a.x_ms") -> dict[str, Any]:
    return {"fact": fact, "op": ">=", "value": value}


def below(value: Any) -> dict[str, Any]:
    return {"fact": "a.x_ms", "op": "<", "value": value}


def equal(value: Any) -> dict[str, Any]:
    return {"fact": "a.x_ms", "op": "==", "value": value}


UNKNOWN = {"fact": "a.x_ms", "measured": False}


def told(entry: dict[str, Any]) -> str:
    condition = ConditionParser(lambda place, text: pytest.fail(text)).parse(entry, ("when",))
    assert condition is not None
    return contradiction(condition)


@pytest.mark.parametrize(
    "entry",
    [
        {"all": [at_least(5), below(3)]},
        {"all": [at_least(5), below(5)]},
        {"all": [equal("a"), equal("b")]},
        {"all": [equal(3), at_least(5)]},
        {"all": [UNKNOWN, at_least(5)]},
        {"all": [at_least(5), {"none": [at_least(4)]}]},
        {"all": [at_least(5), {"any": [below(3), equal(4)]}]},
        {"all": [{"fact": "a.x_ms", "op": "in", "value": ["a", "b"]}, equal("c")]},
        {"any": [{"all": [at_least(5), below(3)]}]},
    ],
)
def test_demands_that_exclude_one_another_are_found(entry: dict[str, Any]) -> None:
    assert told(entry).startswith("a.x_ms cannot be ")


@pytest.mark.parametrize(
    "entry",
    [
        {"all": [at_least(3), below(5)]},
        {"all": [at_least(5), {"fact": "a.x_ms", "op": "<=", "value": 5}]},
        {"all": [at_least(5), below(3) | {"fact": "a.y_ms"}]},
        {"any": [at_least(5), below(3)]},
        {"any": [at_least(5), UNKNOWN]},
        {"all": [at_least(5), {"any": [below(3), equal(6)]}]},
        {"all": [UNKNOWN, {"none": [at_least(5)]}]},
        {"none": [at_least(5), below(5)]},
    ],
)
def test_demands_that_something_can_fulfil_are_left_alone(entry: dict[str, Any]) -> None:
    assert told(entry) == ""
