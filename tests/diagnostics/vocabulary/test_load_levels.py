"""Flink's levels of back pressure, and that rules which cite them use the same numbers."""

from __future__ import annotations

import pytest

from diagnostics.rules.condition import Compare, Condition, Group
from diagnostics.rules.shipped import shipped_rules
from diagnostics.vocabulary.load_levels import LOW_MOST, OK_MOST, pressure_level


@pytest.mark.parametrize(("ratio", "level"), [(0.0, "OK"), (0.1, "OK"), (0.11, "LOW"), (0.5, "LOW"), (0.51, "HIGH")])
def test_a_level_ends_with_its_bound(ratio: float, level: str) -> None:
    assert pressure_level(ratio) == level


def bounds(condition: Condition) -> list[Compare]:
    if isinstance(condition, Group):
        return [bound for item in condition.items for bound in bounds(item)]
    return [condition] if isinstance(condition, Compare) else []


def test_a_bound_that_cites_flink_s_levels_is_one_of_them() -> None:
    cited = [
        (rule.id, bound.fact, bound.value)
        for rule in shipped_rules()
        for part in rule.conditions()
        for bound in bounds(part)
        if (bound.source or "").partition(":")[0] == "bp.level" and isinstance(bound.value, float)
    ]
    assert len(cited) > 10
    assert [each for each in cited if each[2] not in (OK_MOST, LOW_MOST)] == []
